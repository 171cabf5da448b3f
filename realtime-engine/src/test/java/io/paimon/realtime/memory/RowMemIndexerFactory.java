package io.paimon.realtime.memory;

import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.OffsetRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * The simplest indexer that keeps the contract, named {@code rows}: one immutable copy per write, rows filtered one by one. Proves that indexers can be exchanged.
 * It reads only what was written under the requested schema.
 */
public final class RowMemIndexerFactory implements MemIndexerFactory
{
    @Override
    public String name()
    {
        return "rows";
    }

    @Override
    public MemIndexer create(MemIndexerOptions options)
    {
        return new RowMemIndexer(options);
    }

    private static final class Chunk
    {
        private final VectorSchemaRoot rows;
        private final OffsetRange offsets;
        private final AtomicInteger holders = new AtomicInteger(1);

        private Chunk(VectorSchemaRoot rows, OffsetRange offsets)
        {
            this.rows = rows;
            this.offsets = offsets;
        }

        private Chunk retain()
        {
            holders.incrementAndGet();
            return this;
        }

        private void release()
        {
            if (holders.decrementAndGet() == 0) {
                rows.close();
            }
        }

        private long bytes()
        {
            return rows.getFieldVectors().stream().mapToLong(vector -> vector.getBufferSize()).sum();
        }
    }

    private record Segment(List<Chunk> chunks, OffsetRange offsets) implements RealtimeSegmentHandle
    {
        @Override
        public long rowCount()
        {
            return offsets.rows();
        }

        @Override
        public long memoryBytes()
        {
            return chunks.stream().mapToLong(Chunk::bytes).sum();
        }
    }

    private record View(List<Chunk> chunks, OffsetRange offsets, RowType rowType, int segmentCount) implements MemReadView
    {
        @Override
        public long memoryBytes()
        {
            return chunks.stream().mapToLong(Chunk::bytes).sum();
        }

        @Override
        public void close()
        {
            chunks.forEach(Chunk::release);
        }
    }

    private static final class RowMemIndexer implements MemIndexer
    {
        private final RowType rowType;
        private final BufferAllocator allocator;
        private final List<Segment> sealed = new ArrayList<>();
        private final List<Chunk> building = new ArrayList<>();
        private long start;
        private long buildingStart;
        private long end;

        private RowMemIndexer(MemIndexerOptions options)
        {
            this.rowType = options.rowType();
            this.allocator = options.allocator();
            this.start = options.startOffset();
            this.buildingStart = start;
            this.end = start;
        }

        @Override
        public void write(RealtimeWriteBatch batch)
        {
            if (batch.startOffset() != end) {
                throw new IllegalArgumentException("Offset %s does not continue %s".formatted(batch.startOffset(), end));
            }
            try (ArrowRowWriter writer = new ArrowRowWriter(rowType, allocator)) {
                ArrowRowView view = new ArrowRowView(batch.rows(), rowType);
                for (int i = 0; i < batch.rowCount(); i++) {
                    writer.append(view.setPosition(batch.position(i)));
                }
                building.add(new Chunk(writer.finish(), new OffsetRange(end, end + batch.rowCount())));
            }
            end += batch.rowCount();
        }

        @Override
        public void discardFrom(long offset)
        {
            if (offset < buildingStart || offset > end) {
                throw new IllegalArgumentException("Offset %s is not in the building segment".formatted(offset));
            }
            while (!building.isEmpty() && building.getLast().offsets.start() >= offset) {
                building.removeLast().release();
            }
            end = offset;
        }

        @Override
        public Optional<RealtimeSegmentHandle> sealForCommit()
        {
            if (building.isEmpty()) {
                return Optional.empty();
            }
            Segment segment = new Segment(List.copyOf(building), new OffsetRange(buildingStart, end));
            sealed.add(segment);
            building.clear();
            buildingStart = end;
            return Optional.of(segment);
        }

        @Override
        public MemReadView acquireReadView()
        {
            List<Chunk> chunks = new ArrayList<>();
            sealed.forEach(segment -> segment.chunks.forEach(chunk -> chunks.add(chunk.retain())));
            building.forEach(chunk -> chunks.add(chunk.retain()));
            return new View(chunks, new OffsetRange(start, end), rowType, segmentCount());
        }

        @Override
        public List<MemBatchReader> createQueryReaders(MemReadView view, MemReadRequest request, MemQueryContext context)
        {
            if (!request.readType().equals(rowType) || !request.tableType().equals(rowType)) {
                throw new UnsupportedOperationException("Only whole rows of one schema");
            }
            List<Chunk> chunks = ((View) view).chunks.stream()
                    .filter(chunk -> chunk.offsets.start() < request.offsets().end() && chunk.offsets.end() > request.offsets().start())
                    .map(Chunk::retain)
                    .toList();
            return List.of(new Reader(chunks, request, context));
        }

        @Override
        public List<MemBatchReader> createCommitReaders(RealtimeSegmentHandle segment)
        {
            MemReadRequest everything = new MemReadRequest(segment.offsets(), rowType, rowType, Optional.empty());
            return List.of(new Reader(((Segment) segment).chunks.stream().map(Chunk::retain).toList(), everything, new MemQueryContext(allocator)));
        }

        @Override
        public void reclaim(long committedOffset)
        {
            if (committedOffset > start && sealed.stream().noneMatch(segment -> segment.offsets.end() == committedOffset)) {
                throw new IllegalArgumentException("Offset %s is not the end of a sealed segment".formatted(committedOffset));
            }
            while (!sealed.isEmpty() && sealed.getFirst().offsets.end() <= committedOffset) {
                Segment segment = sealed.removeFirst();
                segment.chunks.forEach(Chunk::release);
                start = segment.offsets.end();
            }
        }

        @Override
        public long memoryBytes()
        {
            return sealed.stream().mapToLong(Segment::memoryBytes).sum() + building.stream().mapToLong(Chunk::bytes).sum();
        }

        @Override
        public long rowCount()
        {
            return end - start;
        }

        @Override
        public int segmentCount()
        {
            return sealed.size() + (building.isEmpty() ? 0 : 1);
        }

        @Override
        public void close()
        {
            sealed.forEach(segment -> segment.chunks.forEach(Chunk::release));
            building.forEach(Chunk::release);
            sealed.clear();
            building.clear();
            start = end;
            buildingStart = end;
        }
    }

    private static final class Reader implements MemBatchReader
    {
        private final List<Chunk> chunks;
        private final MemReadRequest request;
        private final MemQueryContext context;
        private int next;

        private Reader(List<Chunk> chunks, MemReadRequest request, MemQueryContext context)
        {
            this.chunks = new ArrayList<>(chunks);
            this.request = request;
            this.context = context;
        }

        @Override
        public Optional<MemBatch> next()
        {
            while (next < chunks.size()) {
                Chunk chunk = chunks.get(next++);
                ArrowRowView view = new ArrowRowView(chunk.rows, request.tableType());
                int[] positions = new int[chunk.rows.getRowCount()];
                int count = 0;
                for (int i = 0; i < positions.length; i++) {
                    long offset = chunk.offsets.start() + i;
                    if (offset < request.offsets().start() || offset >= request.offsets().end()) {
                        continue;
                    }
                    view.setPosition(i);
                    if (request.filter().isEmpty() || request.filter().get().test(view)) {
                        positions[count++] = i;
                    }
                }
                context.rowsScanned().add(positions.length);
                if (count > 0) {
                    context.rowsReturned().add(count);
                    chunk.retain();
                    return Optional.of(new MemBatch(request.readType().getFields().stream().map(DataField::name).map(chunk.rows::getVector).toList(),
                            positions, 0,
                            count, chunk::release));
                }
            }
            return Optional.empty();
        }

        @Override
        public void close()
        {
            chunks.forEach(Chunk::release);
            chunks.clear();
            next = 0;
        }
    }
}
