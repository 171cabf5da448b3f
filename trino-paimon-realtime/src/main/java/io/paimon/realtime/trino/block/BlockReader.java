package io.paimon.realtime.trino.block;

import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.SqlRow;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.lang.Math.toIntExact;

/**
 * Turns values of a Trino block, or native values of a domain, into the objects that Paimon keeps in its rows.
 */
public abstract class BlockReader
{
    /** The value at a position in Paimon's form, or null. */
    public final Object read(Block block, int position)
    {
        return block.isNull(position) ? null : readValue(block, position);
    }

    protected abstract Object readValue(Block block, int position);

    private interface Value
    {
        Object read(Block block, int position);
    }

    private static BlockReader of(Value value)
    {
        return new BlockReader() {
            @Override
            protected Object readValue(Block block, int position)
            {
                return value.read(block, position);
            }
        };
    }

    /** @throws TrinoException NOT_SUPPORTED on the first value, if the type has no counterpart in Paimon */
    public static BlockReader create(Type type)
    {
        return switch (type) {
            case ArrayType array -> {
                BlockReader elements = create(array.getElementType());
                yield of((block, position) -> {
                    Block values = array.getObject(block, position);
                    Object[] result = new Object[values.getPositionCount()];
                    for (int i = 0; i < result.length; i++) {
                        result[i] = elements.read(values, i);
                    }
                    return new GenericArray(result);
                });
            }
            case MapType map -> {
                BlockReader keys = create(map.getKeyType());
                BlockReader values = create(map.getValueType());
                yield of((block, position) -> {
                    SqlMap entries = map.getObject(block, position);
                    Block keyBlock = entries.getRawKeyBlock();
                    Block valueBlock = entries.getRawValueBlock();
                    Map<Object, Object> result = HashMap.newHashMap(entries.getSize());
                    for (int i = entries.getRawOffset(); i < entries.getRawOffset() + entries.getSize(); i++) {
                        result.put(keys.read(keyBlock, i), values.read(valueBlock, i));
                    }
                    return new GenericMap(result);
                });
            }
            case RowType row -> {
                List<BlockReader> fields = row.getFields().stream().map(field -> create(field.getType())).collect(toImmutableList());
                yield of((block, position) -> {
                    SqlRow values = row.getObject(block, position);
                    GenericRow result = new GenericRow(fields.size());
                    for (int i = 0; i < fields.size(); i++) {
                        result.setField(i, fields.get(i).read(values.getRawFieldBlock(i), values.getRawIndex()));
                    }
                    return result;
                });
            }
            default -> {
                Class<?> javaType = type.getJavaType();
                if (javaType == boolean.class) {
                    yield of((block, position) -> toPaimon(type, type.getBoolean(block, position)));
                }
                if (javaType == long.class) {
                    yield of((block, position) -> toPaimon(type, type.getLong(block, position)));
                }
                if (javaType == double.class) {
                    yield of((block, position) -> toPaimon(type, type.getDouble(block, position)));
                }
                if (javaType == io.airlift.slice.Slice.class) {
                    yield of((block, position) -> toPaimon(type, type.getSlice(block, position)));
                }
                yield of((block, position) -> toPaimon(type, type.getObject(block, position)));
            }
        };
    }

    /** A native value of a scalar type, as domains hold it, in Paimon's form. */
    public static Object toPaimon(Type type, Object value)
    {
        if (type == BOOLEAN || type == BIGINT || type == DOUBLE) {
            return value;
        }
        if (type == TINYINT) {
            return (byte) (long) value;
        }
        if (type == SMALLINT) {
            return (short) (long) value;
        }
        if (type == INTEGER || type == DATE) {
            return toIntExact((long) value);
        }
        if (type == REAL) {
            return Float.intBitsToFloat(toIntExact((long) value));
        }
        if (type == VARBINARY) {
            return ((io.airlift.slice.Slice) value).getBytes();
        }
        return switch (type) {
            case VarcharType _,CharType _ -> BinaryString.fromBytes(((io.airlift.slice.Slice) value).getBytes());
            case DecimalType decimal when decimal.isShort() -> Decimal.fromUnscaledLong((long) value, decimal.getPrecision(), decimal.getScale());
            case DecimalType decimal -> Decimal.fromBigDecimal(
                    new BigDecimal(((Int128) value).toBigInteger(), decimal.getScale()), decimal.getPrecision(), decimal.getScale());
            case io.trino.spi.type.TimeType _ -> toIntExact((long) value / PICOSECONDS_PER_MILLISECOND);
            case TimestampType timestamp when timestamp.isShort() -> fromMicros((long) value, 0);
            case TimestampType _ ->
                fromMicros(((LongTimestamp) value).getEpochMicros(), ((LongTimestamp) value).getPicosOfMicro() / PICOSECONDS_PER_NANOSECOND);
            case TimestampWithTimeZoneType timestamp when timestamp.isShort() -> Timestamp.fromEpochMillis(unpackMillisUtc((long) value));
            case TimestampWithTimeZoneType _ -> Timestamp.fromEpochMillis(
                    ((LongTimestampWithTimeZone) value).getEpochMillis(),
                    ((LongTimestampWithTimeZone) value).getPicosOfMilli() / PICOSECONDS_PER_NANOSECOND);
            default -> throw new TrinoException(NOT_SUPPORTED, "Unsupported type: " + type.getDisplayName());
        };
    }

    private static Timestamp fromMicros(long micros, int nanosOfMicro)
    {
        return Timestamp.fromEpochMillis(
                floorDiv(micros, (long) MICROSECONDS_PER_MILLISECOND),
                floorMod(micros, (int) MICROSECONDS_PER_MILLISECOND) * (int) NANOSECONDS_PER_MICROSECOND + nanosOfMicro);
    }
}
