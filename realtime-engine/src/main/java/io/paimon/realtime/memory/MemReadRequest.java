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
 *         A column that the stored schema lacks is NULL; one whose type was changed since is cast as Paimon does
 * @param tableType the table's row type that the filter's field references (index, name) speak of
 * @param filter evaluated exactly, on the values as {@code tableType} has them: only matching rows are returned
 */
public record MemReadRequest(OffsetRange offsets, RowType readType, RowType tableType, Optional<Predicate> filter)
{
    public MemReadRequest
    {
        requireNonNull(offsets, "offsets is null");
        requireNonNull(readType, "readType is null");
        requireNonNull(tableType, "tableType is null");
        requireNonNull(filter, "filter is null");
    }
}
