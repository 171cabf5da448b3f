package io.paimon.realtime.scan;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a union read of one table consists of.
 *
 * @param snapshotId snapshot S of the disk part; empty if the table has none
 * @param snapshotIdentity tells S from another snapshot that gets its id after a rollback, which does not fit {@code memory}: see {@link ReadPoints#checkUnchanged}
 * @param bucketCount number of buckets by which all rows in memory were routed; empty if several were in use: then nothing may be pruned by bucket
 * @param memory by partition-bucket the offsets [D at S, U of the cut); only ranges that are not empty
 * @param segments the same cut where a flush begins another file, in the order of offsets
 */
public record ReadPoint(OptionalLong snapshotId, Optional<String> snapshotIdentity, OptionalInt bucketCount, Map<PartitionBucket, OffsetRange> memory,
        Map<PartitionBucket, List<OffsetRange>> segments)
{
    public ReadPoint
    {
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(snapshotIdentity, "snapshotIdentity is null");
        requireNonNull(bucketCount, "bucketCount is null");
        memory = Map.copyOf(memory);
        segments = Map.copyOf(segments);
    }

    /** @param segments of the cut, which may begin below what is left of it */
    static ReadPoint of(OptionalLong snapshotId, Optional<String> snapshotIdentity, OptionalInt bucketCount, Map<PartitionBucket, OffsetRange> memory,
            Map<PartitionBucket, List<OffsetRange>> segments)
    {
        Map<PartitionBucket, List<OffsetRange>> left = new HashMap<>();
        memory.forEach((bucket, offsets) -> left.put(bucket, segments.getOrDefault(bucket, List.of()).stream()
                .filter(segment -> segment.end() > offsets.start() && segment.start() < offsets.end())
                .map(segment -> new OffsetRange(Math.max(segment.start(), offsets.start()), Math.min(segment.end(), offsets.end())))
                .toList()));
        return new ReadPoint(snapshotId, snapshotIdentity, bucketCount, memory, left);
    }
}
