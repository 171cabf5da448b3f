package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.KeyOrder;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemIndexerOptions;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.MemReadView;
import io.paimon.realtime.memory.PrimaryKey;
import io.paimon.realtime.memory.RealtimeSegmentHandle;
import io.paimon.realtime.memory.RealtimeWriteBatch;
import io.paimon.realtime.model.OffsetRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.RowType;

/**
 * Rows as Arrow vectors.
 *
 * <p><b>Chunks.</b> Every write gathers its rows, column by column, into a new immutable chunk; {@link ChunkList} merges small ones. A segment is a list of chunks. Views, readers and batches hold
 * chunks by counting; the indexer's own hold ends when a segment is reclaimed or a chunk is merged into another. Nothing a view shows is ever changed.
 *
 * <p><b>Keys.</b> With a primary key every chunk also holds the order of its rows by key, made when the chunk is. A reader in the order of keys merges those of the chunks: nothing is sorted for a query.
 *
 * <p><b>Threading.</b> State belongs to the owner (see {@link MemIndexer}); the totals are volatile for whoever watches. Readers work on chunks only.
 */
final class ArrowMemIndexer implements MemIndexer
{
    /** Rows from which on the chunks of a view get another reader, so that several threads can read them. */
    private static final long ROWS_PER_READER = 8L * ChunkList.MAX_ROWS;

    private final RowType rowType;
    private final List<Field> fields;
    private final Optional<PrimaryKey> primaryKey;
    private final BufferAllocator allocator;
    private final Deque<Segment> sealed = new ArrayDeque<>();
    private final ChunkList building;
    private long buildingStart;
    private long nextOffset;
    private boolean closed;
    private volatile long memoryBytes;
    private volatile long rowCount;
    private volatile int segmentCount;

    ArrowMemIndexer(MemIndexerOptions options)
    {
        this.rowType = options.rowType();
        this.fields = ArrowSchemas.toArrowSchema(rowType).getFields();
        this.allocator = options.allocator();
        this.primaryKey = options.primaryKey();
        this.building = new ChunkList(fields, primaryKey.map(key -> new KeyColumns(key, rowType)), allocator);
        this.buildingStart = options.startOffset();
        this.nextOffset = options.startOffset();
    }

    @Override
    public void write(RealtimeWriteBatch batch)
    {
        checkOpen();
        if (batch.startOffset() != nextOffset) {
            throw new IllegalArgumentException("Batch starts at offset %s, the next one is %s".formatted(batch.startOffset(), nextOffset));
        }
        checkRows(batch);
        building.add(gather(batch));
        nextOffset += batch.rowCount();
        updateTotals();
    }

    @Override
    public void discardFrom(long offset)
    {
        checkOpen();
        if (offset < buildingStart || offset > nextOffset) {
            throw new IllegalArgumentException("Offset %s is not in the building segment [%s, %s)".formatted(offset, buildingStart, nextOffset));
        }
        building.discardFrom(offset);
        nextOffset = offset;
        updateTotals();
    }

    private Chunk gather(RealtimeWriteBatch batch)
    {
        Positions positions = new Positions(batch.positions(), batch.from(), batch.rowCount());
        List<FieldVector> columns = new ArrayList<>(fields.size());
        try {
            for (int i = 0; i < fields.size(); i++) {
                columns.add(VectorGather.gather(fields.get(i), batch.rows().getVector(i), positions, allocator));
            }
            return building.newChunk(columns, batch.rowCount(), batch.startOffset());
        }
        catch (Throwable t) {
            columns.forEach(FieldVector::close);
            throw t;
        }
    }

    /** The gather works on raw addresses: what it reads must be there. */
    private void checkRows(RealtimeWriteBatch batch)
    {
        List<FieldVector> vectors = batch.rows().getFieldVectors();
        if (vectors.size() != fields.size()) {
            throw new IllegalArgumentException("Batch has %s columns, not %s".formatted(vectors.size(), fields.size()));
        }
        int previous = -1;
        for (int i = 0; batch.positions() != null && i < batch.rowCount(); i++) {
            int position = batch.position(i);
            if (position <= previous) {
                throw new IllegalArgumentException("Positions do not ascend: %s after %s".formatted(position, previous));
            }
            previous = position;
        }
        int end = batch.positions() == null ? batch.from() + batch.rowCount() : previous + 1;
        for (int i = 0; i < vectors.size(); i++) {
            FieldVector vector = vectors.get(i);
            if (!vector.getField().getType().equals(fields.get(i).getType()) || vector.getValueCount() < end) {
                throw new IllegalArgumentException("Column %s with %s values is no canonical column %s of %s values".formatted(vector.getField(),
                        vector.getValueCount(), fields.get(i), end));
            }
        }
    }

    @Override
    public Optional<RealtimeSegmentHandle> sealForCommit()
    {
        checkOpen();
        if (building.isEmpty()) {
            return Optional.empty();
        }
        long bytes = building.bytes();
        Segment segment = new Segment(new OffsetRange(buildingStart, nextOffset), building.removeAll(), bytes);
        sealed.addLast(segment);
        buildingStart = nextOffset;
        updateTotals();
        return Optional.of(segment);
    }

    @Override
    public MemReadView acquireReadView()
    {
        checkOpen();
        // only now, when nobody will discard the rows any more: so discarding never has to cut a chunk, which takes memory
        building.compact();
        updateTotals();
        List<Chunk> chunks = new ArrayList<>();
        List<OffsetRange> segments = new ArrayList<>();
        sealed.forEach(segment -> {
            chunks.addAll(segment.chunks());
            segments.add(segment.offsets());
        });
        if (!building.isEmpty()) {
            chunks.addAll(building.chunks());
            segments.add(new OffsetRange(buildingStart, nextOffset));
        }
        return new ArrowMemReadView(rowType, new OffsetRange(oldestOffset(), nextOffset), chunks, segments);
    }

    @Override
    public List<MemBatchReader> createQueryReaders(MemReadView view, MemReadRequest request, MemQueryContext context)
    {
        if (!(view instanceof ArrowMemReadView arrowView)) {
            throw new IllegalArgumentException("Not a view of an Arrow indexer: " + view);
        }
        requireNonNull(context, "context is null");
        List<Chunk> chunks = arrowView.retainChunks();
        try {
            QueryPlan plan = new QueryPlan(arrowView.rowType(), request, context);
            return request.order().isPresent()
                    ? readersInKeyOrder(chunks, request, plan, context)
                    : readers(chunks, request.offsets(), plan, context);
        }
        finally {
            Chunk.releaseAll(chunks);
        }
    }

    private List<MemBatchReader> readersInKeyOrder(List<Chunk> chunks, MemReadRequest request, QueryPlan plan, MemQueryContext context)
    {
        KeyOrder order = request.order().orElseThrow();
        PrimaryKey key = primaryKey.orElseThrow(() -> new IllegalArgumentException("Rows without a key have no order of keys"));
        // what is wrong with the request must be known before chunks are held
        KeyColumns stored = new KeyColumns(key, rowType);
        stored.check(order.range());
        key.positions(request.readType());
        List<MemBatchReader> readers = new ArrayList<>();
        for (Chunk chunk : chunks) {
            if (chunk.endOffset() <= request.offsets().start() || chunk.startOffset() >= request.offsets().end()) {
                context.batchesPruned().increment();
                continue;
            }
            chunk.retain();
            readers.add(new ChunkKeyReader(chunk, plan, stored, order));
        }
        return readers.isEmpty()
                ? List.of()
                : List.of(KeyMergeReader.merge(readers, key, request.readType(), order.newestOnly(), context.allocator()));
    }

    private static List<MemBatchReader> readers(List<Chunk> chunks, OffsetRange offsets, QueryPlan plan, MemQueryContext context)
    {
        List<MemBatchReader> readers = new ArrayList<>();
        List<Chunk> group = new ArrayList<>();
        long rows = 0;
        for (Chunk chunk : chunks) {
            if (chunk.endOffset() <= offsets.start() || chunk.startOffset() >= offsets.end()) {
                context.batchesPruned().increment();
                continue;
            }
            chunk.retain();
            group.add(chunk);
            rows += chunk.rowCount();
            if (rows >= ROWS_PER_READER) {
                readers.add(new ChunkReader(group, plan));
                group = new ArrayList<>();
                rows = 0;
            }
        }
        if (!group.isEmpty()) {
            readers.add(new ChunkReader(group, plan));
        }
        return readers;
    }

    @Override
    public List<MemBatchReader> createCommitReaders(RealtimeSegmentHandle handle)
    {
        if (!(handle instanceof Segment segment)) {
            throw new IllegalArgumentException("Not a segment of an Arrow indexer: " + handle);
        }
        if (!Chunk.tryRetainAll(segment.chunks())) {
            throw new IllegalArgumentException("Segment %s is reclaimed".formatted(segment.offsets()));
        }
        return List.of(new ChunkReader(segment.chunks(), new QueryPlan()));
    }

    @Override
    public void reclaim(long committedOffset)
    {
        checkOpen();
        if (committedOffset > buildingStart) {
            throw new IllegalArgumentException("Offset %s is beyond the sealed segments, which end at %s".formatted(committedOffset, buildingStart));
        }
        for (Segment segment : sealed) {
            if (committedOffset > segment.offsets().start() && committedOffset < segment.offsets().end()) {
                throw new IllegalArgumentException("Offset %s lies inside the segment %s".formatted(committedOffset, segment.offsets()));
            }
        }
        while (!sealed.isEmpty() && sealed.getFirst().offsets().end() <= committedOffset) {
            Chunk.releaseAll(sealed.removeFirst().chunks());
        }
        updateTotals();
    }

    @Override
    public long memoryBytes()
    {
        return memoryBytes;
    }

    @Override
    public long rowCount()
    {
        return rowCount;
    }

    @Override
    public int segmentCount()
    {
        return segmentCount;
    }

    @Override
    public void close()
    {
        if (closed) {
            return;
        }
        closed = true;
        sealed.forEach(segment -> Chunk.releaseAll(segment.chunks()));
        sealed.clear();
        Chunk.releaseAll(building.removeAll());
        buildingStart = nextOffset;
        updateTotals();
    }

    private long oldestOffset()
    {
        return sealed.isEmpty() ? buildingStart : sealed.getFirst().offsets().start();
    }

    private void updateTotals()
    {
        memoryBytes = building.bytes() + sealed.stream().mapToLong(Segment::memoryBytes).sum();
        rowCount = nextOffset - oldestOffset();
        segmentCount = sealed.size() + (building.isEmpty() ? 0 : 1);
    }

    private void checkOpen()
    {
        if (closed) {
            throw new IllegalStateException("Indexer is closed");
        }
    }
}
