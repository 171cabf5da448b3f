package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.operation.BucketSelectConverter;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.TriFilter;

/**
 * Which partition-buckets can hold rows that a predicate matches, by the partition values and by the bucket key, as Paimon's own scan decides it. Not thread-safe.
 */
public final class BucketPruning
{
    private final List<Predicate> partitionPredicates;
    private final Optional<TriFilter<BinaryRow, Integer, Integer>> buckets;
    private final int bucketCount;

    /**
     * @param filter over the table's row type
     */
    public BucketPruning(FileStoreTable table, Predicate filter)
    {
        RowType rowType = table.rowType();
        int[] toPartition = PredicateBuilder.fieldIdxToPartitionIdx(rowType, table.partitionKeys());
        this.partitionPredicates = new ArrayList<>();
        for (Predicate conjunct : PredicateBuilder.splitAnd(filter)) {
            PredicateBuilder.transformFieldMapping(conjunct, toPartition).ifPresent(partitionPredicates::add);
        }
        this.buckets = new BucketSelectConverter(table.bucketMode(), table.coreOptions().bucketFunctionType(), rowType,
                table.schema().logicalPartitionType(), table.schema().logicalBucketKeyType()).convert(filter);
        this.bucketCount = table.coreOptions().bucket();
    }

    /** False only if no row of the partition can match. */
    public boolean mayMatchPartition(PartitionBucket bucket)
    {
        return partitionPredicates.stream().allMatch(predicate -> predicate.test(bucket.partition()));
    }

    /** False only if no row that was routed there by the table's number of buckets can match. */
    public boolean mayMatchBucket(PartitionBucket bucket)
    {
        return buckets.map(filter -> filter.test(bucket.partition(), bucket.bucket(), bucketCount)).orElse(true);
    }
}
