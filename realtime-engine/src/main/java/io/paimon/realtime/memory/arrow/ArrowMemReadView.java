package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.MemReadView;
import io.paimon.realtime.model.OffsetRange;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.paimon.types.RowType;

/** Holds the chunks of one moment. */
final class ArrowMemReadView implements MemReadView
{
    private final RowType rowType;
    private final OffsetRange offsets;
    private final List<Chunk> chunks;
    private final List<OffsetRange> segments;
    private final long memoryBytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    ArrowMemReadView(RowType rowType, OffsetRange offsets, List<Chunk> chunks, List<OffsetRange> segments)
    {
        this.rowType = rowType;
        this.offsets = offsets;
        this.chunks = List.copyOf(chunks);
        this.segments = List.copyOf(segments);
        this.memoryBytes = chunks.stream().mapToLong(Chunk::bytes).sum();
        this.chunks.forEach(Chunk::retain);
    }

    /** The chunks, each held once more for the caller. */
    List<Chunk> retainChunks()
    {
        // a chunk that others still hold can be held again even if close runs meanwhile
        if (closed.get() || !Chunk.tryRetainAll(chunks)) {
            throw new IllegalStateException("View is closed");
        }
        return chunks;
    }

    @Override
    public OffsetRange offsets()
    {
        return offsets;
    }

    @Override
    public RowType rowType()
    {
        return rowType;
    }

    @Override
    public long memoryBytes()
    {
        return memoryBytes;
    }

    @Override
    public List<OffsetRange> segments()
    {
        return segments;
    }

    @Override
    public void close()
    {
        if (!closed.compareAndSet(false, true)) {
            throw new IllegalStateException("View is closed already");
        }
        Chunk.releaseAll(chunks);
    }
}
