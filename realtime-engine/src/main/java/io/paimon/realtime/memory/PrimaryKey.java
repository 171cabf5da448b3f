package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowType;

/**
 * The key by which rows of a partition-bucket replace each other: the primary key without the partition columns.
 *
 * @param columns field ids, in the order of the key; names may change
 * @param comparators of rows that consist of exactly these columns, in Paimon's order of keys; what is made is used by one thread
 */
public record PrimaryKey(List<Integer> columns, Supplier<Comparator<InternalRow>> comparators)
{
    public PrimaryKey
    {
        columns = List.copyOf(columns);
        requireNonNull(comparators, "comparators is null");
        if (columns.isEmpty()) {
            throw new IllegalArgumentException("A key without columns");
        }
    }

    /**
     * Where the columns are in a row type, in the order of the key.
     *
     * @throws IllegalArgumentException if one is not there
     */
    public int[] positions(RowType rowType)
    {
        return columns.stream().mapToInt(id -> IntStream.range(0, rowType.getFieldCount())
                .filter(i -> rowType.getFields().get(i).id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Key column with id %s is not among %s".formatted(id, rowType.getFields()))))
                .toArray();
    }
}
