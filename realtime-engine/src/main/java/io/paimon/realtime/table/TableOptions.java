package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.MemIndexerFactory;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What a {@link RealtimeTable} shares with the other tables of its writer.
 *
 * @param indexers makes the memory of each partition-bucket
 * @param allocator root of all vectors
 * @param budget memory limit of all tables together
 * @param board where the cuts of all tables are published
 * @param name full name of the table, {@code schema.table}
 * @param logId id of the service's data directory
 * @param incarnation random id of the running service
 * @param address where the service is reached over Flight, empty if nowhere
 * @param maxPartitionBuckets partition-buckets with rows in memory at the most
 * @param appendTimeoutMillis how long an append waits for memory
 * @param leaseMillis how long others take the writer for alive after it last said so
 */
public record TableOptions(MemIndexerFactory indexers, BufferAllocator allocator, MemoryBudget budget, CutBoard board, String name, String logId,
        String incarnation, Supplier<String> address, int maxPartitionBuckets, long appendTimeoutMillis, long leaseMillis)
{
    public TableOptions
    {
        requireNonNull(indexers, "indexers is null");
        requireNonNull(allocator, "allocator is null");
        requireNonNull(budget, "budget is null");
        requireNonNull(board, "board is null");
        requireNonNull(name, "name is null");
        requireNonNull(logId, "logId is null");
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(address, "address is null");
    }
}
