package io.paimon.realtime.trino;

import static io.airlift.slice.Slices.wrappedBuffer;
import static io.trino.spi.type.Chars.truncateToLengthAndTrimSpaces;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.lang.Math.multiplyExact;
import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.MapType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/**
 * One copy from the canonical Arrow form of Paimon rows into Trino's blocks, column by column.
 */
final class ArrowBlocks
{
    private static final long MICROS_PER_MILLI = 1_000;
    private static final long PICOS_PER_MILLI = 1_000_000_000;
    private static final int PICOS_PER_MICRO = 1_000_000;
    private static final int PICOS_PER_NANO = 1_000;

    private ArrowBlocks()
    {}

    /** A column of the batch as a block. */
    static Block toBlock(MemBatch batch, int column, DataType paimonType, Type type)
    {
        FieldVector vector = requireNonNull(batch.columns().get(column), "vector is null");
        int count = batch.rowCount();
        if (vector.getNullCount() == vector.getValueCount()) {
            return RunLengthEncodedBlock.create(type.createNullBlock(), count);
        }
        return switch (vector) {
            case BigIntVector longs when type instanceof BigintType -> longs(batch, longs);
            case IntVector ints when type instanceof IntegerType -> ints(batch, ints);
            case DateDayVector days when type instanceof DateType -> ints(batch, days);
            case VarCharVector text when type instanceof VarcharType -> bytes(batch, text, text.getOffsetBuffer(), text.getDataBuffer());
            case VarBinaryVector binary when type instanceof VarbinaryType -> bytes(batch, binary, binary.getOffsetBuffer(), binary.getDataBuffer());
            default -> {
                BlockBuilder builder = type.createBlockBuilder(null, count);
                for (int i = 0; i < count; i++) {
                    append(builder, vector, batch.position(i), paimonType, type);
                }
                yield builder.build();
            }
        };
    }

    private static Block longs(MemBatch batch, BigIntVector vector)
    {
        int count = batch.rowCount();
        long[] values = new long[count];
        ArrowBuf data = vector.getDataBuffer();
        if (batch.isRange()) {
            data.nioBuffer((long) batch.from() * Long.BYTES, count * Long.BYTES).order(java.nio.ByteOrder.nativeOrder()).asLongBuffer().get(values);
        }
        else {
            for (int i = 0; i < count; i++) {
                values[i] = data.getLong((long) batch.position(i) * Long.BYTES);
            }
        }
        return new LongArrayBlock(count, validity(batch, vector), values);
    }

    private static Block ints(MemBatch batch, FieldVector vector)
    {
        int count = batch.rowCount();
        int[] values = new int[count];
        ArrowBuf data = vector.getDataBuffer();
        if (batch.isRange()) {
            data.nioBuffer((long) batch.from() * Integer.BYTES, count * Integer.BYTES).order(java.nio.ByteOrder.nativeOrder()).asIntBuffer()
                    .get(values);
        }
        else {
            for (int i = 0; i < count; i++) {
                values[i] = data.getInt((long) batch.position(i) * Integer.BYTES);
            }
        }
        return new IntArrayBlock(count, validity(batch, vector), values);
    }

    private static Block bytes(MemBatch batch, FieldVector vector, ArrowBuf offsets, ArrowBuf data)
    {
        int count = batch.rowCount();
        int[] ends = new int[count + 1];
        long total = 0;
        for (int i = 0; i < count; i++) {
            long position = batch.position(i);
            if (!vector.isNull((int) position)) {
                total += offsets.getInt((position + 1) * Integer.BYTES) - offsets.getInt(position * Integer.BYTES);
            }
            ends[i + 1] = Math.toIntExact(total);
        }
        byte[] bytes = new byte[ends[count]];
        if (batch.isRange() && vector.getNullCount() == 0) {
            data.getBytes(offsets.getInt((long) batch.from() * Integer.BYTES), bytes, 0, bytes.length);
        }
        else {
            for (int i = 0; i < count; i++) {
                if (ends[i + 1] > ends[i]) {
                    data.getBytes(offsets.getInt((long) batch.position(i) * Integer.BYTES), bytes, ends[i], ends[i + 1] - ends[i]);
                }
            }
        }
        return new VariableWidthBlock(count, wrappedBuffer(bytes), ends, validity(batch, vector));
    }

    /** Bit set = value, as Trino and Arrow both have it. */
    private static Optional<long[]> validity(MemBatch batch, FieldVector vector)
    {
        if (vector.getNullCount() == 0) {
            return Optional.empty();
        }
        int count = batch.rowCount();
        long[] valid = new long[(count + 63) / 64];
        for (int i = 0; i < count; i++) {
            if (!vector.isNull(batch.position(i))) {
                valid[i >> 6] |= 1L << i;
            }
        }
        return Optional.of(valid);
    }

    private static void append(BlockBuilder builder, FieldVector vector, int position, DataType paimonType, Type type)
    {
        if (vector.isNull(position)) {
            builder.appendNull();
            return;
        }
        switch (vector) {
            case BitVector bits -> type.writeBoolean(builder, bits.get(position) != 0);
            case TinyIntVector bytes -> type.writeLong(builder, bytes.get(position));
            case SmallIntVector shorts -> type.writeLong(builder, shorts.get(position));
            case IntVector ints -> type.writeLong(builder, ints.get(position));
            case DateDayVector days -> type.writeLong(builder, days.get(position));
            case BigIntVector longs -> type.writeLong(builder, longs.get(position));
            case Float4Vector floats -> type.writeLong(builder, Float.floatToRawIntBits(floats.get(position)));
            case Float8Vector doubles -> type.writeDouble(builder, doubles.get(position));
            case DecimalVector decimals -> appendDecimal(builder, (DecimalType) type, decimals, position);
            case TimeMilliVector times -> type.writeLong(builder, multiplyExact(times.get(position), PICOS_PER_MILLI));
            case TimeStampMilliVector millis -> appendTimestamp(builder, type, millis.get(position), 0);
            case TimeStampMilliTZVector millis -> appendTimestamp(builder, type, millis.get(position), 0);
            case TimeStampMicroVector micros -> appendMicros(builder, type, micros.get(position));
            case TimeStampMicroTZVector micros -> appendMicros(builder, type, micros.get(position));
            case FixedSizeBinaryVector nanos -> {
                long start = (long) position * nanos.getByteWidth();
                appendTimestamp(builder, type, nanos.getDataBuffer().getLong(start), nanos.getDataBuffer().getInt(start + Long.BYTES));
            }
            case VarCharVector text -> {
                byte[] bytes = text.get(position);
                type.writeSlice(builder,
                        type instanceof CharType charType ? truncateToLengthAndTrimSpaces(wrappedBuffer(bytes), charType) : wrappedBuffer(bytes));
            }
            case VarBinaryVector binary -> type.writeSlice(builder, wrappedBuffer(binary.get(position)));
            case MapVector map -> appendMap((MapBlockBuilder) builder, map, position, paimonType, (MapType) type);
            case ListVector list -> {
                FieldVector elements = list.getDataVector();
                Type elementType = ((ArrayType) type).getElementType();
                DataType paimonElement = ((org.apache.paimon.types.ArrayType) paimonType).getElementType();
                ((ArrayBlockBuilder) builder).buildEntry(elementBuilder -> {
                    for (int i = list.getElementStartIndex(position); i < list.getElementEndIndex(position); i++) {
                        append(elementBuilder, elements, i, paimonElement, elementType);
                    }
                });
            }
            case StructVector struct ->
                appendRow((RowBlockBuilder) builder, struct, position, (RowType) paimonType, (io.trino.spi.type.RowType) type);
            default -> throw new IllegalArgumentException("Not a canonical vector: " + vector.getField());
        }
    }

    private static void appendDecimal(BlockBuilder builder, DecimalType type, DecimalVector decimals, int position)
    {
        if (type.isShort()) {
            type.writeLong(builder, decimals.getDataBuffer().getLong((long) position * DecimalVector.TYPE_WIDTH));
            return;
        }
        long start = (long) position * DecimalVector.TYPE_WIDTH;
        type.writeObject(builder, Int128.valueOf(decimals.getDataBuffer().getLong(start + Long.BYTES), decimals.getDataBuffer().getLong(start)));
    }

    private static void appendMicros(BlockBuilder builder, Type type, long micros)
    {
        appendTimestamp(builder, type, floorDiv(micros, MICROS_PER_MILLI), (int) floorMod(micros, MICROS_PER_MILLI) * 1_000);
    }

    private static void appendTimestamp(BlockBuilder builder, Type type, long epochMillis, int nanosOfMilli)
    {
        if (type instanceof TimestampWithTimeZoneType zoned) {
            if (zoned.isShort()) {
                zoned.writeLong(builder, packDateTimeWithZone(epochMillis, UTC_KEY));
            }
            else {
                zoned.writeObject(builder, LongTimestampWithTimeZone.fromEpochMillisAndFraction(epochMillis, nanosOfMilli * PICOS_PER_NANO, UTC_KEY));
            }
            return;
        }
        TimestampType timestamp = (TimestampType) type;
        long micros = multiplyExact(epochMillis, MICROS_PER_MILLI) + nanosOfMilli / 1_000;
        if (timestamp.isShort()) {
            timestamp.writeLong(builder, micros);
        }
        else {
            timestamp.writeObject(builder, new LongTimestamp(micros, nanosOfMilli % 1_000 * (PICOS_PER_MICRO / 1_000)));
        }
    }

    private static void appendMap(MapBlockBuilder builder, MapVector map, int position, DataType paimonType, MapType type)
    {
        StructVector entries = (StructVector) map.getDataVector();
        FieldVector keys = (FieldVector) entries.getChildByOrdinal(0);
        FieldVector values = (FieldVector) entries.getChildByOrdinal(1);
        DataType paimonKey;
        DataType paimonValue;
        if (paimonType instanceof MultisetType multiset) {
            paimonKey = multiset.getElementType();
            paimonValue = new org.apache.paimon.types.IntType(false);
        }
        else {
            paimonKey = ((org.apache.paimon.types.MapType) paimonType).getKeyType();
            paimonValue = ((org.apache.paimon.types.MapType) paimonType).getValueType();
        }
        builder.buildEntry((keyBuilder, valueBuilder) -> {
            for (int i = map.getElementStartIndex(position); i < map.getElementEndIndex(position); i++) {
                append(keyBuilder, keys, i, paimonKey, type.getKeyType());
                append(valueBuilder, values, i, paimonValue, type.getValueType());
            }
        });
    }

    private static void appendRow(RowBlockBuilder builder, StructVector struct, int position, RowType paimonType, io.trino.spi.type.RowType type)
    {
        List<FieldVector> children = struct.getChildrenFromFields();
        List<DataField> fields = paimonType.getFields();
        builder.buildEntry(fieldBuilders -> {
            for (int i = 0; i < fields.size(); i++) {
                int id = fields.get(i).id();
                FieldVector child = null;
                for (FieldVector candidate : children) {
                    if (ArrowSchemas.fieldId(candidate.getField()) == id) {
                        child = candidate;
                    }
                }
                if (child == null) {
                    fieldBuilders.get(i).appendNull();
                }
                else {
                    append(fieldBuilders.get(i), child, position, fields.get(i).type(), type.getFields().get(i).getType());
                }
            }
        });
    }
}
