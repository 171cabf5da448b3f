package io.paimon.realtime.memory;

import java.util.Optional;

/**
 * Batches of rows in memory, pulled by one thread at a time. {@link #close} may come from another thread once no {@link #next} is running.
 */
public interface MemBatchReader extends AutoCloseable
{
    /**
     * The next batch, never without a row; empty at the end. The caller closes the batch, which may outlive the reader.
     */
    Optional<MemBatch> next();

    @Override
    void close();
}
