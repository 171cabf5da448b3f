package io.paimon.realtime.scan;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import java.util.OptionalLong;
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
}
