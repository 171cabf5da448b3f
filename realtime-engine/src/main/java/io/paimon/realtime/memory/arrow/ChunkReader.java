package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Reads chunks one after the other; holds those that are not read yet. */
final class ChunkReader implements MemBatchReader
{
    private final Deque<Chunk> chunks;
    private final QueryPlan plan;

    /** Takes over one hold on each chunk. */
    ChunkReader(List<Chunk> chunks, QueryPlan plan)
    {
        this.chunks = new ArrayDeque<>(chunks);
        this.plan = plan;
    }

    @Override
    public synchronized Optional<MemBatch> next()
    {
        while (!chunks.isEmpty()) {
            Optional<MemBatch> batch = plan.read(chunks.getFirst());
            chunks.removeFirst().release();
            if (batch.isPresent()) {
                return batch;
            }
        }
        return Optional.empty();
    }

    @Override
    public synchronized void close()
    {
        chunks.forEach(Chunk::release);
        chunks.clear();
    }
}
