package io.paimon.realtime.memory;

import io.paimon.realtime.model.OffsetRange;
import java.util.List;
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

    /** Offsets of each segment with rows in the view, in their order: a flush writes each of them by itself. */
    List<OffsetRange> segments();

    @Override
    void close();
}
