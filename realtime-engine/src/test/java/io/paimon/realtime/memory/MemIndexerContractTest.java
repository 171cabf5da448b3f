package io.paimon.realtime.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.model.OffsetRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link MemIndexer} of append tables promises. Extend it and name the factory.
 */
public abstract class MemIndexerContractTest
{
    private static final RowType SCHEMA = new RowType(List.of(
            new DataField(3, "id", DataTypes.BIGINT().notNull()),
            new DataField(1, "name", DataTypes.STRING()),
            new DataField(2, "score", DataTypes.DOUBLE())));

    protected BufferAllocator allocator;
    private MemIndexer indexer;

    /** Name of the factory under test. */
    protected abstract String factoryName();

    @BeforeEach
    public final void open()
    {
        allocator = ArrowMemory.newRootAllocator(1 << 30);
        indexer = create(SCHEMA, 100, allocator);
    }

    @AfterEach
    public final void everythingIsFreed()
    {
        indexer.close();
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    private MemIndexer create(RowType type, long startOffset, BufferAllocator allocator)
    {
        MemIndexerFactory factory = ServiceLoader.load(MemIndexerFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(factoryName()))
                .findFirst()
                .orElseThrow();
        return factory.create(new MemIndexerOptions("s.t", type, Optional.empty(), startOffset, allocator, Map.of()));
    }

    @Test
    public void offsetsContinue()
    {
        assertThatThrownBy(() -> write(99, 1)).isInstanceOf(IllegalArgumentException.class);
        write(100, 3);
        assertThatThrownBy(() -> write(100, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> write(104, 1)).isInstanceOf(IllegalArgumentException.class);
        write(103, 2);
        assertThat(indexer.rowCount()).isEqualTo(5);
        assertThat(ids()).containsExactly(100L, 101L, 102L, 103L, 104L);
    }

    @Test
    public void writesTheSelectionOnlyAndCopiesIt()
    {
        try (VectorSchemaRoot rows = batch(0, 10)) {
            indexer.write(new RealtimeWriteBatch(rows, new int[]{0, 1, 4, 9}, 1, 3, 100));
            indexer.write(new RealtimeWriteBatch(rows, null, 5, 2, 103));
        }
        assertThat(ids()).containsExactly(1L, 4L, 9L, 5L, 6L);
    }

    @Test
    public void segmentsOpenAndClose()
    {
        assertThat(indexer.sealForCommit()).isEmpty();
        assertThat(indexer.segmentCount()).isZero();
        write(100, 3);
        assertThat(indexer.segmentCount()).isEqualTo(1);
        RealtimeSegmentHandle first = indexer.sealForCommit().orElseThrow();
        assertThat(indexer.sealForCommit()).isEmpty();
        assertThat(first.offsets()).isEqualTo(new OffsetRange(100, 103));
        assertThat(first.rowCount()).isEqualTo(3);
        write(103, 2);
        assertThat(indexer.segmentCount()).isEqualTo(2);
        assertThat(indexer.memoryBytes()).isPositive();
        assertThat(drain(indexer.createCommitReaders(first), SCHEMA)).isEqualTo(expected(100, 103, SCHEMA));
        RealtimeSegmentHandle second = indexer.sealForCommit().orElseThrow();
        assertThat(drain(indexer.createCommitReaders(second), SCHEMA)).isEqualTo(expected(103, 105, SCHEMA));
    }

    @Test
    public void reclaimGivesUpWholeSegments()
    {
        write(100, 3);
        RealtimeSegmentHandle first = indexer.sealForCommit().orElseThrow();
        write(103, 2);
        assertThat(indexer.sealForCommit()).isPresent();
        write(105, 2);
        assertThatThrownBy(() -> indexer.reclaim(101)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> indexer.reclaim(104)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> indexer.reclaim(106)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> indexer.reclaim(107)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> indexer.reclaim(1000)).isInstanceOf(IllegalArgumentException.class);
        assertThat(indexer.rowCount()).isEqualTo(7);
        indexer.reclaim(50);
        indexer.reclaim(103);
        indexer.reclaim(103);
        indexer.reclaim(100);
        assertThat(indexer.rowCount()).isEqualTo(4);
        assertThat(ids()).containsExactly(103L, 104L, 105L, 106L);
        assertThatThrownBy(() -> indexer.createCommitReaders(first)).isInstanceOf(IllegalArgumentException.class);
        indexer.reclaim(105);
        assertThat(indexer.segmentCount()).isEqualTo(1);
        write(107, 1);
        assertThat(ids()).containsExactly(105L, 106L, 107L);
    }

    @Test
    public void viewsDoNotChange()
    {
        write(100, 5);
        try (MemReadView view = indexer.acquireReadView()) {
            for (int i = 0; i < 200; i++) {
                write(105 + i, 1);
            }
            assertThat(indexer.sealForCommit()).isPresent();
            indexer.reclaim(305);
            assertThat(indexer.rowCount()).isZero();
            assertThat(view.offsets()).isEqualTo(new OffsetRange(100, 105));
            assertThat(view.rowType()).isEqualTo(SCHEMA);
            assertThat(view.segments()).hasSize(1);
            assertThat(view.memoryBytes()).isPositive();
            assertThat(read(view, all())).isEqualTo(expected(100, 105, SCHEMA));
            indexer.close();
            assertThat(read(view, all())).isEqualTo(expected(100, 105, SCHEMA));
        }
    }

    @Test
    public void readersOutliveViewsAndBatchesOutliveReaders()
    {
        write(100, 5);
        MemReadView view = indexer.acquireReadView();
        List<MemBatchReader> readers = indexer.createQueryReaders(view, all(), new MemQueryContext(allocator));
        List<MemBatchReader> unread = indexer.createQueryReaders(view, all(), new MemQueryContext(allocator));
        view.close();
        assertThatThrownBy(view::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> indexer.createQueryReaders(view, all(), new MemQueryContext(allocator))).isInstanceOf(IllegalStateException.class);
        indexer.close();
        unread.forEach(MemBatchReader::close);
        unread.forEach(MemBatchReader::close);
        assertThat(readers).hasSize(1);
        MemBatch batch = readers.getFirst().next().orElseThrow();
        readers.getFirst().close();
        assertThat(batch.rowCount()).isEqualTo(5);
        assertThat(new ArrowRowView(batch.columns(), SCHEMA).setPosition(batch.position(4)).getLong(0)).isEqualTo(104);
        batch.close();
        batch.close();
        assertThat(allocator.getAllocatedMemory()).isZero();
    }

    @Test
    public void emptyViewShowsNothing()
    {
        try (MemReadView view = indexer.acquireReadView()) {
            assertThat(view.offsets()).isEqualTo(new OffsetRange(100, 100));
            assertThat(indexer.createQueryReaders(view, all(), new MemQueryContext(allocator))).isEmpty();
        }
    }

    @Test
    public void offsetsCutBatches()
    {
        write(100, 4);
        write(104, 4);
        indexer.sealForCommit();
        write(108, 4);
        try (MemReadView view = indexer.acquireReadView()) {
            for (int start = 95; start <= 115; start++) {
                for (int end = start; end <= 115; end++) {
                    MemReadRequest request = new MemReadRequest(new OffsetRange(start, end), SCHEMA, SCHEMA, Optional.empty());
                    assertThat(read(view, request)).isEqualTo(expected(Math.max(start, 100), Math.min(end, 112), SCHEMA));
                }
            }
        }
    }

    @Test
    public void columnsAreFoundByIdAndCast()
    {
        write(100, 20);
        RowType evolved = new RowType(List.of(
                new DataField(9, "name", DataTypes.STRING()),
                new DataField(2, "renamed", DataTypes.DOUBLE()),
                new DataField(3, "id", DataTypes.STRING()),
                new DataField(8, "other", DataTypes.ARRAY(DataTypes.INT()))));
        List<List<Object>> rows = new ArrayList<>();
        for (List<Object> row : expected(100, 120, SCHEMA)) {
            List<Object> read = new ArrayList<>();
            read.add(null);
            read.add(row.get(2));
            read.add(row.get(0));
            read.add(null);
            rows.add(read);
        }
        PredicateBuilder builder = new PredicateBuilder(evolved);
        try (MemReadView view = indexer.acquireReadView()) {
            assertThat(read(view, new MemReadRequest(all().offsets(), evolved, evolved, Optional.empty()))).isEqualTo(rows);
            assertThat(
                    read(view, new MemReadRequest(all().offsets(), evolved, evolved, Optional.of(builder.equal(2, BinaryString.fromString("107"))))))
                    .isEqualTo(rows.subList(7, 8));
            assertThat(read(view, new MemReadRequest(all().offsets(), evolved, evolved, Optional.of(builder.isNotNull(0))))).isEmpty();
            assertThat(read(view, new MemReadRequest(all().offsets(), evolved, evolved, Optional.of(builder.isNull(3))))).isEqualTo(rows);
            assertThat(read(view, new MemReadRequest(all().offsets(), new RowType(List.of()), SCHEMA, Optional.empty()))).hasSize(20);
        }
    }

    @Test
    public void filtersAreExact()
    {
        long seed = RandomRows.newSeed();
        Random random = new Random(seed);
        RandomRows randomRows = new RandomRows(seed);
        RowType type = RandomRows.ALL_TYPES;
        try (MemIndexer all = create(type, 0, allocator)) {
            List<InternalRow> written = new ArrayList<>();
            while (written.size() < 12_000) {
                // big ones too, which an implementation may look at piece by piece
                List<InternalRow> rows = randomRows.rows(type, written.size() < 3000 ? 1 + random.nextInt(400) : 9000);
                try (VectorSchemaRoot root = RandomRows.toArrow(type, rows, allocator)) {
                    all.write(RealtimeWriteBatch.all(root, written.size()));
                }
                written.addAll(rows);
            }
            try (MemReadView view = all.acquireReadView()) {
                List<List<Object>> everything = read(all, view, new MemReadRequest(new OffsetRange(0, 100_000), type, type, Optional.empty()), type);
                assertThat(everything).hasSize(written.size());
                for (int i = 0; i < everything.size(); i++) {
                    assertThat(everything.get(i)).as("seed %s, row %s", seed, i).isEqualTo(RandomRows.toObjects(written.get(i), type));
                }
                for (int i = 0; i < 300; i++) {
                    Predicate predicate = predicate(type, randomRows, random, 2);
                    RowType idOnly = new RowType(type.getFields().subList(0, 1));
                    int start = random.nextInt(1000);
                    int end = 2500 + random.nextInt(written.size() - 2500);
                    MemReadRequest request = new MemReadRequest(new OffsetRange(start, end), idOnly, type, Optional.of(predicate));
                    assertThat(read(all, view, request, idOnly)).as("seed %s: %s", seed, predicate)
                            .isEqualTo(written.subList(start, end).stream().filter(predicate::test).map(row -> RandomRows.toObjects(row, idOnly))
                                    .toList());
                }
            }
        }
    }

    private static Predicate predicate(RowType type, RandomRows values, Random random, int depth)
    {
        if (depth > 0 && random.nextInt(3) > 0) {
            List<Predicate> children = new ArrayList<>();
            for (int i = 2 + random.nextInt(2); i > 0; i--) {
                children.add(predicate(type, values, random, depth - 1));
            }
            return random.nextBoolean() ? PredicateBuilder.and(children) : PredicateBuilder.or(children);
        }
        PredicateBuilder builder = new PredicateBuilder(type);
        // those before the first array can be compared
        int field = random.nextInt(26);
        Object first = values.value(type.getTypeAt(field).notNull());
        Object second = values.value(type.getTypeAt(field).notNull());
        return switch (random.nextInt(12)) {
            case 0 -> builder.equal(field, first);
            case 1 -> builder.notEqual(field, first);
            case 2 -> builder.lessThan(field, first);
            case 3 -> builder.lessOrEqual(field, first);
            case 4 -> builder.greaterThan(field, first);
            case 5 -> builder.greaterOrEqual(field, first);
            case 6 -> builder.between(field, first, second);
            case 7 -> builder.in(field, List.of(first, second, values.value(type.getTypeAt(field).notNull())));
            case 8 -> builder.notIn(field, List.of(first, second));
            case 9 -> builder.isNull(random.nextInt(type.getFieldCount()));
            case 10 -> builder.isNotNull(random.nextInt(type.getFieldCount()));
            default -> builder.startsWith(13, BinaryString.fromString("a"));
        };
    }

    @Test
    public void oneWriterAndManyReaders()
            throws Exception
    {
        int rounds = 300;
        AtomicReference<MemReadView> published = new AtomicReference<>(indexer.acquireReadView());
        CountDownLatch done = new CountDownLatch(1);
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(executor.submit(() -> {
                    int reads = 0;
                    boolean last = false;
                    while (!last) {
                        last = done.getCount() == 0;
                        MemReadView view = published.getAndSet(null);
                        if (view != null) {
                            try (view) {
                                assertThat(read(view, all())).isEqualTo(expected(view.offsets().start(), view.offsets().end(), SCHEMA));
                            }
                            reads++;
                        }
                    }
                    return reads;
                }));
            }
            long offset = 100;
            for (int round = 0; round < rounds; round++) {
                write(offset, 1 + round % 7);
                offset += 1 + round % 7;
                if (round % 50 == 49) {
                    assertThat(indexer.sealForCommit()).isPresent();
                    indexer.reclaim(offset);
                }
                MemReadView old = published.getAndSet(indexer.acquireReadView());
                if (old != null) {
                    old.close();
                }
            }
            done.countDown();
            int reads = 0;
            for (Future<Integer> reader : readers) {
                reads += reader.get();
            }
            assertThat(reads).isPositive();
        }
        MemReadView left = published.getAndSet(null);
        if (left != null) {
            left.close();
        }
    }

    @Test
    public void closedIndexerRefuses()
    {
        write(100, 1);
        indexer.close();
        indexer.close();
        assertThat(indexer.rowCount()).isZero();
        assertThatThrownBy(() -> write(101, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(indexer::acquireReadView).isInstanceOf(IllegalStateException.class);
    }

    private void write(long offset, int rows)
    {
        try (VectorSchemaRoot root = batch(offset, rows)) {
            indexer.write(RealtimeWriteBatch.all(root, offset));
        }
    }

    /** Rows whose id is their offset. */
    private VectorSchemaRoot batch(long offset, int rows)
    {
        List<InternalRow> list = new ArrayList<>();
        for (long id = offset; id < offset + rows; id++) {
            list.add(testRow(id));
        }
        return RandomRows.toArrow(SCHEMA, list, allocator);
    }

    private static GenericRow testRow(long id)
    {
        return GenericRow.of(id, id % 3 == 0 ? null : BinaryString.fromString("name " + id), id % 5 == 0 ? null : id / 2.0);
    }

    private static List<List<Object>> expected(long start, long end, RowType type)
    {
        List<List<Object>> rows = new ArrayList<>();
        for (long id = start; id < end; id++) {
            rows.add(RandomRows.toObjects(testRow(id), type));
        }
        return rows;
    }

    private static MemReadRequest all()
    {
        return new MemReadRequest(new OffsetRange(0, 1_000_000), SCHEMA, SCHEMA, Optional.empty());
    }

    private List<Long> ids()
    {
        try (MemReadView view = indexer.acquireReadView()) {
            return read(view, all()).stream().map(row -> Long.parseLong((String) row.getFirst())).toList();
        }
    }

    private List<List<Object>> read(MemReadView view, MemReadRequest request)
    {
        return read(indexer, view, request, request.readType());
    }

    private List<List<Object>> read(MemIndexer from, MemReadView view, MemReadRequest request, RowType type)
    {
        MemQueryContext context = new MemQueryContext(allocator);
        List<List<Object>> rows = drain(from.createQueryReaders(view, request, context), type);
        assertThat(context.rowsReturned().sum()).isEqualTo(rows.size());
        return rows;
    }

    private static List<List<Object>> drain(List<MemBatchReader> readers, RowType type)
    {
        List<List<Object>> rows = new ArrayList<>();
        for (MemBatchReader reader : readers) {
            try (reader) {
                for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                    try (MemBatch batch = next.get()) {
                        ArrowRowView view = new ArrowRowView(batch.columns(), type);
                        for (int i = 0; i < batch.rowCount(); i++) {
                            rows.add(RandomRows.toObjects(view.setPosition(batch.position(i)), type));
                        }
                    }
                }
                assertThat(reader.next()).isEmpty();
            }
        }
        return rows;
    }
}
