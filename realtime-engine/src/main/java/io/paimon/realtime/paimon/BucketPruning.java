package io.paimon.realtime.paimon;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.PartitionBucket;
import java.util.Optional;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.operation.BucketSelectConverter;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.TriFilter;

/** Which buckets can hold rows that a filter lets through, as Paimon's own scans decide it. Not thread-safe. */
public final class BucketPruning
{
    private final int buckets;
    private final Optional<TriFilter<BinaryRow, Integer, Integer>> selector;

    /**
     * @param table at the schema by which the rows were routed
     * @param filter over the table's columns
     */
    public BucketPruning(FileStoreTable table, Optional<Predicate> filter)
    {
        requireNonNull(filter, "filter is null");
        this.buckets = table.coreOptions().bucket();
        this.selector = filter.flatMap(predicate -> new BucketSelectConverter(table.bucketMode(), table.coreOptions().bucketFunctionType(),
                table.schema().logicalRowType(), table.schema().logicalPartitionType(), table.schema().logicalBucketKeyType()).convert(predicate));
    }

    /** False only if no row of the bucket can pass the filter. */
    public boolean mayMatch(PartitionBucket bucket)
    {
        return selector.isEmpty() || selector.get().test(bucket.partition(), bucket.bucket(), buckets);
    }
}
