package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of an embedded service; their meaning is that of the {@code paimon.realtime.*} properties.
 *
 * @param memoryLimit bytes, everything the writer holds
 * @param maxPartitionBuckets per table
 * @param flushThreads tables whose rounds run at the same time
 * @param writerLeaseTimeout how long other writers and readers take this one for alive after it last said so
 * @param memIndexer name of the {@link io.paimon.realtime.memory.MemIndexerFactory}
 */
public record RealtimeServiceOptions(Path dataDirectory, long memoryLimit, int maxPartitionBuckets, int flushThreads, Duration commitInterval,
        Duration appendTimeout, Duration readLeaseTimeout, Duration shutdownTimeout, Duration writerLeaseTimeout, String memIndexer)
{
    public RealtimeServiceOptions
    {
        requireNonNull(dataDirectory, "dataDirectory is null");
        requireNonNull(commitInterval, "commitInterval is null");
        requireNonNull(appendTimeout, "appendTimeout is null");
        requireNonNull(readLeaseTimeout, "readLeaseTimeout is null");
        requireNonNull(shutdownTimeout, "shutdownTimeout is null");
        requireNonNull(writerLeaseTimeout, "writerLeaseTimeout is null");
        requireNonNull(memIndexer, "memIndexer is null");
        if (memoryLimit < 1 << 20) {
            throw new IllegalArgumentException("memoryLimit is below 1 MB: " + memoryLimit);
        }
        if (maxPartitionBuckets < 1 || flushThreads < 1) {
            throw new IllegalArgumentException("maxPartitionBuckets and flushThreads must be at least 1");
        }
    }

    /** Defaults of the catalog properties. */
    public static RealtimeServiceOptions defaults(Path dataDirectory)
    {
        return new RealtimeServiceOptions(dataDirectory, 1L << 30, 10_000, 2, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofMinutes(5),
                Duration.ofMinutes(1), Duration.ofSeconds(30), "arrow");
    }

    public RealtimeServiceOptions withDataDirectory(Path dataDirectory)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withReadLeaseTimeout(Duration readLeaseTimeout)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout, shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withMemoryLimit(long memoryLimit)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withMaxPartitionBuckets(int maxPartitionBuckets)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withFlushThreads(int flushThreads)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withCommitInterval(Duration commitInterval)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withAppendTimeout(Duration appendTimeout)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withWriterLeaseTimeout(Duration writerLeaseTimeout)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }

    public RealtimeServiceOptions withMemIndexer(String memIndexer)
    {
        return new RealtimeServiceOptions(dataDirectory, memoryLimit, maxPartitionBuckets, flushThreads, commitInterval, appendTimeout,
                readLeaseTimeout,
                shutdownTimeout, writerLeaseTimeout, memIndexer);
    }
}
