package io.paimon.realtime.memory.arrow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * The chunks of the building segment. Small neighbours are merged into bigger ones, so that many small writes leave few chunks and each row is copied a
 * logarithmic number of times.
 *
 * <p><b>Tiers.</b> A chunk's own tier is the number of times {@link #FACTOR} divides its rows; a chunk followed by one of a higher tier counts as of that tier, so that tiers never ascend
 * towards the end. As soon as {@link #FACTOR} neighbours have one tier, they become one chunk. Chunks of {@link #FULL_ROWS} rows or {@link #FULL_BYTES} bytes
 * are full and are not copied any more. So at most FACTOR - 1 chunks per tier are left, besides full ones.
 *
 * <p>Confined to the indexer's owner.
 */
final class ChunkList
{
    static final int FACTOR = 8;
    static final int MAX_ROWS = 65_536;
    /** Half of the most rows a merge makes: two that are not full always fit into one. */
    private static final int FULL_ROWS = MAX_ROWS / 2;
    private static final long FULL_BYTES = 8 << 20;
    private static final int FULL_TIER = 5;

    private final List<Field> fields;
    private final Optional<KeyColumns> key;
    private final BufferAllocator allocator;
    private List<Chunk> chunks = new ArrayList<>();

    ChunkList(List<Field> fields, Optional<KeyColumns> key, BufferAllocator allocator)
    {
        this.fields = fields;
        this.key = key;
        this.allocator = allocator;
    }

    List<Chunk> chunks()
    {
        return chunks;
    }

    boolean isEmpty()
    {
        return chunks.isEmpty();
    }

    long bytes()
    {
        return chunks.stream().mapToLong(Chunk::bytes).sum();
    }

    /** Takes over the chunk and the caller's hold on it. */
    void add(Chunk chunk)
    {
        chunks.add(chunk);
    }

    /** Merges what is due. */
    void compact()
    {
        try {
            boolean merged = true;
            while (merged) {
                merged = mergeOnce();
            }
        }
        catch (OutOfMemoryException e) {
            // merging needs memory for a moment and is only there to save time: the chunks stay as they are until the next write
            return;
        }
    }

    /** Drops the rows from the offset on; a chunk that a merge made of both sides is cut. */
    void discardFrom(long offset)
    {
        while (!chunks.isEmpty() && chunks.getLast().endOffset() > offset) {
            Chunk last = chunks.getLast();
            if (last.startOffset() < offset) {
                Chunk head = merge(List.of(last), Math.toIntExact(offset - last.startOffset()));
                chunks.set(chunks.size() - 1, head);
            }
            else {
                chunks.removeLast();
            }
            last.release();
        }
    }

    /** All chunks with the holds on them; the list is empty afterwards. */
    List<Chunk> removeAll()
    {
        List<Chunk> all = chunks;
        chunks = new ArrayList<>();
        return all;
    }

    private boolean mergeOnce()
    {
        // tiers never ascend towards the end, so those of one tier are neighbours; what lies before a full chunk was settled when that came
        int end = chunks.size();
        int tier = 0;
        while (end > 0) {
            tier = Math.max(tier, tier(chunks.get(end - 1)));
            if (tier == FULL_TIER) {
                return false;
            }
            int start = end;
            while (start > 0 && tier(chunks.get(start - 1)) <= tier) {
                start--;
            }
            if (end - start >= FACTOR && merge(start, end)) {
                return true;
            }
            end = start;
        }
        return false;
    }

    private boolean merge(int start, int end)
    {
        int rows = 0;
        int stop = start;
        while (stop < end && rows + chunks.get(stop).rowCount() <= MAX_ROWS) {
            rows += chunks.get(stop).rowCount();
            stop++;
        }
        if (stop - start < 2) {
            return false;
        }
        List<Chunk> parts = List.copyOf(chunks.subList(start, stop));
        Chunk merged = merge(parts, rows);
        chunks.subList(start, stop).clear();
        chunks.add(start, merged);
        Chunk.releaseAll(parts);
        return true;
    }

    private Chunk merge(List<Chunk> parts, int rows)
    {
        List<Positions> positions = parts.size() == 1
                ? List.of(Positions.range(0, rows))
                : parts.stream().map(part -> Positions.range(0, part.rowCount())).toList();
        List<FieldVector> columns = new ArrayList<>(fields.size());
        try {
            for (int i = 0; i < fields.size(); i++) {
                int column = i;
                columns.add(
                        VectorGather.gather(fields.get(i), parts.stream().map(part -> part.columns().get(column)).toList(), positions, allocator));
            }
            return newChunk(columns, rows, parts.getFirst().startOffset());
        }
        catch (Throwable t) {
            columns.forEach(FieldVector::close);
            throw t;
        }
    }

    /** A chunk that owns the vectors; if this throws they stay the caller's. */
    Chunk newChunk(List<FieldVector> columns, int rows, long startOffset)
    {
        return new Chunk(columns, rows, startOffset, key.map(order -> order.order(columns, rows, allocator)).orElse(null));
    }

    private static int tier(Chunk chunk)
    {
        if (chunk.rowCount() >= FULL_ROWS || chunk.bytes() >= FULL_BYTES) {
            return FULL_TIER;
        }
        int tier = 0;
        for (int rows = chunk.rowCount(); rows >= FACTOR; rows /= FACTOR) {
            tier++;
        }
        return tier;
    }
}
