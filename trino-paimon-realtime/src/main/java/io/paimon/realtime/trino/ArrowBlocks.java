package io.paimon.realtime.trino;

import static io.airlift.slice.Slices.wrappedBuffer;
import static io.trino.spi.type.Chars.truncateToLengthAndTrimSpaces;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static java.lang.Math.toIntExact;
import static java.nio.ByteOrder.nativeOrder;
import static org.apache.arrow.memory.util.MemoryUtil.copyFromMemory;
import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;
import static org.apache.arrow.memory.util.MemoryUtil.getShort;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.lang.Math.multiplyExact;
import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ShortArrayBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.BooleanType;
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
import org.apache.arrow.vector.BaseVariableWidthVector;
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
    /** Values up to this length are copied byte by byte, longer ones by a call. */
    private static final int SHORT_VALUE = 16;

    private ArrowBlocks()
    {}

    /**
     * Chosen rows of vectors.
     *
     * @param positions the rows are {@code positions[from .. from + count)}; null when they are {@code [from, from + count)} themselves
     */
    record Rows(int[] positions, int from, int count)
    {
        int get(int i)
        {
            return positions == null ? from + i : positions[from + i];
        }

        boolean isRange()
        {
            return positions == null;
        }

        /** Those of these rows. */
        Rows select(int[] selected, int offset, int size)
        {
            int[] chosen = new int[size];
            for (int i = 0; i < size; i++) {
                chosen[i] = get(selected[offset + i]);
            }
            return new Rows(chosen, 0, size);
        }
    }

    /**
     * A column with its number of NULLs, which Arrow counts anew each time it is asked.
     */
    record Column(FieldVector vector, int nullCount)
    {
        Column
        {
            requireNonNull(vector, "vector is null");
        }

        static Column of(FieldVector vector)
        {
            return new Column(vector, vector.getNullCount());
        }
    }

    /** Rows of a column as a block. The vector must be held: its memory is read by address. */
    static Block toBlock(Column column, Rows rows, DataType paimonType, Type type)
    {
        FieldVector vector = column.vector();
        int count = rows.count();
        if (column.nullCount() == vector.getValueCount()) {
            return RunLengthEncodedBlock.create(type.createNullBlock(), count);
        }
        long[] validity = validity(column, rows);
        return switch (vector) {
            case BigIntVector longs when type instanceof BigintType -> longs(longs, rows, validity);
            case Float8Vector doubles when type instanceof DoubleType -> longs(doubles, rows, validity);
            case TimeStampMicroVector micros when type instanceof TimestampType timestamp && timestamp.isShort() -> longs(micros, rows, validity);
            case TimeStampMilliVector millis when type instanceof TimestampType timestamp && timestamp.isShort() -> micros(millis, rows, validity);
            case IntVector ints when type instanceof IntegerType -> ints(ints, rows, validity);
            case DateDayVector days when type instanceof DateType -> ints(days, rows, validity);
            case Float4Vector floats when type instanceof RealType -> ints(floats, rows, validity);
            case SmallIntVector shorts when type instanceof SmallintType -> shorts(shorts, rows, validity);
            case TinyIntVector bytes when type instanceof TinyintType -> bytes(bytes, rows, validity);
            case BitVector bits when type instanceof BooleanType -> booleans(bits, rows, validity);
            case DecimalVector decimals when type instanceof DecimalType decimal ->
                decimal.isShort() ? shortDecimals(decimals, rows, validity) : longDecimals(decimals, rows, validity);
            case VarCharVector text when type instanceof VarcharType -> values(text, rows, validity);
            case VarBinaryVector binary when type instanceof VarbinaryType -> values(binary, rows, validity);
            default -> {
                BlockBuilder builder = type.createBlockBuilder(null, count);
                for (int i = 0; i < count; i++) {
                    append(builder, vector, rows.get(i), paimonType, type);
                }
                yield builder.build();
            }
        };
    }

    private static Block longs(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        if (rows.isRange()) {
            vector.getDataBuffer().nioBuffer((long) rows.from() * Long.BYTES, count * Long.BYTES).order(nativeOrder()).asLongBuffer().get(values);
        }
        else {
            long address = vector.getDataBufferAddress();
            for (int i = 0; i < count; i++) {
                values[i] = getLong(address + (long) rows.get(i) * Long.BYTES);
            }
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block micros(FieldVector millis, Rows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        long address = millis.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            // what lies under a NULL may be out of range
            if (isValid(validity, i)) {
                values[i] = TimestampRange.micros(getLong(address + (long) rows.get(i) * Long.BYTES), 0);
            }
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block ints(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        int[] values = new int[count];
        if (rows.isRange()) {
            vector.getDataBuffer().nioBuffer((long) rows.from() * Integer.BYTES, count * Integer.BYTES).order(nativeOrder()).asIntBuffer()
                    .get(values);
        }
        else {
            long address = vector.getDataBufferAddress();
            for (int i = 0; i < count; i++) {
                values[i] = getInt(address + (long) rows.get(i) * Integer.BYTES);
            }
        }
        return new IntArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block shorts(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        short[] values = new short[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = getShort(address + (long) rows.get(i) * Short.BYTES);
        }
        return new ShortArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block bytes(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        byte[] values = new byte[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = getByte(address + rows.get(i));
        }
        return new ByteArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block booleans(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        byte[] values = new byte[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = (byte) bit(address, rows.get(i));
        }
        return new ByteArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block shortDecimals(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = getLong(address + (long) rows.get(i) * DecimalVector.TYPE_WIDTH);
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block longDecimals(FieldVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        // Trino has the high half first
        long[] values = new long[count * 2];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            long position = address + (long) rows.get(i) * DecimalVector.TYPE_WIDTH;
            values[2 * i] = getLong(position + Long.BYTES);
            values[2 * i + 1] = getLong(position);
        }
        return new Int128ArrayBlock(count, Optional.ofNullable(validity), values);
    }

    private static Block values(BaseVariableWidthVector vector, Rows rows, long[] validity)
    {
        int count = rows.count();
        int[] ends = new int[count + 1];
        long offsets = vector.getOffsetBufferAddress();
        if (rows.isRange() && validity == null) {
            vector.getOffsetBuffer().nioBuffer((long) rows.from() * Integer.BYTES, ends.length * Integer.BYTES).order(nativeOrder()).asIntBuffer()
                    .get(ends);
            int start = ends[0];
            for (int i = 0; i < ends.length; i++) {
                ends[i] -= start;
            }
            byte[] bytes = new byte[ends[count]];
            vector.getDataBuffer().getBytes(start, bytes, 0, bytes.length);
            return new VariableWidthBlock(count, wrappedBuffer(bytes), ends, Optional.ofNullable(validity));
        }
        long total = 0;
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                long offset = offsets + (long) rows.get(i) * Integer.BYTES;
                total += getInt(offset + Integer.BYTES) - getInt(offset);
            }
            ends[i + 1] = toIntExact(total);
        }
        byte[] bytes = new byte[ends[count]];
        long data = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            int length = ends[i + 1] - ends[i];
            if (length > 0) {
                copyValue(data + getInt(offsets + (long) rows.get(i) * Integer.BYTES), bytes, ends[i], length);
            }
        }
        return new VariableWidthBlock(count, wrappedBuffer(bytes), ends, Optional.ofNullable(validity));
    }

    private static void copyValue(long address, byte[] target, int at, int length)
    {
        if (length > SHORT_VALUE) {
            copyFromMemory(address, target, at, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            target[at + i] = getByte(address + i);
        }
    }

    /** Bit set = value, as Trino and Arrow both have it; null if there is no NULL. */
    private static long[] validity(Column column, Rows rows)
    {
        if (column.nullCount() == 0) {
            return null;
        }
        int count = rows.count();
        long[] valid = new long[(count + 63) / 64];
        long address = column.vector().getValidityBufferAddress();
        for (int i = 0; i < count; i++) {
            valid[i >> 6] |= bit(address, rows.get(i)) << i;
        }
        return valid;
    }

    private static boolean isValid(long[] validity, int i)
    {
        return validity == null || (validity[i >> 6] >>> i & 1) != 0;
    }

    private static long bit(long address, int position)
    {
        return getByte(address + (position >> 3)) >> (position & 7) & 1;
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
                zoned.writeLong(builder, packDateTimeWithZone(TimestampRange.checkZoned(epochMillis), UTC_KEY));
            }
            else {
                zoned.writeObject(builder, LongTimestampWithTimeZone.fromEpochMillisAndFraction(TimestampRange.checkZoned(epochMillis),
                        nanosOfMilli * PICOS_PER_NANO, UTC_KEY));
            }
            return;
        }
        TimestampType timestamp = (TimestampType) type;
        long micros = TimestampRange.micros(epochMillis, nanosOfMilli / 1_000);
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
