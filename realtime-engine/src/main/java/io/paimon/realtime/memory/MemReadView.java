package io.paimon.realtime.memory;

import io.paimon.realtime.model.OffsetRange;
import org.apache.paimon.types.RowType;

/**
 * An immutable view of one indexer's rows. Thread-safe; closing it twice is an error.
 */
public interface MemReadView extends AutoCloseable
{
    /** Offsets the view shows: from the oldest row not reclaimed when the view was taken to the newest written. */
    OffsetRange offsets();

    /** Schema of the rows. */
    RowType rowType();

    /** Bytes of memory the view keeps from being freed, shared with other views. */
    long memoryBytes();

    /** Number of segments in the view. */
    int segmentCount();

    @Override
    void close();
}
