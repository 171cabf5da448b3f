package io.paimon.realtime.scan;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a union read of one table consists of.
 *
 * @param snapshotId snapshot S of the disk part; empty if the table has none
 * @param memory by partition-bucket the offsets [D at S, U of the cut); only ranges that are not empty
 */
public record ReadPoint(OptionalLong snapshotId, Map<PartitionBucket, OffsetRange> memory)
{
    public ReadPoint
    {
        requireNonNull(snapshotId, "snapshotId is null");
        memory = Map.copyOf(memory);
    }
}
