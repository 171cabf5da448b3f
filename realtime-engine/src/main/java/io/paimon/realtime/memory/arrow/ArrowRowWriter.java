package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
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
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.RowType;

/**
 * Writes Paimon rows into canonical vectors, row by row. Values are stored as they are; only timestamps lose what their precision does not hold.
 * Nothing is checked: rows of clients go through {@link ArrowBatchNormalizer}.
 *
 * <p>Not thread-safe. After an exception the writer can only be closed.
 */
public final class ArrowRowWriter implements AutoCloseable
{
    private final VectorSchemaRoot root;
    private final ValueWriter[] columns;
    private int rowCount;
    private boolean finished;

    /**
     * @throws io.paimon.realtime.model.RealtimeException INVALID_ARGUMENT if a type is not supported in memory
     */
    public ArrowRowWriter(RowType rowType, BufferAllocator allocator)
    {
        root = VectorSchemaRoot.create(ArrowSchemas.toArrowSchema(requireNonNull(rowType, "rowType is null")), allocator);
        columns = writers(root.getFieldVectors(), rowType.getFieldTypes());
    }

    /** Appends one row with as many fields as the row type. */
    public void append(InternalRow row)
    {
        if (finished) {
            throw new IllegalStateException("Writer is finished");
        }
        writeFields(columns, row, rowCount);
        rowCount++;
    }

    /** Rows appended. */
    public int rowCount()
    {
        return rowCount;
    }

    /** Bytes that the values appended take; the buffers may be up to twice as large. */
    public long sizeInBytes()
    {
        long bytes = 0;
        for (FieldVector vector : root.getFieldVectors()) {
            bytes += sizeInBytes(vector, rowCount);
        }
        return bytes;
    }

    private static long sizeInBytes(FieldVector vector, int count)
    {
        return switch (vector) {
            case BaseVariableWidthVector values ->
                lastOffset(values.getOffsetBuffer(), values.getLastSet()) + (long) count * BaseVariableWidthVector.OFFSET_WIDTH;
            case ListVector list -> sizeInBytes(list.getDataVector(), lastOffset(list.getOffsetBuffer(), list.getLastSet()))
                    + (long) count * ListVector.OFFSET_WIDTH;
            case StructVector struct -> struct.getChildrenFromFields().stream().mapToLong(child -> sizeInBytes(child, count)).sum();
            case BaseFixedWidthVector values -> (long) count * values.getTypeWidth();
            default -> throw new IllegalArgumentException("Not a canonical vector: " + vector.getField());
        };
    }

    private static int lastOffset(ArrowBuf offsets, int lastSet)
    {
        return lastSet < 0 ? 0 : offsets.getInt((lastSet + 1) * (long) BaseVariableWidthVector.OFFSET_WIDTH);
    }

    /** Everything appended, as one batch that the caller closes. Nothing can be appended any more. */
    public VectorSchemaRoot finish()
    {
        if (finished) {
            throw new IllegalStateException("Writer is finished");
        }
        root.setRowCount(rowCount);
        finished = true;
        return root;
    }

    /** Frees what was appended unless {@link #finish} has given it away. */
    @Override
    public void close()
    {
        if (!finished) {
            finished = true;
            root.close();
        }
    }

    /** Writer of single values to a canonical vector; values must be written in ascending order of their index. */
    static ValueWriter writer(FieldVector vector, DataType type)
    {
        ValueWriter values = notNullWriter(vector, type);
        return (from, field, index) -> {
            if (from.isNullAt(field)) {
                setNull(vector, index);
            }
            else {
                values.write(from, field, index);
            }
        };
    }

    private static ValueWriter notNullWriter(FieldVector vector, DataType type)
    {
        return switch (vector) {
            case BitVector bits -> (from, field, index) -> bits.setSafe(index, from.getBoolean(field) ? 1 : 0);
            case TinyIntVector ints -> (from, field, index) -> ints.setSafe(index, from.getByte(field));
            case SmallIntVector ints -> (from, field, index) -> ints.setSafe(index, from.getShort(field));
            case IntVector ints -> (from, field, index) -> ints.setSafe(index, from.getInt(field));
            case BigIntVector longs -> (from, field, index) -> longs.setSafe(index, from.getLong(field));
            case Float4Vector floats -> (from, field, index) -> floats.setSafe(index, from.getFloat(field));
            case Float8Vector doubles -> (from, field, index) -> doubles.setSafe(index, from.getDouble(field));
            case DateDayVector dates -> (from, field, index) -> dates.setSafe(index, from.getInt(field));
            case TimeMilliVector times -> (from, field, index) -> times.setSafe(index, from.getInt(field));
            case DecimalVector decimals -> {
                DecimalType decimal = (DecimalType) type;
                yield (from, field, index) -> decimals.setSafe(index,
                        from.getDecimal(field, decimal.getPrecision(), decimal.getScale()).toBigDecimal());
            }
            case TimeStampVector timestamps -> {
                int precision = ArrowSchemas.timestampPrecision(type);
                yield (from, field, index) -> {
                    Timestamp timestamp = from.getTimestamp(field, precision);
                    timestamps.setSafe(index, precision <= 3 ? timestamp.getMillisecond() : timestamp.toMicros());
                };
            }
            case FixedSizeBinaryVector timestamps -> {
                int precision = ArrowSchemas.timestampPrecision(type);
                yield (from, field, index) -> writeWideTimestamp(timestamps, index, from.getTimestamp(field, precision));
            }
            case VarCharVector strings -> (from, field, index) -> strings.setSafe(index, from.getString(field).toBytes());
            case VarBinaryVector bytes -> (from, field, index) -> bytes.setSafe(index, from.getBinary(field));
            case MapVector map -> mapWriter(map, type);
            case ListVector list -> listWriter(list, (ArrayType) type);
            case StructVector struct -> {
                RowType row = (RowType) type;
                ValueWriter[] fields = writers(struct.getChildrenFromFields(), row.getFieldTypes());
                yield (from, field, index) -> {
                    struct.setIndexDefined(index);
                    writeFields(fields, from.getRow(field, fields.length), index);
                };
            }
            default -> throw new IllegalArgumentException("Not a canonical vector: " + vector.getField());
        };
    }

    private static ValueWriter[] writers(List<FieldVector> vectors, List<DataType> types)
    {
        List<ValueWriter> writers = new ArrayList<>(types.size());
        for (int i = 0; i < types.size(); i++) {
            writers.add(writer(vectors.get(i), types.get(i)));
        }
        return writers.toArray(ValueWriter[]::new);
    }

    private static void writeFields(ValueWriter[] fields, InternalRow row, int index)
    {
        for (int i = 0; i < fields.length; i++) {
            fields[i].write(row, i, index);
        }
    }

    private static ValueWriter listWriter(ListVector list, ArrayType type)
    {
        ValueWriter elements = writer(list.getDataVector(), type.getElementType());
        return (from, field, index) -> {
            InternalArray array = from.getArray(field);
            int start = list.startNewValue(index);
            for (int i = 0; i < array.size(); i++) {
                elements.write(array, i, start + i);
            }
            list.endValue(index, array.size());
        };
    }

    private static ValueWriter mapWriter(MapVector vector, DataType type)
    {
        StructVector entries = (StructVector) vector.getDataVector();
        ValueWriter keyWriter = writer(entries.getChildrenFromFields().get(0), ArrowSchemas.mapKeyType(type));
        ValueWriter valueWriter = writer(entries.getChildrenFromFields().get(1), ArrowSchemas.mapValueType(type));
        return (from, field, index) -> {
            InternalMap map = from.getMap(field);
            InternalArray keys = map.keyArray();
            InternalArray values = map.valueArray();
            int start = vector.startNewValue(index);
            for (int i = 0; i < map.size(); i++) {
                entries.setIndexDefined(start + i);
                keyWriter.write(keys, i, start + i);
                valueWriter.write(values, i, start + i);
            }
            vector.endValue(index, map.size());
        };
    }

    private static void writeWideTimestamp(FixedSizeBinaryVector vector, int index, Timestamp timestamp)
    {
        while (index >= vector.getValueCapacity()) {
            vector.reAlloc();
        }
        vector.setIndexDefined(index);
        long position = (long) index * ArrowSchemas.WIDE_TIMESTAMP_BYTES;
        vector.getDataBuffer().setLong(position, timestamp.getMillisecond());
        vector.getDataBuffer().setInt(position + 8, timestamp.getNanoOfMillisecond());
    }

    private static void setNull(FieldVector vector, int index)
    {
        switch (vector) {
            // its children need a value, too, for their value count is the row's
            case StructVector struct -> {
                struct.setNull(index);
                struct.getChildrenFromFields().forEach(child -> setNull(child, index));
            }
            case ListVector list -> list.setNull(index);
            default -> vector.setNull(index);
        }
    }

    /** Writes one value. */
    @FunctionalInterface
    interface ValueWriter
    {
        /** Writes field {@code field} of {@code from} to position {@code index} of the vector. */
        void write(DataGetters from, int field, int index);
    }
}
