package io.paimon.realtime.memory.arrow;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/**
 * Consecutive rows in canonical vectors, immutable, freed when the last holder lets go. Born held once, by its maker. Thread-safe.
 */
final class Chunk
{
    private final List<FieldVector> columns;
    private final int rowCount;
    private final long startOffset;
    private final long bytes;
    /** Null for rows without a key. */
    private final ArrowBuf keyOrder;
    private final AtomicInteger holders = new AtomicInteger(1);
    // filled when first asked for; racing threads compute the same
    private final ColumnStatistics[] statistics;

    /** The chunk owns the vectors from now on. */
    Chunk(List<FieldVector> columns, int rowCount, long startOffset)
    {
        this(columns, rowCount, startOffset, null);
    }

    /**
     * The chunk owns the vectors and the order from now on.
     *
     * @param keyOrder of {@link KeyColumns#order}; null for rows without a key
     */
    Chunk(List<FieldVector> columns, int rowCount, long startOffset, ArrowBuf keyOrder)
    {
        this.keyOrder = keyOrder;
        this.columns = List.copyOf(columns);
        this.rowCount = rowCount;
        this.startOffset = startOffset;
        this.statistics = new ColumnStatistics[columns.size()];
        long bytes = keyOrder == null ? 0 : keyOrder.capacity();
        for (FieldVector column : columns) {
            for (ArrowBuf buffer : column.getBuffers(false)) {
                bytes += buffer.capacity();
            }
        }
        this.bytes = bytes;
    }

    List<FieldVector> columns()
    {
        return columns;
    }

    int rowCount()
    {
        return rowCount;
    }

    long startOffset()
    {
        return startOffset;
    }

    long endOffset()
    {
        return startOffset + rowCount;
    }

    long bytes()
    {
        return bytes;
    }

    /** Positions of all rows in the order of their keys; those of one key ascend. */
    int[] keyOrder()
    {
        int[] order = new int[rowCount];
        for (int i = 0; i < rowCount; i++) {
            order[i] = keyOrder.getInt(4L * i);
        }
        return order;
    }

    ColumnStatistics statistics(int column)
    {
        ColumnStatistics known = statistics[column];
        if (known == null) {
            known = ColumnStatistics.of(columns.get(column));
            statistics[column] = known;
        }
        return known;
    }

    /** Holds the chunk once more, unless it is freed already. */
    boolean tryRetain()
    {
        int current = holders.get();
        while (current > 0) {
            if (holders.compareAndSet(current, current + 1)) {
                return true;
            }
            current = holders.get();
        }
        return false;
    }

    /** Holds the chunk once more; the caller knows of another holder. */
    void retain()
    {
        if (!tryRetain()) {
            throw new IllegalStateException("Chunk at offset %s is freed".formatted(startOffset));
        }
    }

    void release()
    {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Chunk at offset %s is released more often than held".formatted(startOffset));
        }
        if (left == 0) {
            columns.forEach(FieldVector::close);
            if (keyOrder != null) {
                keyOrder.close();
            }
        }
    }

    /** Holds all chunks, or none if one of them is freed. */
    static boolean tryRetainAll(List<Chunk> chunks)
    {
        for (int i = 0; i < chunks.size(); i++) {
            if (!chunks.get(i).tryRetain()) {
                releaseAll(chunks.subList(0, i));
                return false;
            }
        }
        return true;
    }

    static void releaseAll(List<Chunk> chunks)
    {
        chunks.forEach(Chunk::release);
    }
}
