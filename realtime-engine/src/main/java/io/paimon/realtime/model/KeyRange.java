package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.apache.paimon.data.BinaryRow;

/**
 * Keys of one partition-bucket from one inclusive to another exclusive, in the order in which Paimon sorts keys. The rows hold the columns of the trimmed primary key and must not be reused ones.
 *
 * @param from the lowest key; empty for no bound
 * @param to above the highest key; empty for no bound
 */
public record KeyRange(Optional<BinaryRow> from, Optional<BinaryRow> to)
{
    public static final KeyRange ALL = new KeyRange(Optional.empty(), Optional.empty());

    public KeyRange
    {
        requireNonNull(from, "from is null");
        requireNonNull(to, "to is null");
    }
}
