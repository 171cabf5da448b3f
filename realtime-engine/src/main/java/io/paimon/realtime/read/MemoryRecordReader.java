package io.paimon.realtime.read;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.types.RowType;

/**
 * Rows of columnar readers one after the other, read in place. A batch is held until its iterator is released, at the latest until this is closed.
 */
final class MemoryRecordReader implements RecordReader<InternalRow>
{
    private final Deque<MemBatchReader> readers;
    private final RowType rowType;
    private MemBatch batch;

    /**
     * @param readers closed by this
     */
    MemoryRecordReader(List<MemBatchReader> readers, RowType rowType)
    {
        this.readers = new ArrayDeque<>(readers);
        this.rowType = rowType;
    }

    @Override
    public RecordIterator<InternalRow> readBatch()
    {
        releaseBatch();
        while (!readers.isEmpty()) {
            Optional<MemBatch> next = readers.getFirst().next();
            if (next.isPresent()) {
                batch = next.get();
                return new BatchIterator(batch);
            }
            readers.removeFirst().close();
        }
        return null;
    }

    private void releaseBatch()
    {
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }

    @Override
    public void close()
    {
        releaseBatch();
        while (!readers.isEmpty()) {
            readers.removeFirst().close();
        }
    }

    private final class BatchIterator implements RecordIterator<InternalRow>
    {
        private final MemBatch rows;
        private final ArrowRowView view;
        private int next;

        private BatchIterator(MemBatch rows)
        {
            this.rows = rows;
            this.view = new ArrowRowView(rows.columns(), rowType);
        }

        @Override
        public InternalRow next()
        {
            return next == rows.rowCount() ? null : view.setPosition(rows.position(next++));
        }

        @Override
        public void releaseBatch()
        {
            // also when another batch has been read since: closing twice changes nothing
            rows.close();
        }
    }
}
