package io.paimon.realtime.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.model.KeyRange;
import io.paimon.realtime.model.OffsetRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.ServiceLoader;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link MemIndexer} promises for rows with a primary key, beyond {@link MemIndexerContractTest}. Extend it and name the factory.
 */
public abstract class KeyedMemIndexerContractTest
{
    private static final RowType TABLE = new RowType(List.of(
            new DataField(4, "value", DataTypes.STRING()),
            new DataField(2, "id", DataTypes.BIGINT().notNull()),
            new DataField(1, "name", DataTypes.STRING().notNull())));
    private static final RowType STORED = new RowType(List.of(TABLE.getFields().get(0), TABLE.getFields().get(1), TABLE.getFields().get(2),
            SpecialFields.VALUE_KIND));
    private static final RowType READ = new RowType(List.of(TABLE.getField("name"), TABLE.getField("id"), SpecialFields.SEQUENCE_NUMBER,
            SpecialFields.VALUE_KIND));

    private BufferAllocator allocator;

    /** A row as it was written. */
    private record Version(BinaryString name, long id, long offset, RowKind kind)
    {}

    /** Name of the factory under test. */
    protected abstract String factoryName();

    @BeforeEach
    public final void open()
    {
        allocator = ArrowMemory.newRootAllocator(1 << 30);
    }

    @AfterEach
    public final void everythingIsFreed()
    {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    private MemIndexer create(PrimaryKey key)
    {
        return ServiceLoader.load(MemIndexerFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(factoryName()))
                .findFirst()
                .orElseThrow()
                .create(new MemIndexerOptions("s.t", STORED, Optional.of(key), 10, allocator, Map.of()));
    }

    @Test
    public void rowsComeInTheOrderOfOneNumber()
    {
        check(new PrimaryKey(List.of(2), () -> Comparator.comparingLong(row -> row.getLong(0))), Comparator.comparingLong(Version::id));
    }

    @Test
    public void rowsComeInTheOrderOfTwoColumns()
    {
        check(new PrimaryKey(List.of(1, 2), () -> Comparator.<InternalRow, BinaryString>comparing(row -> row.getString(0))
                .thenComparing(row -> row.getLong(1))), Comparator.comparing(Version::name).thenComparing(Version::id));
    }

    private void check(PrimaryKey key, Comparator<Version> order)
    {
        long seed = RandomRows.newSeed();
        Random random = new Random(seed);
        List<Version> versions = new ArrayList<>();
        try (MemIndexer indexer = create(key)) {
            for (int i = 0; i < 60; i++) {
                write(indexer, versions, random, 1 + random.nextInt(random.nextInt(5) == 0 ? 3000 : 20));
                if (random.nextInt(8) == 0) {
                    assertThat(indexer.sealForCommit()).isPresent();
                }
                if (random.nextInt(4) == 0) {
                    try (MemReadView view = indexer.acquireReadView()) {
                        assertThat(view.segments().getFirst().start()).isEqualTo(10);
                        assertThat(view.segments().getLast().end()).isEqualTo(10 + versions.size());
                        checkView(indexer, view, key, order, versions, random, seed);
                    }
                }
            }
        }
    }

    private void write(MemIndexer indexer, List<Version> versions, Random random, int count)
    {
        List<GenericRow> rows = new ArrayList<>();
        long start = 10L + versions.size();
        for (int i = 0; i < count; i++) {
            long id = random.nextInt(50) - 20L;
            BinaryString name = BinaryString.fromString(List.of("a", "b", "ab", "é", "").get(random.nextInt(5)));
            RowKind kind = RowKind.fromByteValue((byte) random.nextInt(4));
            versions.add(new Version(name, id, start + i, kind));
            rows.add(GenericRow.of(BinaryString.fromString("v" + i), id, name, kind.toByteValue()));
        }
        try (VectorSchemaRoot batch = RandomRows.toArrow(STORED, rows, allocator)) {
            indexer.write(RealtimeWriteBatch.all(batch, start));
        }
    }

    private void checkView(MemIndexer indexer, MemReadView view, PrimaryKey key, Comparator<Version> order, List<Version> versions, Random random,
            long seed)
    {
        long from = random.nextInt(3) == 0 ? 10 + random.nextInt(versions.size()) : 0;
        long to = random.nextInt(3) == 0 ? from + random.nextInt(versions.size()) : Long.MAX_VALUE - 1;
        Optional<Version> low = random.nextBoolean() ? Optional.of(versions.get(random.nextInt(versions.size()))) : Optional.empty();
        Optional<Version> high = random.nextBoolean() ? Optional.of(versions.get(random.nextInt(versions.size()))) : Optional.empty();
        Optional<Predicate> filter = random.nextInt(3) == 0
                ? Optional.of(new PredicateBuilder(TABLE).greaterThan(1, (long) random.nextInt(20)))
                : Optional.empty();
        boolean newestOnly = random.nextBoolean();
        List<Version> expected = versions.stream()
                .filter(version -> version.offset() >= from && version.offset() < to)
                .filter(version -> low.isEmpty() || order.compare(version, low.get()) >= 0)
                .filter(version -> high.isEmpty() || order.compare(version, high.get()) < 0)
                .filter(version -> filter.isEmpty() || filter.get().test(GenericRow.of(null, version.id(), version.name())))
                .sorted(order.thenComparingLong(Version::offset))
                .toList();
        MemReadRequest request = new MemReadRequest(new OffsetRange(from, to), READ, TABLE, filter, Optional.of(new KeyOrder(
                new KeyRange(low.map(version -> key(key, version)), high.map(version -> key(key, version))), newestOnly)));
        List<Version> read = read(indexer, view, request);
        if (newestOnly) {
            // older ones may come or not
            expected = newest(expected, order);
            read = newest(read, order);
        }
        assertThat(read).as("seed %s", seed).isEqualTo(expected);
    }

    private static List<Version> newest(List<Version> sorted, Comparator<Version> order)
    {
        List<Version> newest = new ArrayList<>();
        for (Version version : sorted) {
            if (!newest.isEmpty() && order.compare(newest.getLast(), version) == 0) {
                newest.removeLast();
            }
            newest.add(version);
        }
        return newest;
    }

    private static BinaryRow key(PrimaryKey key, Version version)
    {
        BinaryRow row = new BinaryRow(key.columns().size());
        BinaryRowWriter writer = new BinaryRowWriter(row);
        for (int i = 0; i < key.columns().size(); i++) {
            if (key.columns().get(i) == 2) {
                writer.writeLong(i, version.id());
            }
            else {
                writer.writeString(i, version.name());
            }
        }
        writer.complete();
        return row;
    }

    private List<Version> read(MemIndexer indexer, MemReadView view, MemReadRequest request)
    {
        List<Version> rows = new ArrayList<>();
        List<MemBatchReader> readers = indexer.createQueryReaders(view, request, new MemQueryContext(allocator));
        assertThat(readers).hasSizeLessThanOrEqualTo(1);
        for (MemBatchReader reader : readers) {
            try (reader) {
                for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                    try (MemBatch batch = next.get()) {
                        ArrowRowView row = new ArrowRowView(batch.columns(), READ);
                        for (int i = 0; i < batch.rowCount(); i++) {
                            row.setPosition(batch.position(i));
                            rows.add(new Version(row.getString(0).copy(), row.getLong(1), row.getLong(2), row.getRowKind()));
                        }
                    }
                }
            }
        }
        return rows;
    }

    @Test
    public void aReaderThatIsNotReadToItsEndKeepsNothing()
    {
        PrimaryKey key = new PrimaryKey(List.of(2), () -> Comparator.comparingLong(row -> row.getLong(0)));
        try (MemIndexer indexer = create(key)) {
            List<Version> versions = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                write(indexer, versions, new Random(i), 4000);
            }
            MemReadRequest request = new MemReadRequest(new OffsetRange(0, Long.MAX_VALUE - 1), READ, TABLE, Optional.empty(),
                    Optional.of(new KeyOrder(KeyRange.ALL, false)));
            try (MemReadView view = indexer.acquireReadView()) {
                for (int batches = 0; batches < 3; batches++) {
                    for (MemBatchReader reader : indexer.createQueryReaders(view, request, new MemQueryContext(allocator))) {
                        for (int i = 0; i < batches; i++) {
                            reader.next().ifPresent(MemBatch::close);
                        }
                        reader.close();
                    }
                }
            }
        }
    }
}
