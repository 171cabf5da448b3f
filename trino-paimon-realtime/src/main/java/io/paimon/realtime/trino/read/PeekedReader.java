package io.paimon.realtime.trino.read;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import java.util.Optional;

/**
 * A reader that can be asked beforehand whether it has rows.
 */
final class PeekedReader implements MemBatchReader
{
    private final MemBatchReader reader;
    private Optional<MemBatch> first = Optional.empty();
    private boolean peeked;

    /** @param reader closed with this */
    PeekedReader(MemBatchReader reader)
    {
        this.reader = reader;
    }

    /** Whether there is a row. */
    boolean hasRows()
    {
        if (!peeked) {
            first = reader.next();
            peeked = true;
        }
        return first.isPresent();
    }

    @Override
    public Optional<MemBatch> next()
    {
        if (first.isPresent()) {
            Optional<MemBatch> batch = first;
            first = Optional.empty();
            return batch;
        }
        return reader.next();
    }

    @Override
    public void close()
    {
        first.ifPresent(MemBatch::close);
        first = Optional.empty();
        reader.close();
    }
}
