package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.RealtimeSegmentHandle;
import io.paimon.realtime.model.OffsetRange;
import java.util.List;

/**
 * A sealed segment. The indexer holds its chunks until it reclaims them; the handle outlives that.
 */
record Segment(OffsetRange offsets, List<Chunk> chunks, long memoryBytes) implements RealtimeSegmentHandle
{
    Segment
    {
        chunks = List.copyOf(chunks);
    }

    @Override
    public long rowCount()
    {
        return offsets.rows();
    }
}
