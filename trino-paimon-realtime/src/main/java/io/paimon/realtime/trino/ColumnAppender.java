package io.paimon.realtime.trino;

import io.airlift.slice.Slices;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.MapType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.columnar.ArrayColumnVector;
import org.apache.paimon.data.columnar.BooleanColumnVector;
import org.apache.paimon.data.columnar.ByteColumnVector;
import org.apache.paimon.data.columnar.BytesColumnVector;
import org.apache.paimon.data.columnar.ColumnVector;
import org.apache.paimon.data.columnar.DecimalColumnVector;
import org.apache.paimon.data.columnar.DoubleColumnVector;
import org.apache.paimon.data.columnar.FloatColumnVector;
import org.apache.paimon.data.columnar.IntColumnVector;
import org.apache.paimon.data.columnar.LongColumnVector;
import org.apache.paimon.data.columnar.MapColumnVector;
import org.apache.paimon.data.columnar.RowColumnVector;
import org.apache.paimon.data.columnar.ShortColumnVector;
import org.apache.paimon.data.columnar.TimestampColumnVector;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.VarCharType;

import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.Chars.truncateToLengthAndTrimSpaces;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;

/**
 * Appends values of one Paimon type to a block, from rows or from column vectors.
 */
abstract class ColumnAppender
{
    /** Appends the value of a field, which may be null. */
    final void append(DataGetters row, int field, BlockBuilder out)
    {
        if (row.isNullAt(field)) {
            out.appendNull();
        }
        else {
            appendValue(row, field, out);
        }
    }

    /** Appends the first {@code rows} values of a vector. */
    final void append(ColumnVector vector, int rows, BlockBuilder out)
    {
        for (int row = 0; row < rows; row++) {
            if (vector.isNullAt(row)) {
                out.appendNull();
            }
            else {
                appendValue(vector, row, out);
            }
        }
    }

    protected abstract void appendValue(DataGetters row, int field, BlockBuilder out);

    protected abstract void appendValue(ColumnVector vector, int row, BlockBuilder out);

    /** The appender from a Paimon type to its counterpart as {@link PaimonTypes#toTrino} gives it. */
    static ColumnAppender create(DataType dataType, Type type)
    {
        return switch (dataType) {
            case org.apache.paimon.types.BooleanType _ -> new BooleanAppender(type);
            case org.apache.paimon.types.TinyIntType _ -> new TinyintAppender(type);
            case org.apache.paimon.types.SmallIntType _ -> new SmallintAppender(type);
            case org.apache.paimon.types.IntType _,org.apache.paimon.types.DateType _ -> new IntegerAppender(type, 1);
            case org.apache.paimon.types.TimeType _ -> new IntegerAppender(type, PICOSECONDS_PER_MILLISECOND);
            case org.apache.paimon.types.BigIntType _ -> new BigintAppender(type);
            case org.apache.paimon.types.FloatType _ -> new RealAppender(type);
            case org.apache.paimon.types.DoubleType _ -> new DoubleAppender(type);
            case org.apache.paimon.types.DecimalType _ -> new DecimalAppender((DecimalType) type);
            case org.apache.paimon.types.CharType _ when type instanceof CharType charType -> new CharAppender(charType);
            case org.apache.paimon.types.CharType _,VarCharType _ -> new StringAppender(type);
            case org.apache.paimon.types.BinaryType _,org.apache.paimon.types.VarBinaryType _ -> new BinaryAppender(type);
            case org.apache.paimon.types.TimestampType timestamp -> new TimestampAppender((TimestampType) type, timestamp.getPrecision());
            case LocalZonedTimestampType timestamp -> new InstantAppender((TimestampWithTimeZoneType) type, timestamp.getPrecision());
            case org.apache.paimon.types.ArrayType array -> new ArrayAppender(create(array.getElementType(), ((ArrayType) type).getElementType()));
            case MultisetType multiset -> new MapAppender(
                    create(multiset.getElementType(), ((MapType) type).getKeyType()),
                    new IntegerAppender(((MapType) type).getValueType(), 1));
            case org.apache.paimon.types.MapType map -> new MapAppender(
                    create(map.getKeyType(), ((MapType) type).getKeyType()),
                    create(map.getValueType(), ((MapType) type).getValueType()));
            case RowType row -> new RowAppender(IntStream.range(0, row.getFieldCount())
                    .mapToObj(field -> create(row.getTypeAt(field), ((io.trino.spi.type.RowType) type).getFields().get(field).getType()))
                    .collect(toImmutableList()));
            default -> throw new IllegalArgumentException("No appender for " + dataType);
        };
    }

    private static final class BooleanAppender extends ColumnAppender
    {
        private final Type type;

        private BooleanAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeBoolean(out, row.getBoolean(field));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeBoolean(out, ((BooleanColumnVector) vector).getBoolean(row));
        }
    }

    private static final class TinyintAppender extends ColumnAppender
    {
        private final Type type;

        private TinyintAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getByte(field));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((ByteColumnVector) vector).getByte(row));
        }
    }

    private static final class SmallintAppender extends ColumnAppender
    {
        private final Type type;

        private SmallintAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getShort(field));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((ShortColumnVector) vector).getShort(row));
        }
    }

    private static final class IntegerAppender extends ColumnAppender
    {
        private final Type type;
        private final long factor;

        private IntegerAppender(Type type, long factor)
        {
            this.type = type;
            this.factor = factor;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getInt(field) * factor);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((IntColumnVector) vector).getInt(row) * factor);
        }
    }

    private static final class BigintAppender extends ColumnAppender
    {
        private final Type type;

        private BigintAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getLong(field));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((LongColumnVector) vector).getLong(row));
        }
    }

    private static final class RealAppender extends ColumnAppender
    {
        private final Type type;

        private RealAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, Float.floatToRawIntBits(row.getFloat(field)));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, Float.floatToRawIntBits(((FloatColumnVector) vector).getFloat(row)));
        }
    }

    private static final class DoubleAppender extends ColumnAppender
    {
        private final Type type;

        private DoubleAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeDouble(out, row.getDouble(field));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeDouble(out, ((DoubleColumnVector) vector).getDouble(row));
        }
    }

    private static final class DecimalAppender extends ColumnAppender
    {
        private final DecimalType type;

        private DecimalAppender(DecimalType type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getDecimal(field, type.getPrecision(), type.getScale()), out);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((DecimalColumnVector) vector).getDecimal(row, type.getPrecision(), type.getScale()), out);
        }

        private void append(Decimal value, BlockBuilder out)
        {
            if (value == null) {
                // Paimon gives null for a value that does not fit the declared precision
                out.appendNull();
            }
            else if (type.isShort()) {
                type.writeLong(out, value.toUnscaledLong());
            }
            else {
                type.writeObject(out, Int128.valueOf(value.toBigDecimal().unscaledValue()));
            }
        }
    }

    private static final class StringAppender extends ColumnAppender
    {
        private final Type type;

        private StringAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeSlice(out, Slices.wrappedBuffer(row.getString(field).toBytes()));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            BytesColumnVector.Bytes bytes = ((BytesColumnVector) vector).getBytes(row);
            type.writeSlice(out, Slices.wrappedBuffer(bytes.data, bytes.offset, bytes.len));
        }
    }

    /** Paimon neither pads nor cuts CHAR; Trino's blocks hold it without trailing spaces. */
    private static final class CharAppender extends ColumnAppender
    {
        private final CharType type;

        private CharAppender(CharType type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            BinaryString value = row.getString(field);
            type.writeSlice(out, truncateToLengthAndTrimSpaces(Slices.wrappedBuffer(value.toBytes()), type));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            BytesColumnVector.Bytes bytes = ((BytesColumnVector) vector).getBytes(row);
            type.writeSlice(out, truncateToLengthAndTrimSpaces(Slices.wrappedBuffer(bytes.data, bytes.offset, bytes.len), type));
        }
    }

    private static final class BinaryAppender extends ColumnAppender
    {
        private final Type type;

        private BinaryAppender(Type type)
        {
            this.type = type;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeSlice(out, Slices.wrappedBuffer(row.getBinary(field)));
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            BytesColumnVector.Bytes bytes = ((BytesColumnVector) vector).getBytes(row);
            type.writeSlice(out, Slices.wrappedBuffer(bytes.data, bytes.offset, bytes.len));
        }
    }

    private static final class TimestampAppender extends ColumnAppender
    {
        private final TimestampType type;
        private final int precision;
        /** What a number of nanoseconds in a millisecond is a multiple of in this precision. */
        private final int nanosUnit;
        private final int millisUnit;

        private TimestampAppender(TimestampType type, int precision)
        {
            this.type = type;
            this.precision = precision;
            this.nanosUnit = nanosUnit(precision);
            this.millisUnit = millisUnit(precision);
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getTimestamp(field, precision), out);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((TimestampColumnVector) vector).getTimestamp(row, precision), out);
        }

        private void append(Timestamp value, BlockBuilder out)
        {
            long millis = value.getMillisecond();
            millis -= Math.floorMod(millis, millisUnit);
            int nanos = value.getNanoOfMillisecond();
            nanos -= nanos % nanosUnit;
            long micros = TimestampRange.micros(millis, nanos / NANOSECONDS_PER_MICROSECOND);
            if (type.isShort()) {
                type.writeLong(out, micros);
            }
            else {
                type.writeObject(out, new LongTimestamp(micros, (nanos % NANOSECONDS_PER_MICROSECOND) * PICOSECONDS_PER_NANOSECOND));
            }
        }
    }

    private static final class InstantAppender extends ColumnAppender
    {
        private final TimestampWithTimeZoneType type;
        private final int precision;
        private final int nanosUnit;
        private final int millisUnit;

        private InstantAppender(TimestampWithTimeZoneType type, int precision)
        {
            this.type = type;
            this.precision = precision;
            this.nanosUnit = nanosUnit(precision);
            this.millisUnit = millisUnit(precision);
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getTimestamp(field, precision), out);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((TimestampColumnVector) vector).getTimestamp(row, precision), out);
        }

        private void append(Timestamp value, BlockBuilder out)
        {
            long millis = value.getMillisecond();
            millis -= Math.floorMod(millis, millisUnit);
            if (type.isShort()) {
                type.writeLong(out, packDateTimeWithZone(TimestampRange.checkZoned(millis), UTC_KEY));
            }
            else {
                int nanos = value.getNanoOfMillisecond();
                nanos -= nanos % nanosUnit;
                type.writeObject(out, LongTimestampWithTimeZone.fromEpochMillisAndFraction(TimestampRange.checkZoned(millis),
                        nanos * PICOSECONDS_PER_NANOSECOND, UTC_KEY));
            }
        }
    }

    private static int nanosUnit(int precision)
    {
        return switch (precision) {
            case 0, 1, 2, 3 -> 1_000_000;
            case 4 -> 100_000;
            case 5 -> 10_000;
            case 6 -> 1_000;
            case 7 -> 100;
            case 8 -> 10;
            default -> 1;
        };
    }

    private static int millisUnit(int precision)
    {
        return switch (precision) {
            case 0 -> 1000;
            case 1 -> 100;
            case 2 -> 10;
            default -> 1;
        };
    }

    private static final class ArrayAppender extends ColumnAppender
    {
        private final ColumnAppender elements;

        private ArrayAppender(ColumnAppender elements)
        {
            this.elements = elements;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getArray(field), out);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((ArrayColumnVector) vector).getArray(row), out);
        }

        private void append(InternalArray array, BlockBuilder out)
        {
            ((ArrayBlockBuilder) out).buildEntry(elementBuilder -> {
                for (int i = 0; i < array.size(); i++) {
                    elements.append(array, i, elementBuilder);
                }
            });
        }
    }

    private static final class MapAppender extends ColumnAppender
    {
        private final ColumnAppender keys;
        private final ColumnAppender values;

        private MapAppender(ColumnAppender keys, ColumnAppender values)
        {
            this.keys = keys;
            this.values = values;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getMap(field), out);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((MapColumnVector) vector).getMap(row), out);
        }

        private void append(InternalMap map, BlockBuilder out)
        {
            InternalArray keyArray = map.keyArray();
            InternalArray valueArray = map.valueArray();
            ((MapBlockBuilder) out).buildEntry((keyBuilder, valueBuilder) -> {
                for (int i = 0; i < map.size(); i++) {
                    keys.append(keyArray, i, keyBuilder);
                    values.append(valueArray, i, valueBuilder);
                }
            });
        }
    }

    private static final class RowAppender extends ColumnAppender
    {
        private final List<ColumnAppender> fields;

        private RowAppender(List<ColumnAppender> fields)
        {
            this.fields = fields;
        }

        @Override
        protected void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getRow(field, fields.size()), out);
        }

        @Override
        protected void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((RowColumnVector) vector).getRow(row), out);
        }

        private void append(InternalRow row, BlockBuilder out)
        {
            ((RowBlockBuilder) out).buildEntry(fieldBuilders -> {
                for (int i = 0; i < fields.size(); i++) {
                    fields.get(i).append(row, i, fieldBuilders.get(i));
                }
            });
        }
    }
}
