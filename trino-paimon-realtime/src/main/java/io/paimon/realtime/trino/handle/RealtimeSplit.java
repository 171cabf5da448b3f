package io.paimon.realtime.trino.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static java.lang.Math.ceilDiv;
import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.List;
import java.util.OptionalLong;

/**
 * Rows of one partition-bucket in the writer's memory.
 *
 * @param address where the writer is reached over Flight
 * @param incarnation incarnation of the writer that holds the view
 * @param queryId ticket: id under which the view is held
 * @param snapshotId snapshot of the disk part that these rows follow
 * @param partition serialized partition row in base 64
 * @param start D: offset of the first row that the snapshot does not hold
 * @param end U: end of what the view shows
 */
public record RealtimeSplit(String address, String incarnation, String queryId, OptionalLong snapshotId, String partition, int bucket, long start,
        long end)
        implements
            ConnectorSplit
{

    private static final int INSTANCE_SIZE = instanceSize(RealtimeSplit.class);
    private static final long ROWS_OF_STANDARD_SPLIT = 1_000_000;

    public RealtimeSplit
    {
        requireNonNull(address, "address is null");
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(queryId, "queryId is null");
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(partition, "partition is null");
        if (start < 0 || end <= start) {
            throw new IllegalArgumentException("No rows: [%s, %s)".formatted(start, end));
        }
    }

    public PartitionBucket partitionBucket()
    {
        return RealtimeTicket.partitionBucket(partition, bucket);
    }

    public OffsetRange offsets()
    {
        return new OffsetRange(start, end);
    }

    /** The same rows in splits of about equal size and at most {@code maxRows}, so that several threads and nodes read them. */
    public List<RealtimeSplit> divide(long maxRows)
    {
        long rows = end - start;
        int pieces = toIntExact(ceilDiv(rows, maxRows));
        ImmutableList.Builder<RealtimeSplit> splits = ImmutableList.builderWithExpectedSize(pieces);
        for (int i = 0; i < pieces; i++) {
            splits.add(new RealtimeSplit(address, incarnation, queryId, snapshotId, partition, bucket, start + rows * i / pieces,
                    start + rows * (i + 1) / pieces));
        }
        return splits.build();
    }

    @Override
    public SplitWeight getSplitWeight()
    {
        return SplitWeight.fromProportion(Math.clamp((double) (end - start) / ROWS_OF_STANDARD_SPLIT, 0.05, 1.0));
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        return INSTANCE_SIZE + estimatedSizeOf(address) + estimatedSizeOf(incarnation) + estimatedSizeOf(queryId) + estimatedSizeOf(partition);
    }

    @Override
    public String toString()
    {
        return "memory bucket=%s offsets=[%s, %s)".formatted(bucket, start, end);
    }
}
