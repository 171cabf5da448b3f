package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.RowKeyExtractor;

/**
 * Routes the rows of a batch with the very object Paimon's own writers use; only the commonest bucket keys are hashed by {@link BucketHash}, to the same result. One instance per
 * batch: not thread-safe.
 */
public final class RowRouting
{
    /** A power of two. */
    private static final int RECENT = 256;

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
        return route(rows, null);
    }

    /**
     * The same for some of the rows.
     *
     * @param chosen positions of those, ascending; null for all rows
     */
    public List<Route> route(Rows rows, int[] chosen)
    {
        int count = chosen == null ? rows.rowCount() : chosen.length;
        if (count == 0) {
            return List.of();
        }
        if (table.partitionKeys().isEmpty() && (table.bucketMode() == BucketMode.BUCKET_UNAWARE || table.coreOptions().bucket() == 1)) {
            return List.of(new Route(new PartitionBucket(BinaryRow.EMPTY_ROW, 0), chosen, 0, count));
        }
        RowKeyExtractor extractor = table.createRowKeyExtractor();
        BucketHash hash = BucketHash.of(table);
        List<PartitionBucket> found = new ArrayList<>();
        int[] ordinalOf = new int[count];
        Map<BinaryRow, Map<Integer, Integer>> others = new HashMap<>();
        boolean partitioned = !table.partitionKeys().isEmpty();
        BinaryRow partition = null;
        // ordinals in that partition
        Map<Integer, Integer> ordinals = Map.of();
        int[] recent = new int[RECENT];
        int[] recentOrdinals = new int[RECENT];
        for (int i = 0; i < count; i++) {
            InternalRow row = rows.row(chosen == null ? i : chosen[i]);
            extractor.setRecord(row);
            if (partition == null || partitioned) {
                BinaryRow next = extractor.partition();
                if (!next.equals(partition)) {
                    partition = next.copy();
                    ordinals = others.computeIfAbsent(partition, _ -> new HashMap<>());
                    Arrays.fill(recent, -1);
                }
            }
            int bucket = hash == null || hash.isNull(row) ? extractor.bucket() : hash.bucket(row);
            int slot = bucket & (RECENT - 1);
            if (recent[slot] != bucket) {
                Integer known = ordinals.get(bucket);
                if (known == null) {
                    known = found.size();
                    ordinals.put(bucket, known);
                    found.add(new PartitionBucket(partition, bucket));
                }
                recent[slot] = bucket;
                recentOrdinals[slot] = known;
            }
            ordinalOf[i] = recentOrdinals[slot];
        }
        return group(found, ordinalOf, chosen);
    }

    private static List<Route> group(List<PartitionBucket> found, int[] ordinalOf, int[] chosen)
    {
        if (found.size() == 1) {
            return List.of(new Route(found.getFirst(), chosen, 0, ordinalOf.length));
        }
        int[] starts = new int[found.size() + 1];
        for (int ordinal : ordinalOf) {
            starts[ordinal + 1]++;
        }
        for (int i = 1; i < starts.length; i++) {
            starts[i] += starts[i - 1];
        }
        int[] next = starts.clone();
        int[] positions = new int[ordinalOf.length];
        for (int i = 0; i < ordinalOf.length; i++) {
            positions[next[ordinalOf[i]]++] = chosen == null ? i : chosen[i];
        }
        List<Route> routes = new ArrayList<>(found.size());
        for (int ordinal = 0; ordinal < found.size(); ordinal++) {
            routes.add(new Route(found.get(ordinal), positions, starts[ordinal], starts[ordinal + 1] - starts[ordinal]));
        }
        return routes;
    }
}
