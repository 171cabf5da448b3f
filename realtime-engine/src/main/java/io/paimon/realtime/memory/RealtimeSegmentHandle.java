package io.paimon.realtime.memory;

import io.paimon.realtime.model.OffsetRange;

/**
 * A sealed segment: names its rows until the indexer has reclaimed them. Holds no memory itself.
 */
public interface RealtimeSegmentHandle
{
    /** Offsets of the segment's rows; never empty. */
    OffsetRange offsets();

    /** Rows a commit reader returns. Equal to the offsets' count for append tables, at most that for primary-key tables. */
    long rowCount();

    /** Bytes the segment holds. */
    long memoryBytes();
}
