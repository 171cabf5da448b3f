package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.RowKeyExtractor;

/**
 * Routes the rows of a batch with the very object Paimon's own writers use. One instance per batch: not thread-safe.
 */
public final class RowRouting
{
    private final FileStoreTable table;

    public RowRouting(FileStoreTable table)
    {
        this.table = table;
    }

    /** Rows as a cursor: position it, then read the row. */
    public interface Rows
    {
        int rowCount();

        /** The row at the position; the same object may be returned for every position. */
        InternalRow row(int position);
    }

    /**
     * The selected positions of one partition-bucket, ascending.
     *
     * @param positions shared by all routes of the batch; this one's are {@code [from, from + rowCount)}; null when it is every row
     */
    public record Route(PartitionBucket bucket, int[] positions, int from, int rowCount)
    {}

    /** One route per partition-bucket, in the order of their first rows. */
    public List<Route> route(Rows rows)
    {
        int count = rows.rowCount();
        if (count == 0) {
            return List.of();
        }
        if (table.partitionKeys().isEmpty() && (table.bucketMode() == BucketMode.BUCKET_UNAWARE || table.coreOptions().bucket() == 1)) {
            return List.of(new Route(new PartitionBucket(BinaryRow.EMPTY_ROW, 0), null, 0, count));
        }
        RowKeyExtractor extractor = table.createRowKeyExtractor();
        Map<PartitionBucket, Integer> ordinals = new LinkedHashMap<>();
        int[] ordinalOf = new int[count];
        BinaryRow lastPartition = null;
        int lastBucket = -1;
        int lastOrdinal = -1;
        for (int i = 0; i < count; i++) {
            extractor.setRecord(rows.row(i));
            BinaryRow partition = extractor.partition();
            int bucket = extractor.bucket();
            if (bucket != lastBucket || !partition.equals(lastPartition)) {
                lastPartition = partition.copy();
                lastBucket = bucket;
                lastOrdinal = ordinals.computeIfAbsent(new PartitionBucket(lastPartition, bucket), _ -> ordinals.size());
            }
            ordinalOf[i] = lastOrdinal;
        }
        return group(ordinals, ordinalOf);
    }

    private static List<Route> group(Map<PartitionBucket, Integer> ordinals, int[] ordinalOf)
    {
        if (ordinals.size() == 1) {
            return List.of(new Route(ordinals.keySet().iterator().next(), null, 0, ordinalOf.length));
        }
        int[] starts = new int[ordinals.size() + 1];
        for (int ordinal : ordinalOf) {
            starts[ordinal + 1]++;
        }
        for (int i = 1; i < starts.length; i++) {
            starts[i] += starts[i - 1];
        }
        int[] next = starts.clone();
        int[] positions = new int[ordinalOf.length];
        for (int i = 0; i < ordinalOf.length; i++) {
            positions[next[ordinalOf[i]]++] = i;
        }
        List<Route> routes = new ArrayList<>(ordinals.size());
        ordinals.forEach((bucket, ordinal) -> routes.add(new Route(bucket, positions, starts[ordinal], starts[ordinal + 1] - starts[ordinal])));
        return routes;
    }
}
