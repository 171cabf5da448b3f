package io.paimon.realtime.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.RandomRows;
import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.table.RealtimeContext;
import io.paimon.realtime.table.RealtimeContextOptions;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.RealtimeWrite;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.MemoryFileIO;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fs.Path;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.RowKeyExtractor;
import org.apache.paimon.types.RowType;

/**
 * One table and what happens to it: random steps, and after many of them a union read that must equal the model, whose committed part must equal what Paimon's own reader returns.
 */
final class UnionHistory
{
    private final Random random;
    private final ExecutorService readers;
    private final RandomTables tables;
    private final FaultyFileIO files = new FaultyFileIO(new MemoryFileIO());
    private final Path path = new Path("mem:/warehouse/s.db/t");
    private final List<String> steps = new ArrayList<>();
    private final List<ModelRow> live = new ArrayList<>();
    private final List<Future<?>> reads = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>();
    private FileStoreTable table;
    private RealtimeContext context;
    private RealtimeWrite write;
    /** Rounds that are not adopted. */
    private final List<Round> rounds = new ArrayList<>();
    /** Stands for those of other programs. */
    private final Round foreign = new Round(null);

    /** A prepared round as anyone can see it. */
    private static final class Round
    {
        private final PreparedRound prepared;
        private boolean committed;

        private Round(PreparedRound prepared)
        {
            this.prepared = prepared;
        }
    }

    private static final class ModelRow
    {
        private final GenericRow row;
        private final RowType type;
        /** Null while no round has sealed the row. */
        private Round round;

        private ModelRow(GenericRow row, RowType type, Round round)
        {
            this.row = row;
            this.type = type;
            this.round = round;
        }

        private boolean isCommitted()
        {
            return round != null && round.committed;
        }

        private GenericRow as(RowType schema)
        {
            return RowEvolution.evolve(row, type, schema);
        }
    }

    @FunctionalInterface
    private interface Step
    {
        void run() throws Exception;
    }

    /**
     * @param readers runs reads beside the history's own thread
     */
    UnionHistory(long seed, ExecutorService readers)
    {
        this.random = new Random(seed);
        this.readers = readers;
        this.tables = new RandomTables(random);
        foreign.committed = true;
    }

    /** What happened so far, for messages. */
    List<String> steps()
    {
        return steps;
    }

    void run() throws Exception
    {
        new SchemaManager(files, path).createTable(tables.table());
        table = FileStoreTableFactory.create(files, path);
        steps.add("table %s partitioned by %s %s".formatted(table.rowType(), table.partitionKeys(), table.options()));
        context = RealtimeContext.create(new ArrowMemIndexerFactory(), RealtimeContextOptions.defaults().withMemoryLimit(64 << 20));
        try {
            write = context.newWrite(table);
            int count = 4 + random.nextInt(12);
            for (int i = 0; i < count; i++) {
                step();
            }
            check();
            finish();
        }
        finally {
            files.heal();
            held.forEach(Runnable::run);
            for (Future<?> read : reads) {
                read.get();
            }
            context.close();
        }
        assertThat(context.allocator().getAllocatedMemory()).as("memory left").isZero();
    }

    private void step() throws Exception
    {
        switch (random.nextInt(26)) {
            case 0, 1, 2, 3, 4, 5 -> append();
            case 6, 7 -> named("round", this::commitRound);
            case 8 -> named("prepare", this::prepare);
            case 9 -> named("commit", this::commit);
            case 10 -> named("refresh", this::refresh);
            case 11, 12, 13 -> failing();
            case 14 -> foreignAppend();
            case 15 -> named("compact", () -> PlainPaimon.compact(table));
            case 16 -> foreignRemoval();
            case 17, 18 -> changeSchema();
            case 19, 20 -> hold();
            case 21 -> restart();
            case 23 -> rescale();
            case 22 -> {
                if (!held.isEmpty()) {
                    held.remove(random.nextInt(held.size())).run();
                }
            }
            default -> check();
        }
    }

    private void named(String name, Step step) throws Exception
    {
        steps.add(name);
        step.run();
    }

    private void append()
    {
        RowType type = write.rowType();
        List<GenericRow> rows = tables.rows(type, 1 + random.nextInt(random.nextInt(10) == 0 ? 60 : 6));
        steps.add("append " + rows.size());
        long written;
        if (random.nextBoolean()) {
            written = write.write(rows);
        }
        else {
            try (VectorSchemaRoot batch = RandomRows.toArrow(type, rows, context.allocator())) {
                List<FieldVector> columns = new ArrayList<>(batch.getFieldVectors());
                Collections.shuffle(columns, random);
                written = write.write(new VectorSchemaRoot(columns));
            }
        }
        assertThat(written).isEqualTo(rows.size());
        rows.forEach(row -> live.add(new ModelRow(row, type, null)));
    }

    private void commitRound()
    {
        prepare();
        while (rounds.stream().anyMatch(round -> !round.committed)) {
            commit();
        }
        refresh();
    }

    private void prepare()
    {
        long last = rounds.isEmpty() ? write.committedIdentifier() : rounds.getLast().prepared.next().identifier();
        Optional<PreparedRound> prepared = write.prepareCommitWithProgress(last + 1 + random.nextInt(2));
        assertThat(prepared.isPresent()).isEqualTo(live.stream().anyMatch(row -> row.round == null));
        prepared.ifPresent(next -> {
            Round round = new Round(next);
            rounds.add(round);
            live.stream().filter(row -> row.round == null).forEach(row -> row.round = round);
            assertThat(write.prepareCommitWithProgress(next.next().identifier())).contains(next);
        });
    }

    /** The next round, after an attempt to leave it out. */
    private void commit()
    {
        List<Round> open = rounds.stream().filter(round -> !round.committed).toList();
        if (open.size() > 1 && random.nextBoolean()) {
            assertThatThrownBy(() -> write.commitWithProgress(open.getLast().prepared)).satisfiesAnyOf(
                    e -> assertThat(e).hasMessageContaining("must be committed before"),
                    e -> assertThat(FaultyFileIO.isInjected(e)).isTrue());
        }
        if (!open.isEmpty()) {
            assertThat(write.commitWithProgress(open.getFirst().prepared)).isPositive();
            settle();
            assertThat(open.getFirst().committed).isTrue();
        }
        else if (!rounds.isEmpty()) {
            // once more
            assertThat(write.commitWithProgress(rounds.getFirst().prepared)).isPositive();
        }
    }

    private void refresh()
    {
        if (rounds.stream().anyMatch(round -> round.committed)) {
            write.refreshCommittedSnapshot(table.snapshotManager().latestSnapshotIdFromFileSystem());
            rounds.removeIf(round -> round.prepared.next().identifier() <= write.committedIdentifier());
            assertThat(rounds).noneMatch(round -> round.committed);
        }
    }

    /** Finds out from the snapshots, as anyone can, which prepared rounds are committed. */
    private void settle()
    {
        Long latest = table.snapshotManager().latestSnapshotIdFromFileSystem();
        for (long id = latest == null ? 0 : latest; id > 0 && !rounds.isEmpty(); id--) {
            Snapshot snapshot = table.snapshotManager().snapshot(id);
            rounds.stream().filter(round -> snapshot.commitUser().startsWith("realtime-") && snapshot.deltaRecordCount() > 0
                    && snapshot.commitIdentifier() == round.prepared.next().identifier()).forEach(round -> round.committed = true);
        }
    }

    /** A step that breaks somewhere, or everywhere but too late. */
    private void failing() throws Exception
    {
        String name = List.of("round", "commit", "refresh", "read", "round").get(random.nextInt(5));
        int after = random.nextInt(random.nextBoolean() ? 12 : 80);
        boolean afterEffect = random.nextBoolean();
        steps.add("failing %s after %s %s".formatted(name, after, afterEffect));
        files.failAfter(after, afterEffect);
        try {
            switch (name) {
                case "commit" -> {
                    prepare();
                    commit();
                }
                case "refresh" -> refresh();
                case "read" -> check();
                default -> commitRound();
            }
        }
        catch (Exception e) {
            if (!FaultyFileIO.isInjected(e)) {
                throw e;
            }
        }
        finally {
            files.heal();
        }
        settle();
    }

    private void foreignAppend() throws Exception
    {
        List<GenericRow> rows = tables.rows(table.rowType(), 1 + random.nextInt(5));
        steps.add("foreign append " + rows.size());
        PlainPaimon.append(table, rows);
        rows.forEach(row -> live.add(new ModelRow(row, table.rowType(), foreign)));
    }

    /** Committed rows go, rows in memory stay. */
    private void foreignRemoval() throws Exception
    {
        if (random.nextInt(3) == 0) {
            steps.add("truncate");
            PlainPaimon.truncate(table);
            live.removeIf(ModelRow::isCommitted);
            return;
        }
        GenericRow row = tables.row(table.rowType());
        BinaryRow partition = partition(row);
        if (random.nextBoolean()) {
            steps.add("overwrite");
            PlainPaimon.overwrite(table, List.of(row));
            removeCommitted(partition);
            live.add(new ModelRow(row, table.rowType(), foreign));
        }
        else if (!table.partitionKeys().isEmpty()) {
            steps.add("drop partition " + partition);
            PlainPaimon.dropPartition(table, partition);
            removeCommitted(partition);
        }
    }

    private void removeCommitted(BinaryRow partition)
    {
        live.removeIf(row -> row.isCommitted() && partition(row.as(table.rowType())).equals(partition));
    }

    private BinaryRow partition(InternalRow row)
    {
        RowKeyExtractor extractor = table.createRowKeyExtractor();
        extractor.setRecord(row);
        return extractor.partition().copy();
    }

    private void changeSchema() throws Exception
    {
        Set<String> keys = new HashSet<>(table.partitionKeys());
        keys.addAll(table.schema().bucketKeys());
        List<SchemaChange> changes = tables.schemaChange(table.rowType(), keys);
        if (changes.isEmpty()) {
            return;
        }
        table.schemaManager().commitChanges(changes);
        table = table.copyWithLatestSchema();
        steps.add("schema " + table.rowType());
    }

    /** Another number of buckets, for the data there is as well; rows in memory were routed by the old one. */
    private void rescale() throws Exception
    {
        int buckets = table.coreOptions().bucket();
        if (buckets < 0) {
            return;
        }
        steps.add("rescale");
        while (rounds.stream().anyMatch(round -> !round.committed)) {
            commit();
        }
        table.schemaManager().commitChanges(SchemaChange.setOption(CoreOptions.BUCKET.key(), Integer.toString(buckets % 4 + 1)));
        table = FileStoreTableFactory.create(files, path);
        List<ModelRow> committed = live.stream().filter(ModelRow::isCommitted).toList();
        PlainPaimon.truncate(table);
        PlainPaimon.append(table, committed.stream().map(row -> row.as(table.rowType())).toList());
        committed.forEach(row -> row.round = foreign);
    }

    /** The writer goes away; what it had not committed is lost. */
    private void restart()
    {
        steps.add("restart");
        settle();
        write.close();
        live.removeIf(row -> !row.isCommitted());
        rounds.clear();
        write = context.newWrite(table);
    }

    /** A plan that is read later, or meanwhile by another thread, once or twice. */
    private void hold() throws IOException
    {
        UnionQuestion question = ask();
        steps.add("hold " + question);
        RealtimePlan plan = question.plan(context);
        if (random.nextBoolean()) {
            held.add(() -> {
                try (plan) {
                    question.verify(plan);
                }
            });
            return;
        }
        reads.add(readers.submit(() -> {
            try (plan) {
                question.verify(plan);
                question.verify(plan);
            }
        }));
    }

    private void check() throws IOException
    {
        UnionQuestion question = ask();
        steps.add("check " + question);
        try (RealtimePlan plan = question.plan(context)) {
            long snapshot = plan.snapshotId().orElseThrow();
            question.verify(plan);
            List<String> committed = live.stream().filter(ModelRow::isCommitted)
                    .map(row -> PlainPaimon.render(row.as(table.rowType()), table.rowType())).sorted().toList();
            assertThat(PlainPaimon.read(table, snapshot)).as("Paimon's own reader at snapshot %s", snapshot).isEqualTo(committed);
        }
    }

    /** Everything is flushed: the union answers as before, and Paimon's own reader answers the same. */
    private void finish() throws Exception
    {
        steps.add("finish");
        commitRound();
        assertThat(live).allMatch(ModelRow::isCommitted);
        check();
        assertThat(write.status().buckets()).allSatisfy(bucket -> assertThat(bucket.memoryRows()).isZero());
    }

    private UnionQuestion ask()
    {
        RowType type = table.rowType();
        List<GenericRow> rows = live.stream().map(row -> row.as(type)).toList();
        Optional<Predicate> filter = random.nextInt(3) == 0 ? Optional.empty() : Optional.of(tables.predicate(type, rows, 2));
        return new UnionQuestion(table, random.nextInt(3) == 0 ? type : tables.projection(type), filter, rows, random.nextInt(3));
    }
}
