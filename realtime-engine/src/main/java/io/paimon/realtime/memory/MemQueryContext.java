package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.LongAdder;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What a query lends to its readers: memory for what they make (casts, merges) and counters for what they did.
 * The allocator stays the caller's. Counters are exact once all readers are closed.
 */
public final class MemQueryContext
{
    private final BufferAllocator allocator;
    private final LongAdder rowsScanned = new LongAdder();
    private final LongAdder rowsReturned = new LongAdder();
    private final LongAdder batchesPruned = new LongAdder();

    public MemQueryContext(BufferAllocator allocator)
    {
        this.allocator = requireNonNull(allocator, "allocator is null");
    }

    public BufferAllocator allocator()
    {
        return allocator;
    }

    /** Rows looked at, before the filter. */
    public LongAdder rowsScanned()
    {
        return rowsScanned;
    }

    /** Rows returned. */
    public LongAdder rowsReturned()
    {
        return rowsReturned;
    }

    /** Stored batches skipped by their min/max or offsets. */
    public LongAdder batchesPruned()
    {
        return batchesPruned;
    }
}
