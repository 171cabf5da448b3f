package io.paimon.realtime.memory.arrow;

import com.google.common.io.Closer;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.PrimaryKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.RowType;

/**
 * Merges readers whose rows are in the order of their keys into one; of equal keys those of an earlier reader come first. What it returns are copies of its own.
 *
 * <p>Of each reader one batch is in hand, and those that rows of the next result come from.
 */
public final class KeyMergeReader implements MemBatchReader
{
    private static final int BATCH_ROWS = 8192;

    private final List<MemBatchReader> readers;
    private final KeyColumns key;
    private final List<Field> fields;
    private final boolean newestOnly;
    private final BufferAllocator allocator;
    private final PriorityQueue<Cursor> cursors = new PriorityQueue<>(KeyMergeReader::compare);
    private List<Part> parts = new ArrayList<>();
    private boolean started;
    private boolean closed;

    private KeyMergeReader(List<MemBatchReader> readers, PrimaryKey key, RowType readType, boolean newestOnly, BufferAllocator allocator)
    {
        this.readers = List.copyOf(readers);
        this.key = new KeyColumns(key, readType);
        this.fields = ArrowSchemas.toArrowSchema(readType).getFields();
        this.newestOnly = newestOnly;
        this.allocator = allocator;
    }

    /**
     * @param readers of the columns of {@code readType}; closed with the result
     * @param newestOnly whether of rows of one key only the last one is wanted; each reader alone must do so already
     * @param allocator owner of the results
     */
    public static MemBatchReader merge(List<MemBatchReader> readers, PrimaryKey key, RowType readType, boolean newestOnly, BufferAllocator allocator)
    {
        return readers.size() == 1 ? readers.getFirst() : new KeyMergeReader(readers, key, readType, newestOnly, allocator);
    }

    /** A batch that rows of the next result come from. */
    private static final class Part
    {
        private final MemBatch batch;
        private int[] positions = new int[64];
        /** Where each of these rows is in the result. */
        private int[] places = new int[64];
        private int count;
        private boolean exhausted;

        private Part(MemBatch batch)
        {
            this.batch = batch;
        }

        private void add(int position, int place)
        {
            if (count == positions.length) {
                positions = Arrays.copyOf(positions, 2 * count);
                places = Arrays.copyOf(places, 2 * count);
            }
            positions[count] = position;
            places[count] = place;
            count++;
        }
    }

    /** The next row of a reader. */
    private final class Cursor
    {
        private final int ordinal;
        private Part part;
        private KeyColumns.Keys keys;
        private int next;

        private Cursor(int ordinal)
        {
            this.ordinal = ordinal;
        }

        private int position()
        {
            return part.batch.position(next);
        }

        /** False at the end of the reader. */
        private boolean advance()
        {
            next++;
            if (part == null || next == part.batch.rowCount()) {
                if (part != null) {
                    part.exhausted = true;
                    part = null;
                }
                Optional<MemBatch> following = readers.get(ordinal).next();
                if (following.isEmpty()) {
                    return false;
                }
                part = new Part(following.get());
                parts.add(part);
                keys = key.keys(part.batch.columns());
                next = 0;
            }
            return true;
        }
    }

    private static int compare(Cursor left, Cursor right)
    {
        int order = left.keys.compare(left.position(), right.keys, right.position());
        return order == 0 ? Integer.compare(left.ordinal, right.ordinal) : order;
    }

    @Override
    public synchronized Optional<MemBatch> next()
    {
        if (closed) {
            throw new IllegalStateException("The reader is closed");
        }
        if (!started) {
            started = true;
            for (int i = 0; i < readers.size(); i++) {
                Cursor cursor = new Cursor(i);
                if (cursor.advance()) {
                    cursors.add(cursor);
                }
            }
        }
        int rows = 0;
        while (rows < BATCH_ROWS && !cursors.isEmpty()) {
            Cursor cursor = cursors.poll();
            Part part = cursor.part;
            int position = cursor.position();
            KeyColumns.Keys keys = cursor.keys;
            if (cursor.advance()) {
                cursors.add(cursor);
            }
            if (!newestOnly || cursors.isEmpty() || cursors.peek().keys.compare(cursors.peek().position(), keys, position) != 0) {
                part.add(position, rows++);
            }
        }
        try {
            return rows == 0 ? Optional.empty() : Optional.of(result(rows));
        }
        finally {
            List<Part> left = new ArrayList<>();
            for (Part part : parts) {
                if (part.exhausted) {
                    part.batch.close();
                }
                else {
                    part.count = 0;
                    left.add(part);
                }
            }
            parts = left;
        }
    }

    private MemBatch result(int rows)
    {
        List<Part> used = parts.stream().filter(part -> part.count > 0).toList();
        List<Positions> positions = used.stream().map(part -> new Positions(part.positions, 0, part.count)).toList();
        int[] order = new int[rows];
        int start = 0;
        for (Part part : used) {
            for (int i = 0; i < part.count; i++) {
                order[part.places[i]] = start + i;
            }
            start += part.count;
        }
        List<FieldVector> columns = new ArrayList<>(fields.size());
        try {
            for (int i = 0; i < fields.size(); i++) {
                int column = i;
                List<FieldVector> sources = used.stream().map(part -> part.batch.columns().get(column)).toList();
                if (used.size() == 1) {
                    columns.add(VectorGather.gather(fields.get(i), sources, positions, allocator));
                    continue;
                }
                // column by column twice is faster than row by row once
                try (FieldVector unordered = VectorGather.gather(fields.get(i), sources, positions, allocator)) {
                    columns.add(VectorGather.gather(fields.get(i), unordered, Positions.of(order), allocator));
                }
            }
            return new MemBatch(columns, null, 0, rows, () -> columns.forEach(FieldVector::close));
        }
        catch (Throwable t) {
            columns.forEach(FieldVector::close);
            throw t;
        }
    }

    @Override
    public synchronized void close()
    {
        if (closed) {
            return;
        }
        closed = true;
        try (Closer closer = Closer.create()) {
            readers.forEach(reader -> closer.register(reader::close));
            parts.forEach(part -> closer.register(part.batch::close));
            parts = List.of();
            cursors.clear();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
