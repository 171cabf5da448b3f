package io.paimon.realtime.scan;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.KeyRange;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;

/**
 * A part of a union read that is read on its own: each row of the plan is in exactly one split.
 */
public sealed interface RealtimeSplit
{
    /**
     * Committed rows: one of Paimon's own splits, as its plan of the snapshot has it.
     */
    record DiskSplit(Split split) implements RealtimeSplit
    {
        public DiskSplit
        {
            requireNonNull(split, "split is null");
        }
    }

    /**
     * The rows of one partition-bucket that are in memory only. Readable while its plan is open, in this JVM.
     *
     * @param snapshotId the plan's snapshot S; empty if the table had none
     * @param offsets start = D, end of what S holds; end = U, end of what the plan sees; never empty
     */
    record MemorySplit(OptionalLong snapshotId, PartitionBucket bucket, OffsetRange offsets) implements RealtimeSplit
    {
        public MemorySplit
        {
            requireNonNull(snapshotId, "snapshotId is null");
            requireNonNull(bucket, "bucket is null");
            requireNonNull(offsets, "offsets is null");
        }
    }

    /**
     * Keys of one partition-bucket of a primary-key table that has rows in memory: what is left of their versions in files and in memory. Readable while its plan is open, in this JVM.
     *
     * @param runs offsets of the bucket's rows in memory, in parts whose versions are merged by themselves first, as a flush does; not empty
     * @param keys every key of the bucket is in one split
     * @param disk files that hold no other keys; empty if there is none
     */
    record MergeSplit(OptionalLong snapshotId, PartitionBucket bucket, List<OffsetRange> runs, KeyRange keys,
            Optional<DataSplit> disk) implements RealtimeSplit
    {
        public MergeSplit
        {
            requireNonNull(snapshotId, "snapshotId is null");
            requireNonNull(bucket, "bucket is null");
            runs = List.copyOf(runs);
            requireNonNull(keys, "keys is null");
            requireNonNull(disk, "disk is null");
        }
    }
}
