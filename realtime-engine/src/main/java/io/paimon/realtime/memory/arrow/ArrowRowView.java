package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Blob;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.InternalVector;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/**
 * A row of canonical vectors, read in place: set the position, then read the fields. One object serves all rows of a batch; it keeps no memory and
 * is valid as long as the vectors are. Strings and bytes it returns are copies; arrays, maps and rows are views on their own that do not move with it.
 *
 * <p>If the last column is {@link SpecialFields#VALUE_KIND} it is no field of the row but the row's kind.
 *
 * <p>Not thread-safe.
 */
public final class ArrowRowView implements InternalRow
{
    private final ColumnReader[] columns;
    /** Null where all rows are inserts. */
    private final ColumnReader kinds;
    private final int fieldCount;
    private int position;
    /** Null for the one that the columns say. */
    private RowKind rowKind;

    /**
     * @param columns canonical vectors in the order of the type's fields; null stands for a column of NULLs. The vectors' own types must be those of the fields,
     *         only rows inside may have more fields, fewer (read as NULL) or another order: they are found by their id
     */
    public ArrowRowView(List<? extends FieldVector> columns, RowType rowType)
    {
        if (columns.size() != rowType.getFieldCount()) {
            throw new IllegalArgumentException("%s columns for %s fields".formatted(columns.size(), rowType.getFieldCount()));
        }
        this.columns = new ColumnReader[columns.size()];
        for (int i = 0; i < this.columns.length; i++) {
            this.columns[i] = ColumnReader.create(columns.get(i), rowType.getTypeAt(i));
        }
        boolean hasKind = !columns.isEmpty() && RowKindColumn.is(rowType.getFields().getLast());
        this.kinds = hasKind ? this.columns[columns.size() - 1] : null;
        this.fieldCount = hasKind ? columns.size() - 1 : columns.size();
    }

    /** View of a canonical batch of exactly that row type. */
    public ArrowRowView(VectorSchemaRoot root, RowType rowType)
    {
        this(root.getFieldVectors(), rowType);
    }

    ArrowRowView(ColumnReader[] columns, int position)
    {
        this.columns = columns;
        this.kinds = null;
        this.fieldCount = columns.length;
        this.position = position;
    }

    /** Moves to a position of the vectors; not checked. Returns this. */
    public ArrowRowView setPosition(int position)
    {
        this.position = position;
        return this;
    }

    /** Position in the vectors. */
    public int position()
    {
        return position;
    }

    @Override
    public int getFieldCount()
    {
        return fieldCount;
    }

    @Override
    public RowKind getRowKind()
    {
        if (rowKind != null) {
            return rowKind;
        }
        return kinds == null ? RowKind.INSERT : RowKind.fromByteValue(kinds.getByte(position));
    }

    @Override
    public void setRowKind(RowKind rowKind)
    {
        this.rowKind = requireNonNull(rowKind, "rowKind is null");
    }

    @Override
    public boolean isNullAt(int field)
    {
        return columns[field].isNull(position);
    }

    @Override
    public boolean getBoolean(int field)
    {
        return columns[field].getBoolean(position);
    }

    @Override
    public byte getByte(int field)
    {
        return columns[field].getByte(position);
    }

    @Override
    public short getShort(int field)
    {
        return columns[field].getShort(position);
    }

    @Override
    public int getInt(int field)
    {
        return columns[field].getInt(position);
    }

    @Override
    public long getLong(int field)
    {
        return columns[field].getLong(position);
    }

    @Override
    public float getFloat(int field)
    {
        return columns[field].getFloat(position);
    }

    @Override
    public double getDouble(int field)
    {
        return columns[field].getDouble(position);
    }

    @Override
    public BinaryString getString(int field)
    {
        return columns[field].getString(position);
    }

    @Override
    public Decimal getDecimal(int field, int precision, int scale)
    {
        return columns[field].getDecimal(position, precision, scale);
    }

    @Override
    public Timestamp getTimestamp(int field, int precision)
    {
        return columns[field].getTimestamp(position);
    }

    @Override
    public byte[] getBinary(int field)
    {
        return columns[field].getBytes(position);
    }

    @Override
    public Variant getVariant(int field)
    {
        throw new UnsupportedOperationException("No variants in memory");
    }

    @Override
    public Blob getBlob(int field)
    {
        throw new UnsupportedOperationException("No blobs in memory");
    }

    @Override
    public InternalVector getVector(int field)
    {
        throw new UnsupportedOperationException("No vectors in memory");
    }

    @Override
    public InternalArray getArray(int field)
    {
        return columns[field].getArray(position);
    }

    @Override
    public InternalMap getMap(int field)
    {
        return columns[field].getMap(position);
    }

    @Override
    public InternalRow getRow(int field, int fieldCount)
    {
        return columns[field].getRow(position);
    }
}
