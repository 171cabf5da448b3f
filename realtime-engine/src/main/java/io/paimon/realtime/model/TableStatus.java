package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * What a writer holds of one table.
 *
 * @param table full name, {@code schema.table}
 * @param epoch writer epoch under which the table is claimed
 * @param lastCommitSnapshot newest snapshot committed by the writer, -1 if none
 * @param lastError newest failure of a commit round, empty if none or overcome
 * @param buckets one entry per partition-bucket the writer holds
 */
public record TableStatus(String table, long epoch, long lastCommitSnapshot, String lastError, List<BucketStatus> buckets)
{
    public TableStatus
    {
        requireNonNull(table, "table is null");
        requireNonNull(lastError, "lastError is null");
        buckets = List.copyOf(buckets);
    }

    /**
     * @param partition human readable, {@code k=v/k2=v2}, empty for unpartitioned tables
     * @param committedOffset end of what the writer's newest snapshot holds
     * @param upperOffset end of what a query sees
     * @param oldestRowAgeMillis age of the oldest row in memory, 0 if none
     */
    public record BucketStatus(String partition, int bucket, long committedOffset, long upperOffset, long memoryRows, long memoryBytes, int segments,
            int pins,
            long oldestRowAgeMillis)
    {
        public BucketStatus
        {
            requireNonNull(partition, "partition is null");
        }
    }
}
