package io.paimon.realtime.table;

import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.paimon.RowRouting;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowType;

/** Rows of a batch as Paimon sees them. */
final class VectorRows implements RowRouting.Rows
{
    private final int rowCount;
    private final ArrowRowView view;

    /**
     * @param rows in the canonical form of {@code schema}; stay the caller's
     */
    VectorRows(VectorSchemaRoot rows, RowType schema)
    {
        this.rowCount = rows.getRowCount();
        this.view = new ArrowRowView(rows.getFieldVectors(), schema);
    }

    @Override
    public int rowCount()
    {
        return rowCount;
    }

    @Override
    public InternalRow row(int position)
    {
        view.setPosition(position);
        return view;
    }
}
