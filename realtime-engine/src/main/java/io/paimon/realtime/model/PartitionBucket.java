package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.Comparator;
import org.apache.paimon.data.BinaryRow;

/**
 * Where Paimon routes a row: the typed partition values and the bucket number.
 *
 * <p>Identity is that of the typed values in the {@link BinaryRow}, never of a rendered path, so partitions of non-string types,
 * NULL partitions and odd characters need no special care. The row must not be a reused one: pass a copy.
 */
public record PartitionBucket(BinaryRow partition, int bucket)
{
    /** A fixed order without further meaning, for results that must not depend on that of a map. */
    public static final Comparator<PartitionBucket> ORDER = Comparator.comparingInt(PartitionBucket::bucket)
            .thenComparing(key -> key.partition().toBytes(), Arrays::compareUnsigned);

    public PartitionBucket
    {
        requireNonNull(partition, "partition is null");
        if (bucket < 0) {
            throw new IllegalArgumentException("bucket is negative: " + bucket);
        }
    }
}
