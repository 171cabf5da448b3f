package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * What a snapshot of a real-time commit holds: for every partition-bucket that ever had real-time rows the end (exclusive) of the offsets on disk.
 *
 * @param lineage random id of the table as real-time writers know it; progress of another lineage means nothing
 * @param log id of the writer's log (its data directory), by which a restarted writer recognises its own rows
 * @param epoch writer epoch: grows with every claim of the table
 * @param identifier number of the commit within the table's real-time history: grows by at least one with every commit
 * @param drained whether the writer had nothing in memory or log when it made this commit and gave the table up
 * @param offsets the full map, never a delta
 * @param producers by producer name the next expected row number
 */
public record Progress(String lineage, String log, long epoch, long identifier, boolean drained, Map<PartitionBucket, Long> offsets,
        Map<String, Long> producers)
{
    public Progress
    {
        requireNonNull(lineage, "lineage is null");
        requireNonNull(log, "log is null");
        if (epoch < 0 || identifier < 0) {
            throw new IllegalArgumentException("epoch or identifier is negative: %s, %s".formatted(epoch, identifier));
        }
        offsets = Map.copyOf(offsets);
        producers = Map.copyOf(producers);
        offsets.forEach((bucket, end) -> {
            if (end < 0 || end > OffsetRange.MAX_OFFSET) {
                throw new IllegalArgumentException("Not an offset: %s of %s".formatted(end, bucket));
            }
        });
    }

    /** End of the rows on disk, 0 where there are none. */
    public long offset(PartitionBucket bucket)
    {
        return offsets.getOrDefault(bucket, 0L);
    }

    /** Whether this is the very commit the other one is: same writer generation, same step. */
    public boolean isSameStep(Progress other)
    {
        return lineage.equals(other.lineage) && epoch == other.epoch && identifier == other.identifier;
    }
}
