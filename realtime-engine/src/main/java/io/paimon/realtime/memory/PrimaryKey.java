package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.apache.paimon.data.InternalRow;

/**
 * The key by which rows of a partition-bucket replace each other: the primary key without the partition columns.
 *
 * @param columns names, in the order of the key
 * @param comparators of rows that consist of exactly these columns, in Paimon's order of keys; what is made is used by one thread
 */
public record PrimaryKey(List<String> columns, Supplier<Comparator<InternalRow>> comparators)
{
    public PrimaryKey
    {
        columns = List.copyOf(columns);
        requireNonNull(comparators, "comparators is null");
        if (columns.isEmpty()) {
            throw new IllegalArgumentException("A key without columns");
        }
    }
}
