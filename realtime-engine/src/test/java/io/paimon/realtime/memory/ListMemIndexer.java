package io.paimon.realtime.memory;

import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.KeyRange;
import io.paimon.realtime.model.OffsetRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.InternalRowUtils;
import org.apache.paimon.utils.ProjectedRow;

/** The simplest indexer: a list of rows on the heap per segment, turned into vectors when read. Knows no nested schema changes. */
final class ListMemIndexer implements MemIndexer
{
    private static final int BATCH_ROWS = 1000;

    private final MemIndexerOptions options;
    private final List<Segment> sealed = new ArrayList<>();
    private List<InternalRow> building = new ArrayList<>();
    private long buildingStart;
    private boolean closed;

    ListMemIndexer(MemIndexerOptions options)
    {
        this.options = options;
        this.buildingStart = options.startOffset();
    }

    @Override
    public void write(RealtimeWriteBatch batch)
    {
        checkOpen();
        if (batch.startOffset() != nextOffset()) {
            throw new IllegalArgumentException("Batch starts at offset %s, the next one is %s".formatted(batch.startOffset(), nextOffset()));
        }
        ArrowRowView view = new ArrowRowView(batch.rows(), options.rowType());
        List<InternalRow> rows = new ArrayList<>(building);
        for (int i = 0; i < batch.rowCount(); i++) {
            rows.add(copy(view.setPosition(batch.position(i))));
        }
        building = rows;
    }

    private InternalRow copy(InternalRow row)
    {
        GenericRow copy = new GenericRow(options.rowType().getFieldCount());
        for (int i = 0; i < copy.getFieldCount(); i++) {
            DataType type = options.rowType().getTypeAt(i);
            copy.setField(i, InternalRowUtils.copy(InternalRow.createFieldGetter(type, i).getFieldOrNull(row), type));
        }
        return copy;
    }

    @Override
    public void discardFrom(long offset)
    {
        checkOpen();
        if (offset < buildingStart || offset > nextOffset()) {
            throw new IllegalArgumentException("Offset %s is not in the building segment [%s, %s)".formatted(offset, buildingStart, nextOffset()));
        }
        building = new ArrayList<>(building.subList(0, Math.toIntExact(offset - buildingStart)));
    }

    @Override
    public Optional<RealtimeSegmentHandle> sealForCommit()
    {
        checkOpen();
        if (building.isEmpty()) {
            return Optional.empty();
        }
        Segment segment = new Segment(new OffsetRange(buildingStart, nextOffset()), List.copyOf(building));
        sealed.add(segment);
        buildingStart = segment.offsets().end();
        building = new ArrayList<>();
        return Optional.of(segment);
    }

    @Override
    public MemReadView acquireReadView()
    {
        checkOpen();
        List<InternalRow> rows = new ArrayList<>();
        sealed.forEach(segment -> rows.addAll(segment.rows()));
        rows.addAll(building);
        List<OffsetRange> segments = new ArrayList<>(sealed.stream().map(Segment::offsets).toList());
        if (!building.isEmpty()) {
            segments.add(new OffsetRange(buildingStart, nextOffset()));
        }
        return new View(new OffsetRange(nextOffset() - rows.size(), nextOffset()), rows, options.rowType(), segments, new AtomicBoolean());
    }

    @Override
    public List<MemBatchReader> createQueryReaders(MemReadView readView, MemReadRequest request, MemQueryContext context)
    {
        View view = (View) readView;
        if (view.closed().get()) {
            throw new IllegalStateException("View is closed");
        }
        Optional<KeyComparison> keys = request.order().map(order -> new KeyComparison(options, order.range()));
        List<InternalRow> chosen = new ArrayList<>();
        List<InternalRow> rows = new ArrayList<>();
        for (int i = 0; i < view.rows().size(); i++) {
            long offset = view.offsets().start() + i;
            if (offset >= request.offsets().start() && offset < request.offsets().end()) {
                context.rowsScanned().increment();
                InternalRow row = view.rows().get(i);
                if ((keys.isEmpty() || keys.get().isInRange(row))
                        && (request.filter().isEmpty() || request.filter().get().test(convert(row, request.tableType(), offset)))) {
                    context.rowsReturned().increment();
                    int place = keys.isEmpty() ? rows.size() : keys.get().placeBehindEquals(chosen, row);
                    chosen.add(place, row);
                    rows.add(place, convert(row, request.readType(), offset));
                }
            }
        }
        return rows.isEmpty() ? List.of() : List.of(new Reader(request.readType(), rows.iterator(), context.allocator()));
    }

    /** Stored rows by their keys. */
    private record KeyComparison(MemIndexerOptions options, KeyRange range, Comparator<InternalRow> comparator, int[] columns)
    {
        private KeyComparison(MemIndexerOptions options, KeyRange range)
        {
            this(options, range, options.primaryKey().orElseThrow().comparators().get(),
                    options.primaryKey().orElseThrow().positions(options.rowType()));
        }

        private InternalRow key(InternalRow row)
        {
            return ProjectedRow.from(columns).replaceRow(row);
        }

        private boolean isInRange(InternalRow row)
        {
            return (range.from().isEmpty() || comparator.compare(key(row), range.from().get()) >= 0)
                    && (range.to().isEmpty() || comparator.compare(key(row), range.to().get()) < 0);
        }

        private int placeBehindEquals(List<InternalRow> sorted, InternalRow row)
        {
            int low = 0;
            int high = sorted.size();
            while (low < high) {
                int middle = (low + high) / 2;
                if (comparator.compare(key(sorted.get(middle)), key(row)) <= 0) {
                    low = middle + 1;
                }
                else {
                    high = middle;
                }
            }
            return low;
        }
    }

    @SuppressWarnings("unchecked")
    private InternalRow convert(InternalRow row, RowType type, long offset)
    {
        GenericRow converted = new GenericRow(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataField wanted = type.getFields().get(i);
            if (wanted.id() == SpecialFields.SEQUENCE_NUMBER.id()) {
                converted.setField(i, offset);
            }
            for (int k = 0; k < options.rowType().getFieldCount(); k++) {
                DataField stored = options.rowType().getFields().get(k);
                if (stored.id() == wanted.id() && !row.isNullAt(k)) {
                    Object value = InternalRow.createFieldGetter(stored.type(), k).getFieldOrNull(row);
                    CastExecutor<Object, Object> cast = stored.type().equalsIgnoreNullable(wanted.type())
                            ? identity -> identity
                            : (CastExecutor<Object, Object>) CastExecutors.resolve(stored.type(), wanted.type());
                    converted.setField(i, cast.cast(value));
                }
            }
        }
        return converted;
    }

    @Override
    public List<MemBatchReader> createCommitReaders(RealtimeSegmentHandle handle)
    {
        Segment segment = (Segment) handle;
        if (!sealed.contains(segment)) {
            throw new IllegalArgumentException("Segment %s is reclaimed".formatted(segment.offsets()));
        }
        return List.of(new Reader(options.rowType(), segment.rows().iterator(), options.allocator()));
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
        sealed.removeIf(segment -> segment.offsets().end() <= committedOffset);
    }

    @Override
    public long memoryBytes()
    {
        return rowCount() * 100;
    }

    @Override
    public long rowCount()
    {
        return building.size() + sealed.stream().mapToLong(Segment::rowCount).sum();
    }

    @Override
    public int segmentCount()
    {
        return sealed.size() + (building.isEmpty() ? 0 : 1);
    }

    @Override
    public void close()
    {
        closed = true;
        sealed.clear();
        building = new ArrayList<>();
    }

    private long nextOffset()
    {
        return buildingStart + building.size();
    }

    private void checkOpen()
    {
        if (closed) {
            throw new IllegalStateException("Indexer is closed");
        }
    }

    private record Segment(OffsetRange offsets, List<InternalRow> rows) implements RealtimeSegmentHandle
    {
        @Override
        public long rowCount()
        {
            return rows.size();
        }

        @Override
        public long memoryBytes()
        {
            return rows.size() * 100L;
        }
    }

    private record View(OffsetRange offsets, List<InternalRow> rows, RowType rowType, List<OffsetRange> segments,
            AtomicBoolean closed) implements MemReadView
    {
        @Override
        public long memoryBytes()
        {
            return rows.size() * 100L;
        }

        @Override
        public void close()
        {
            if (!closed.compareAndSet(false, true)) {
                throw new IllegalStateException("View is closed already");
            }
        }
    }

    private record Reader(RowType type, Iterator<InternalRow> rows, BufferAllocator allocator) implements MemBatchReader
    {
        @Override
        public Optional<MemBatch> next()
        {
            if (!rows.hasNext()) {
                return Optional.empty();
            }
            try (ArrowRowWriter writer = new ArrowRowWriter(type, allocator)) {
                while (rows.hasNext() && writer.rowCount() < BATCH_ROWS) {
                    writer.append(rows.next());
                }
                VectorSchemaRoot root = writer.finish();
                return Optional.of(new MemBatch(root.getFieldVectors(), null, 0, root.getRowCount(), root::close));
            }
        }

        @Override
        public void close()
        {}
    }
}
