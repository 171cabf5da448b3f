package io.paimon.realtime.trino.arrow;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;

/**
 * A vector with its number of NULLs, which Arrow counts anew each time it is asked, and with those of its children that its reader reads, in the reader's order.
 */
public record ArrowColumn(FieldVector vector, int nullCount, List<ArrowColumn> children)
{
    public ArrowColumn
    {
        requireNonNull(vector, "vector is null");
        children = List.copyOf(children);
    }

    /** A column of so many NULLs. */
    static ArrowColumn nulls(int count)
    {
        return new ArrowColumn(new NullVector("", count), count, List.of());
    }

    boolean isAllNull()
    {
        return nullCount == vector.getValueCount();
    }
}
