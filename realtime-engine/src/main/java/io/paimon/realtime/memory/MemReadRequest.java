package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.OffsetRange;
import java.util.Optional;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.types.RowType;

/**
 * What a reader shall return of a view.
 *
 * @param offsets only rows with these offsets; may cut stored batches and may exceed what the view holds on either side
 * @param readType columns in the order of the result; matched to the stored ones by field id, also nested ones (fields of rows inside may be left out).
 *         A column that the stored schema lacks is NULL; one whose type was changed since is cast as Paimon does. {@link org.apache.paimon.table.SpecialFields#SEQUENCE_NUMBER} is the row's offset
 * @param tableType the table's row type that the filter's field references (index, name) speak of
 * @param filter evaluated exactly, on the values as {@code tableType} has them: only matching rows are returned
 * @param order for primary-key tables: rows come in the order of their keys, whose columns must be in {@code readType}; empty for the order of offsets
 */
public record MemReadRequest(OffsetRange offsets, RowType readType, RowType tableType, Optional<Predicate> filter, Optional<KeyOrder> order)
{
    public MemReadRequest
    {
        requireNonNull(offsets, "offsets is null");
        requireNonNull(readType, "readType is null");
        requireNonNull(tableType, "tableType is null");
        requireNonNull(filter, "filter is null");
        requireNonNull(order, "order is null");
    }

    /** Rows in the order of their offsets. */
    public MemReadRequest(OffsetRange offsets, RowType readType, RowType tableType, Optional<Predicate> filter)
    {
        this(offsets, readType, tableType, filter, Optional.empty());
    }
}
