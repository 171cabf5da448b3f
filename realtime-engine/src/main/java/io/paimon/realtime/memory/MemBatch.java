package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.arrow.vector.FieldVector;

/**
 * Rows read from memory, in place: columns in the order of the request's read type, and which of their positions are meant.
 *
 * <p>The vectors are shared and must not be changed; they are valid until {@link #close}. A struct vector may hold more children than the read
 * type asked for and in another order: children are found by the field id in their metadata (see {@code memory.arrow.ArrowSchemas#fieldId}).
 */
public final class MemBatch implements AutoCloseable
{
    private final List<FieldVector> columns;
    private final int[] positions;
    private final int from;
    private final int rowCount;
    private final Runnable release;
    private boolean closed;

    /**
     * @param positions positions of the selected rows, ascending unless they are in the order of keys, or null when they are {@code [from, from + rowCount)}
     * @param from first position when {@code positions} is null; otherwise 0
     * @param release called once on close
     */
    public MemBatch(List<FieldVector> columns, int[] positions, int from, int rowCount, Runnable release)
    {
        this.columns = List.copyOf(columns);
        this.positions = positions;
        this.from = from;
        this.rowCount = rowCount;
        this.release = requireNonNull(release, "release is null");
        if (rowCount < 1 || (positions != null && (positions.length < rowCount || from != 0))) {
            throw new IllegalArgumentException("Not a selection of rows: %s from %s".formatted(rowCount, from));
        }
    }

    public List<FieldVector> columns()
    {
        return columns;
    }

    /** Number of rows selected. */
    public int rowCount()
    {
        return rowCount;
    }

    /** Whether the selection is the plain range {@code [from, from + rowCount)} of the vectors. */
    public boolean isRange()
    {
        return positions == null;
    }

    /** First position of a range; 0 otherwise. */
    public int from()
    {
        return from;
    }

    /** Positions, ascending unless the rows are in the order of keys, of which the first {@link #rowCount} count; null for a range. Not to be changed. */
    public int[] positions()
    {
        return positions;
    }

    /** Position in the vectors of the i-th row. */
    public int position(int i)
    {
        return positions == null ? from + i : positions[i];
    }

    @Override
    public void close()
    {
        if (!closed) {
            closed = true;
            release.run();
        }
    }
}
