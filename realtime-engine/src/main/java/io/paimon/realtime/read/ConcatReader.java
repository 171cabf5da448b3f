package io.paimon.realtime.read;

import io.paimon.realtime.scan.RealtimeSplit;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;

/**
 * Splits one after the other; at most one is open.
 */
final class ConcatReader implements RecordReader<InternalRow>
{
    private final UnionReader reader;
    private final Deque<RealtimeSplit> splits;
    private RecordReader<InternalRow> open;

    ConcatReader(UnionReader reader, List<RealtimeSplit> splits)
    {
        this.reader = reader;
        this.splits = new ArrayDeque<>(splits);
    }

    @Override
    public RecordIterator<InternalRow> readBatch() throws IOException
    {
        while (open != null || !splits.isEmpty()) {
            if (open == null) {
                open = reader.createReader(splits.removeFirst());
            }
            RecordIterator<InternalRow> batch = open.readBatch();
            if (batch != null) {
                return batch;
            }
            closeOpen();
        }
        return null;
    }

    private void closeOpen() throws IOException
    {
        RecordReader<InternalRow> closing = open;
        open = null;
        if (closing != null) {
            closing.close();
        }
    }

    @Override
    public void close() throws IOException
    {
        splits.clear();
        closeOpen();
    }
}
