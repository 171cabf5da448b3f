package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.KeyRange;

/**
 * Asks for rows of a primary-key table in the order of their keys; versions of one key come in the order in which they were written.
 *
 * @param range keys that are wanted
 * @param newestOnly whether of each key the newest version will do; an indexer may return the others all the same
 */
public record KeyOrder(KeyRange range, boolean newestOnly)
{
    public KeyOrder
    {
        requireNonNull(range, "range is null");
    }
}
