package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Rows for one partition-bucket: a selection of positions of a batch that is in the canonical Arrow form of the table's schema
 * (see {@code memory.arrow.ArrowSchemas}). One client batch is shared by the write batches of all the buckets it touches.
 *
 * <p>The selected positions are {@code positions[from .. from + rowCount)} in ascending order, or {@code [from, from + rowCount)} themselves when {@code positions} is null.
 *
 * @param rows the whole batch; owned by the caller, not modified
 * @param positions null when the selection is a plain range
 * @param from first index of the selection
 * @param rowCount number of rows, at least 1
 * @param startOffset offset of the first selected row
 */
public record RealtimeWriteBatch(VectorSchemaRoot rows, int[] positions, int from, int rowCount, long startOffset)
{
    public RealtimeWriteBatch
    {
        requireNonNull(rows, "rows is null");
        if (rowCount < 1 || from < 0 || from + rowCount > (positions == null ? rows.getRowCount() : positions.length)) {
            throw new IllegalArgumentException("Not a selection: from %s, %s rows of %s".formatted(from, rowCount, rows.getRowCount()));
        }
        if (startOffset < 0) {
            throw new IllegalArgumentException("startOffset is negative: " + startOffset);
        }
    }

    /** All rows of a batch. */
    public static RealtimeWriteBatch all(VectorSchemaRoot rows, long startOffset)
    {
        return new RealtimeWriteBatch(rows, null, 0, rows.getRowCount(), startOffset);
    }

    /** Position in {@link #rows} of the i-th selected row. */
    public int position(int i)
    {
        return positions == null ? from + i : positions[from + i];
    }
}
