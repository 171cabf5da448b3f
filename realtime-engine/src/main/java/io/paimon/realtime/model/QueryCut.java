package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What a query sees of the writer: for every real-time table the state at one and the same instant. Plain data; the memory behind it is held by the service under
 * the query's id.
 *
 * @param queryId id under which it is held
 * @param address Flight address of the writer, empty if it has none
 * @param incarnation incarnation of the writer
 * @param log id of the writer's data directory, which outlives its incarnations
 * @param instant the writer's own count of changes when the cut was taken: grows with every change of any table, within one incarnation
 * @param tables by full table name {@code schema.table}
 */
public record QueryCut(String queryId, String address, String incarnation, String log, long instant, Map<String, TableCutInfo> tables)
{
    public QueryCut
    {
        requireNonNull(queryId, "queryId is null");
        requireNonNull(address, "address is null");
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(log, "log is null");
        tables = Map.copyOf(tables);
    }

    /**
     * @param lineage random id of the table as real-time writers know it
     * @param epoch writer epoch under which the table is claimed
     * @param committedSnapshot newest own snapshot L when the cut was taken
     * @param bucketCount number of buckets by which all rows in memory were routed; empty if several were in use, after a rescale
     * @param buckets offsets per partition-bucket: start = D at L (what is committed at L), end = U (what the cut shows)
     * @param segments offsets of the segments of each partition-bucket, in their order: versions of a key that a flush writes together
     */
    public record TableCutInfo(String lineage, long epoch, long committedSnapshot, OptionalInt bucketCount,
            Map<PartitionBucket, OffsetRange> buckets, Map<PartitionBucket, List<OffsetRange>> segments)
    {
        public TableCutInfo
        {
            requireNonNull(lineage, "lineage is null");
            requireNonNull(bucketCount, "bucketCount is null");
            buckets = Map.copyOf(buckets);
            segments = Map.copyOf(segments);
        }
    }
}
