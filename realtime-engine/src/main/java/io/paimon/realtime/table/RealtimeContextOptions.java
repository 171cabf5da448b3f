package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What bounds a {@link RealtimeContext}.
 *
 * @param memoryLimit bytes of rows in memory at the most, outside the heap, over all tables and open readers; writes may use three quarters of it
 * @param maxPartitionBuckets partition-buckets of one table with rows in memory at the most
 * @param appendTimeout how long a write waits for memory before it is refused, retryable
 * @param leaseTimeout how long other writers and readers take this program for alive after it last said so
 * @param onMemoryPressure called, often and from any thread, while more than half of the limit is in use: the moment to commit. Must not block
 */
public record RealtimeContextOptions(long memoryLimit, int maxPartitionBuckets, Duration appendTimeout, Duration leaseTimeout,
        Runnable onMemoryPressure)
{
    public RealtimeContextOptions
    {
        if (memoryLimit <= 0) {
            throw new IllegalArgumentException("memoryLimit is not positive: " + memoryLimit);
        }
        if (maxPartitionBuckets <= 0) {
            throw new IllegalArgumentException("maxPartitionBuckets is not positive: " + maxPartitionBuckets);
        }
        requireNonNull(appendTimeout, "appendTimeout is null");
        requireNonNull(leaseTimeout, "leaseTimeout is null");
        requireNonNull(onMemoryPressure, "onMemoryPressure is null");
    }

    /** 1 GB, 10,000 partition-buckets, 30 seconds each. */
    public static RealtimeContextOptions defaults()
    {
        return new RealtimeContextOptions(1L << 30, 10_000, Duration.ofSeconds(30), Duration.ofSeconds(30), () -> {
        });
    }

    public RealtimeContextOptions withMemoryLimit(long bytes)
    {
        return new RealtimeContextOptions(bytes, maxPartitionBuckets, appendTimeout, leaseTimeout, onMemoryPressure);
    }

    public RealtimeContextOptions withMaxPartitionBuckets(int count)
    {
        return new RealtimeContextOptions(memoryLimit, count, appendTimeout, leaseTimeout, onMemoryPressure);
    }

    public RealtimeContextOptions withAppendTimeout(Duration timeout)
    {
        return new RealtimeContextOptions(memoryLimit, maxPartitionBuckets, timeout, leaseTimeout, onMemoryPressure);
    }

    public RealtimeContextOptions withLeaseTimeout(Duration timeout)
    {
        return new RealtimeContextOptions(memoryLimit, maxPartitionBuckets, appendTimeout, timeout, onMemoryPressure);
    }

    public RealtimeContextOptions withOnMemoryPressure(Runnable callback)
    {
        return new RealtimeContextOptions(memoryLimit, maxPartitionBuckets, appendTimeout, leaseTimeout, callback);
    }
}
