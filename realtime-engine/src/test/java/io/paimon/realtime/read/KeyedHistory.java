package io.paimon.realtime.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeScan;
import io.paimon.realtime.table.RealtimeContext;
import io.paimon.realtime.table.RealtimeContextOptions;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.RealtimeWrite;
import io.paimon.realtime.testing.MemoryFileIO;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.Path;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/**
 * One primary-key table and what happens to it. The right answer is Paimon's: the rows in memory are written into a copy of the table by Paimon's own writer, and read by its own reader.
 */
final class KeyedHistory
{
    private final Random random;
    private final java.nio.file.Path scratch;
    private final RandomKeyedTables tables;
    private final MemoryFileIO files = new MemoryFileIO();
    private final Path path = new Path("mem:/warehouse/s.db/t");
    private final List<String> steps = new ArrayList<>();
    /** Rows that were accepted and are in no snapshot, by segments, each of which a flush writes by itself; the last one is being built. */
    private final List<Segment> pending = new ArrayList<>(List.of(new Segment(null, new ArrayList<>())));
    private FileStoreTable table;
    private RealtimeContext context;
    private RealtimeWrite write;

    /** @param type of the rows */
    private record Segment(RowType type, List<GenericRow> rows)
    {}

    /**
     * @param scratch folder for what compactions look up
     */
    KeyedHistory(long seed, java.nio.file.Path scratch)
    {
        this.random = new Random(seed);
        this.scratch = scratch;
        this.tables = new RandomKeyedTables(random);
    }

    List<String> steps()
    {
        return steps;
    }

    void run() throws Exception
    {
        createTable();
        steps.add("table %s keys %s %s".formatted(table.rowType(), table.primaryKeys(), table.options()));
        context = RealtimeContext.create(new ArrowMemIndexerFactory(), RealtimeContextOptions.defaults().withMemoryLimit(64 << 20));
        try {
            write = context.newWrite(table);
            int count = 4 + random.nextInt(10);
            for (int i = 0; i < count; i++) {
                step();
            }
            check();
            commitRound();
            compact(table, true);
            steps.add("all is compacted");
            check();
        }
        finally {
            context.close();
        }
        assertThat(context.allocator().getAllocatedMemory()).as("memory left").isZero();
    }

    private void createTable() throws Exception
    {
        while (table == null) {
            try {
                new SchemaManager(files, path).createTable(tables.table());
            }
            catch (IllegalArgumentException | UnsupportedOperationException | IllegalStateException e) {
                // these options do not go together
                files.clear();
                continue;
            }
            table = FileStoreTableFactory.create(files, path);
        }
    }

    private void step() throws Exception
    {
        switch (random.nextInt(15)) {
            case 0, 1, 2, 3, 4 -> append();
            case 5, 6 -> commitRound();
            case 7 -> overtakenRound();
            case 8, 9 -> foreignWrite();
            case 10 -> compact(table, random.nextBoolean());
            case 11 -> changeSchema();
            default -> check();
        }
    }

    private void append()
    {
        RowType type = write.rowType();
        List<GenericRow> rows = tables.rows(type, 1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 5));
        steps.add("append " + describe(rows));
        assertThat(write.write(rows)).isEqualTo(rows.size());
        if (pending.getLast().type() == null || !pending.getLast().type().equals(type)) {
            pending.removeIf(segment -> segment.rows().isEmpty());
            pending.add(new Segment(type, new ArrayList<>()));
        }
        pending.getLast().rows().addAll(rows);
    }

    private static String describe(List<GenericRow> rows)
    {
        return rows.stream().map(row -> row.getRowKind().shortString() + row).toList().toString();
    }

    private void commitRound() throws Exception
    {
        steps.add("round");
        Optional<PreparedRound> round = prepare();
        if (round.isPresent()) {
            commit(round.get());
        }
    }

    private Optional<PreparedRound> prepare()
    {
        if (!pending.getLast().rows().isEmpty()) {
            pending.add(new Segment(null, new ArrayList<>()));
        }
        return write.prepareCommitWithProgress(write.committedIdentifier() + 1);
    }

    /** Nothing that a query shows changes, whatever others have committed since the files were written. */
    private void commit(PreparedRound round) throws Exception
    {
        List<String> before = union(table.rowType(), Optional.empty());
        write.refreshCommittedSnapshot(write.commitWithProgress(round));
        pending.clear();
        pending.add(new Segment(null, new ArrayList<>()));
        assertThat(union(table.rowType(), Optional.empty())).as("after the commit").isEqualTo(before);
    }

    /** Others write between the flush and the commit: memory stays the newest. */
    private void overtakenRound() throws Exception
    {
        steps.add("overtaken round");
        Optional<PreparedRound> round = prepare();
        foreignWrite();
        check();
        if (round.isEmpty()) {
            return;
        }
        try {
            commit(round.get());
        }
        catch (RealtimeException e) {
            assertThat(e.code()).isEqualTo(RealtimeException.Code.COMMIT_FAILED);
            assertThat(e).hasMessageContaining("another writer has committed rows");
            steps.add("refused");
            check();
            commitRound();
        }
    }

    /** A column comes, or one of the key or of the value gets another name. */
    private void changeSchema() throws Exception
    {
        SchemaChange change = switch (random.nextInt(3)) {
            case 0 -> SchemaChange.addColumn("new" + steps.size(), DataTypes.BIGINT());
            case 1 -> rename("k1");
            // options that name a column keep it from another name
            default -> rename(table.options().keySet().stream().anyMatch(option -> option.startsWith("fields.v3")) ? "k1" : "v3");
        };
        steps.add("schema " + change);
        table.schemaManager().commitChanges(change);
        table = table.copyWithLatestSchema();
    }

    private SchemaChange rename(String prefix)
    {
        String name = table.rowType().getFieldNames().stream().filter(field -> field.startsWith(prefix)).findFirst().orElseThrow();
        return SchemaChange.renameColumn(name, name + "_");
    }

    private void foreignWrite() throws Exception
    {
        List<GenericRow> rows = tables.rows(table.rowType(), 1 + random.nextInt(8));
        steps.add("foreign write " + describe(rows));
        writePlainly(table, rows);
    }

    private void writePlainly(FileStoreTable target, List<GenericRow> rows) throws Exception
    {
        BatchWriteBuilder builder = target.copy(Map.of(CoreOptions.WRITE_ONLY.key(), "true")).newBatchWriteBuilder();
        try (BatchTableWrite writer = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                writer.write(row);
            }
            commit.commit(writer.prepareCommit());
        }
    }

    private void compact(FileStoreTable target, boolean full) throws Exception
    {
        if (target == table) {
            steps.add(full ? "full compaction" : "compaction");
        }
        if (target.snapshotManager().latestSnapshotIdFromFileSystem() == null) {
            return;
        }
        BatchWriteBuilder builder = target.newBatchWriteBuilder();
        try (IOManager spill = IOManager.create(scratch.toString());
                BatchTableWrite writer = builder.newWrite();
                BatchTableCommit commit = builder.newCommit()) {
            writer.withIOManager(spill);
            for (DataSplit split : target.newSnapshotReader().read().dataSplits()) {
                writer.compact(split.partition(), split.bucket(), full);
            }
            commit.commit(writer.prepareCommit());
        }
    }

    private void check() throws Exception
    {
        RowType type = table.rowType();
        RowType readType = random.nextInt(3) == 0
                ? type
                : type.project(IntStream.range(0, type.getFieldCount()).filter(_ -> random.nextBoolean()).toArray());
        readType = readType.getFieldCount() == 0 ? type : readType;
        FileStoreTable flushed = FileStoreTableFactory.create(files.copy(), path);
        for (Segment segment : pending) {
            writePlainly(flushed, segment.rows().stream().map(row -> {
                GenericRow evolved = RowEvolution.evolve(row, segment.type(), type);
                evolved.setRowKind(row.getRowKind());
                return evolved;
            }).toList());
        }
        List<GenericRow> all = readPlainly(flushed);
        Optional<Predicate> filter = random.nextInt(3) == 0 ? Optional.empty() : Optional.of(new RandomTables(random).predicate(type, all, 1));
        steps.add("check %s where %s".formatted(readType.getFieldNames(), filter));
        assertThat(union(readType, filter)).isEqualTo(expected(all, readType, filter));
        if (tables.comparesAfterCompaction() && random.nextInt(3) == 0) {
            compact(flushed, true);
            assertThat(expected(readPlainly(flushed), type, Optional.empty())).as("Paimon after compaction")
                    .isEqualTo(expected(all, type, Optional.empty()));
        }
    }

    private List<String> expected(List<GenericRow> rows, RowType readType, Optional<Predicate> filter)
    {
        return rows.stream().filter(row -> filter.isEmpty() || filter.get().test(row))
                .map(row -> PlainPaimon.render(RowEvolution.evolve(row, table.rowType(), readType), readType)).sorted().toList();
    }

    /** All levels, as Paimon merges them on read. */
    private static List<GenericRow> readPlainly(FileStoreTable target) throws Exception
    {
        List<GenericRow> rows = new ArrayList<>();
        RowType type = target.rowType();
        if (target.snapshotManager().latestSnapshotIdFromFileSystem() == null) {
            return rows;
        }
        for (Split split : target.newSnapshotReader().read().splits()) {
            try (RecordReader<InternalRow> reader = target.newReadBuilder().newRead().createReader(split)) {
                reader.forEachRemaining(row -> {
                    GenericRow copy = new GenericRow(type.getFieldCount());
                    for (int i = 0; i < type.getFieldCount(); i++) {
                        Object value = InternalRow.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row);
                        copy.setField(i, value instanceof BinaryString text ? text.copy() : value);
                    }
                    rows.add(copy);
                });
            }
        }
        return rows;
    }

    private List<String> union(RowType readType, Optional<Predicate> filter) throws Exception
    {
        RealtimeScan scan = new RealtimeScan(context, table).withReadType(readType);
        filter.ifPresent(scan::withFilter);
        List<String> rows = new ArrayList<>();
        try (RealtimePlan plan = scan.plan(); RecordReader<InternalRow> reader = new UnionReader(plan).createReader()) {
            reader.forEachRemaining(row -> rows.add(PlainPaimon.render(row, readType)));
        }
        return rows.stream().sorted().toList();
    }
}
