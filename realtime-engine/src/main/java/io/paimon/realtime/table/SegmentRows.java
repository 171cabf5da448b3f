package io.paimon.realtime.table;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowType;

/**
 * Rows of readers one after the other, as Paimon's writers take them: one row object for each batch, moved along. Closes the readers and the batch at hand.
 */
public final class SegmentRows implements Iterator<InternalRow>, AutoCloseable
{
    private final Deque<MemBatchReader> readers;
    private final RowType rowType;
    private MemBatch batch;
    private ArrowRowView view;
    private int next;

    public SegmentRows(List<MemBatchReader> readers, RowType rowType)
    {
        this.readers = new ArrayDeque<>(readers);
        this.rowType = rowType;
    }

    @Override
    public boolean hasNext()
    {
        while (batch == null || next == batch.rowCount()) {
            if (batch != null) {
                batch.close();
                batch = null;
            }
            if (readers.isEmpty()) {
                return false;
            }
            Optional<MemBatch> following = readers.getFirst().next();
            if (following.isEmpty()) {
                readers.removeFirst().close();
                continue;
            }
            batch = following.get();
            view = new ArrowRowView(batch.columns(), rowType);
            next = 0;
        }
        return true;
    }

    @Override
    public InternalRow next()
    {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        view.setPosition(batch.position(next++));
        return view;
    }

    @Override
    public void close()
    {
        if (batch != null) {
            batch.close();
            batch = null;
        }
        readers.forEach(MemBatchReader::close);
        readers.clear();
    }
}
