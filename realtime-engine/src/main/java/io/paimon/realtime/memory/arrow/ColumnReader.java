package io.paimon.realtime.memory.arrow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Reads single values of one canonical vector, and of its children. Holds no memory: valid as long as the vector is.
 */
final class ColumnReader
{
    private static final ColumnReader NULLS = new ColumnReader(true, null, null, null, 0, new ColumnReader[0]);

    private final boolean allNull;
    private final ArrowBuf validity;
    private final ArrowBuf data;
    private final ArrowBuf offsets;
    private final int timestampPrecision;
    private final ColumnReader[] children;

    private ColumnReader(boolean allNull, ArrowBuf validity, ArrowBuf data, ArrowBuf offsets, int timestampPrecision, ColumnReader[] children)
    {
        this.allNull = allNull;
        this.validity = validity;
        this.data = data;
        this.offsets = offsets;
        this.timestampPrecision = timestampPrecision;
        this.children = children;
    }

    /** Reader of a vector; null stands for a column of NULLs. Children of rows are found by field id, or by name if the vector carries no ids. */
    static ColumnReader create(FieldVector vector, DataType type)
    {
        if (vector == null) {
            return NULLS;
        }
        ArrowBuf validity = vector.getNullCount() == 0 ? null : vector.getValidityBuffer();
        return switch (vector) {
            case BaseFixedWidthVector fixed -> new ColumnReader(false, validity, fixed.getDataBuffer(), null, precision(type), null);
            case BaseVariableWidthVector variable -> new ColumnReader(false, validity, variable.getDataBuffer(), variable.getOffsetBuffer(), 0, null);
            case ListVector list -> new ColumnReader(false, validity, null, list.getOffsetBuffer(), 0, listChildren(list, type));
            case StructVector struct -> new ColumnReader(false, validity, null, null, 0, rowChildren(struct, (RowType) type));
            default -> throw new IllegalArgumentException("Not a canonical vector: " + vector.getField());
        };
    }

    /** The child with the field's id; by name only if the children carry no ids. Null if there is none. */
    static FieldVector child(StructVector struct, DataField field)
    {
        for (FieldVector child : struct.getChildrenFromFields()) {
            OptionalInt id = ArrowSchemas.optionalFieldId(child.getField());
            if (id.isPresent() ? id.getAsInt() == field.id() : child.getName().equals(field.name())) {
                return child;
            }
        }
        return null;
    }

    private static int precision(DataType type)
    {
        return switch (type.getTypeRoot()) {
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> ArrowSchemas.timestampPrecision(type);
            default -> 0;
        };
    }

    private static ColumnReader[] listChildren(ListVector list, DataType type)
    {
        if (type instanceof ArrayType array) {
            return new ColumnReader[]{create(list.getDataVector(), array.getElementType())};
        }
        List<FieldVector> entries = list.getDataVector().getChildrenFromFields();
        return new ColumnReader[]{create(entries.get(0), ArrowSchemas.mapKeyType(type)), create(entries.get(1), ArrowSchemas.mapValueType(type))};
    }

    private static ColumnReader[] rowChildren(StructVector struct, RowType type)
    {
        List<ColumnReader> children = new ArrayList<>(type.getFieldCount());
        for (DataField field : type.getFields()) {
            children.add(create(child(struct, field), field.type()));
        }
        return children.toArray(ColumnReader[]::new);
    }

    boolean isNull(int index)
    {
        return allNull || (validity != null && (validity.getByte(index >> 3) >> (index & 7) & 1) == 0);
    }

    boolean getBoolean(int index)
    {
        return (data.getByte(index >> 3) >> (index & 7) & 1) != 0;
    }

    byte getByte(int index)
    {
        return data.getByte(index);
    }

    short getShort(int index)
    {
        return data.getShort(2L * index);
    }

    int getInt(int index)
    {
        return data.getInt(4L * index);
    }

    long getLong(int index)
    {
        return data.getLong(8L * index);
    }

    float getFloat(int index)
    {
        return data.getFloat(4L * index);
    }

    double getDouble(int index)
    {
        return data.getDouble(8L * index);
    }

    byte[] getBytes(int index)
    {
        int start = start(index);
        byte[] bytes = new byte[end(index) - start];
        data.getBytes(start, bytes);
        return bytes;
    }

    BinaryString getString(int index)
    {
        return BinaryString.fromBytes(getBytes(index));
    }

    Decimal getDecimal(int index, int precision, int scale)
    {
        if (Decimal.isCompact(precision)) {
            return Decimal.fromUnscaledLong(data.getLong(16L * index), precision, scale);
        }
        byte[] bigEndian = new byte[16];
        data.getBytes(16L * index, bigEndian);
        for (int i = 0; i < 8; i++) {
            byte swapped = bigEndian[i];
            bigEndian[i] = bigEndian[15 - i];
            bigEndian[15 - i] = swapped;
        }
        return Decimal.fromBigDecimal(new BigDecimal(new BigInteger(bigEndian), scale), precision, scale);
    }

    /** By the precision the column was stored with, whatever precision is asked for. */
    Timestamp getTimestamp(int index)
    {
        if (timestampPrecision <= 3) {
            return Timestamp.fromEpochMillis(getLong(index));
        }
        if (timestampPrecision <= 6) {
            return Timestamp.fromMicros(getLong(index));
        }
        long position = (long) index * ArrowSchemas.WIDE_TIMESTAMP_BYTES;
        return Timestamp.fromEpochMillis(data.getLong(position), data.getInt(position + 8));
    }

    /** First position in the child of a list or map. */
    int start(int index)
    {
        return offsets.getInt(4L * index);
    }

    /** Position after the last in the child of a list or map. */
    int end(int index)
    {
        return offsets.getInt(4L * (index + 1));
    }

    ArrowArrayView getArray(int index)
    {
        int start = start(index);
        return new ArrowArrayView(children[0], start, end(index) - start);
    }

    ArrowMapView getMap(int index)
    {
        int start = start(index);
        int size = end(index) - start;
        return new ArrowMapView(new ArrowArrayView(children[0], start, size), new ArrowArrayView(children[1], start, size));
    }

    ArrowRowView getRow(int index)
    {
        return new ArrowRowView(children, index);
    }
}
