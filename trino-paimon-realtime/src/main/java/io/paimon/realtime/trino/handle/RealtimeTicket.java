package io.paimon.realtime.trino.handle;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.paimon.utils.SerializationUtils;

/**
 * What a query sees of a table in the writer's memory.
 *
 * @param address where the writer is reached over Flight
 * @param incarnation incarnation of the writer that holds the view
 * @param queryId id under which the view is held
 * @param snapshotIdentity tells the snapshot that is read from another one that gets its id after a rollback; empty if no snapshot is read
 * @param bucketCount number of buckets by which all rows were routed; empty if several were in use: then nothing may be pruned by bucket
 * @param ranges only those that hold rows
 */
public record RealtimeTicket(String address, String incarnation, String queryId, Optional<String> snapshotIdentity, OptionalInt bucketCount,
        List<Range> ranges)
{
    public RealtimeTicket
    {
        requireNonNull(address, "address is null");
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(queryId, "queryId is null");
        requireNonNull(snapshotIdentity, "snapshotIdentity is null");
        requireNonNull(bucketCount, "bucketCount is null");
        ranges = ImmutableList.copyOf(ranges);
    }

    /**
     * @param partition serialized partition row in base 64
     * @param start D: end of what the snapshot holds
     * @param end U: end of what the view shows
     * @param starts where segments begin after the first, in their order
     */
    public record Range(String partition, int bucket, long start, long end, List<Long> starts)
    {
        public Range
        {
            requireNonNull(partition, "partition is null");
            starts = ImmutableList.copyOf(starts);
        }

        /** The offsets in parts, each of which a flush writes by itself. */
        public List<OffsetRange> segments()
        {
            ImmutableList.Builder<OffsetRange> segments = ImmutableList.builder();
            long from = start;
            for (long next : starts) {
                segments.add(new OffsetRange(from, next));
                from = next;
            }
            return segments.add(new OffsetRange(from, end)).build();
        }

        public PartitionBucket partitionBucket()
        {
            return RealtimeTicket.partitionBucket(partition, bucket);
        }
    }

    /** @param queryId id under which the writer holds the view of the point */
    public static RealtimeTicket of(String queryId, TablePoint point)
    {
        ImmutableList.Builder<Range> ranges = ImmutableList.builder();
        point.point().memory().forEach((key, offsets) -> ranges.add(range(Base64.getEncoder().encodeToString(
                SerializationUtils.serializeBinaryRow(key.partition())), key.bucket(), offsets,
                point.point().segments().getOrDefault(key, ImmutableList.of()))));
        return new RealtimeTicket(point.address(), point.incarnation(), queryId, point.point().snapshotIdentity(), point.point().bucketCount(),
                ranges.build());
    }

    private static Range range(String partition, int bucket, OffsetRange offsets, List<OffsetRange> segments)
    {
        return new Range(partition, bucket, offsets.start(), offsets.end(), segments.stream().skip(1).map(OffsetRange::start).toList());
    }

    static PartitionBucket partitionBucket(String partition, int bucket)
    {
        return new PartitionBucket(SerializationUtils.deserializeBinaryRow(Base64.getDecoder().decode(partition)), bucket);
    }

    /** Offsets in all ranges: rows before they are merged. */
    public long rows()
    {
        return ranges.stream().mapToLong(range -> range.end() - range.start()).sum();
    }
}
