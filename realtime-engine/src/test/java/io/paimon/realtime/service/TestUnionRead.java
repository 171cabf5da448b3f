package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Splitter;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.paimon.ProgressFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestUnionRead
{
    private static final RowType ROW_TYPE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.INT(), DataTypes.STRING()},
            new String[]{"id", "v", "n", "dt"});

    private RealtimeTester tester;

    @BeforeEach
    void setUp() throws Exception
    {
        tester = new RealtimeTester();
    }

    @AfterEach
    void tearDown() throws Exception
    {
        tester.close();
    }

    private static GenericRow row(long id)
    {
        return GenericRow.of(id, BinaryString.fromString("v" + id), id % 7 == 0 ? null : (int) id, BinaryString.fromString("d" + id % 3));
    }

    private static List<GenericRow> rows(long from, long to)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (long id = from; id < to; id++) {
            rows.add(row(id));
        }
        return rows;
    }

    private static List<String> texts(List<? extends InternalRow> rows)
    {
        List<String> texts = new ArrayList<>();
        rows.forEach(row -> texts.add(RealtimeTester.text(row, ROW_TYPE)));
        Collections.sort(texts);
        return texts;
    }

    @Test
    void rowIsVisibleBeforeAnySnapshotHoldsIt() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        tester.append(table, rows(0, 100));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 100)));
        assertThat(tester.committed(table)).isEmpty();
        tester.service().flush(Optional.of(table));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 100)));
        assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 100)));
        assertThat(tester.service().tableStatus(table).buckets()).allSatisfy(bucket -> assertThat(bucket.memoryRows()).isZero());
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc", "avro"})
    void unpartitionedAndPartitionedTablesOfEveryFormat(String format) throws Exception
    {
        Identifier unaware = tester.createTable("u", ROW_TYPE, List.of("dt"), Map.of("bucket", "-1", "file.format", format));
        Identifier fixed = tester.createTable("f", ROW_TYPE, List.of("dt"), Map.of("bucket", "3", "bucket-key", "id", "file.format", format));
        for (Identifier table : List.of(unaware, fixed)) {
            tester.append(table, rows(0, 50));
            tester.service().flush(Optional.of(table));
            tester.append(table, rows(50, 80));
            assertThat(tester.union(table)).isEqualTo(texts(rows(0, 80)));
            tester.service().flush(Optional.empty());
            assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 80)));
        }
    }

    @Test
    void anotherMemoryIsFoundByItsName() throws Exception
    {
        tester.restart(tester.options().withMemIndexer("list"));
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        tester.append(table, rows(0, 100));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 100)));
        tester.service().flush(Optional.of(table));
        tester.append(table, rows(100, 120));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 120)));
        tester.service().flush(Optional.of(table));
        assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 120)));
    }

    @Test
    void roundWithNothingWrittenMakesNoSnapshot() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "1", "bucket-key", "id"));
        tester.append(table, rows(0, 1));
        tester.service().flush(Optional.of(table));
        long snapshot = tester.table(table).snapshotManager().latestSnapshotId();
        tester.service().flush(Optional.of(table));
        assertThat(tester.table(table).snapshotManager().latestSnapshotIdFromFileSystem()).isEqualTo(snapshot);
    }

    @Test
    void pinnedCutStaysThroughCommitsAndLaterRows() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        tester.append(table, rows(0, 10));
        QueryCut cut = tester.service().pin("query");
        tester.append(table, rows(10, 20));
        tester.service().flush(Optional.of(table));
        tester.append(table, rows(20, 30));
        assertThat(tester.union(table, cut, Optional.empty())).isEqualTo(texts(rows(0, 10)));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 30)));
        tester.service().release("query");
        assertThatThrownBy(() -> tester.union(table, cut, Optional.empty()))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.CUT_EXPIRED));
    }

    @Test
    void statementIsPublishedOnceAndOnlyTheNamedParts() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        stage(table, "statement", "a", rows(0, 10));
        stage(table, "statement", "b", rows(100, 110));
        assertThat(tester.union(table)).isEmpty();
        assertThat(tester.service().publish(table, "statement", Set.of("a")).rows()).isEqualTo(10);
        assertThat(tester.service().publish(table, "statement", Set.of("a")).rows()).isEqualTo(10);
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
        stage(table, "other", "a", rows(0, 10));
        tester.service().abandon(table, "other");
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
    }

    @Test
    void rowsThatComeAfterTheEndOfTheirStatementAreRefused() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        stage(table, "abandoned", "a", rows(0, 10));
        tester.service().abandon(table, "abandoned");
        stage(table, "published", "a", rows(0, 10));
        tester.service().publish(table, "published", Set.of("a"));
        for (String statement : List.of("abandoned", "published")) {
            assertThatThrownBy(() -> stage(table, statement, "b", rows(10, 20)))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND));
        }
        assertThat(stagingFolders()).isEmpty();
        assertThatThrownBy(() -> tester.service().publish(table, "unknown", Set.of("a")))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND));
        assertThat(tester.service().publish(table, "empty", Set.of()).rows()).isZero();
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
    }

    private List<Path> stagingFolders() throws Exception
    {
        try (Stream<Path> folders = Files.list(tester.options().dataDirectory().resolve("staging"))) {
            return folders.toList();
        }
    }

    @Test
    void statementIsPublishedOnceByManyAtTheSameTime() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        for (int i = 0; i < 20; i++) {
            String statement = "statement " + i;
            stage(table, statement, "a", rows(i * 10L, i * 10L + 10));
            try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
                CyclicBarrier barrier = new CyclicBarrier(4);
                List<Future<Long>> answers = new ArrayList<>();
                for (int thread = 0; thread < 4; thread++) {
                    answers.add(threads.submit(() -> {
                        barrier.await();
                        return tester.service().publish(table, statement, Set.of("a")).rows();
                    }));
                }
                for (Future<Long> answer : answers) {
                    assertThat(answer.get()).isEqualTo(10);
                }
            }
        }
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 200)));
    }

    @Test
    void statementLargerThanMemoryIsAtomic() throws Exception
    {
        tester.restart(tester.options().withMemoryLimit(2 << 20));
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        tester.append(table, rows(0, 10));
        int last = 10;
        for (int batch = 0; batch < 100; batch++) {
            stage(table, "big", "a", rows(last, last + 5_000));
            last += 5_000;
        }
        assertThat(tester.union(table)).hasSize(10);
        assertThat(tester.service().publish(table, "big", Set.of("a")).rows()).isEqualTo(last - 10);
        tester.append(table, rows(last, last + 10));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, last + 10)));
        tester.service().flush(Optional.empty());
        assertThat(tester.committed(table)).isEqualTo(texts(rows(0, last + 10)));
    }

    @Test
    void offsetColumnIsFilledOnEveryWayIn() throws Exception
    {
        tester.restart(tester.options().withMemoryLimit(2 << 20));
        RowType rowType = RowType.of(new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.BIGINT(), DataTypes.STRING()},
                new String[]{"id", "_OFFSET", "v"});
        Identifier table = tester.createTable("o", rowType, List.of(), Map.of("bucket", "3", "bucket-key", "id"));
        LongFunction<GenericRow> row = id -> GenericRow.of(id, null, BinaryString.fromString("v" + id));
        tester.append(table, LongStream.range(0, 100).mapToObj(row).toList());
        stage(table, "small", "a", LongStream.range(100, 200).mapToObj(row).toList());
        tester.service().publish(table, "small", Set.of("a"));
        tester.service().flush(Optional.of(table));
        tester.append(table, LongStream.range(200, 250).mapToObj(row).toList());
        for (int batch = 0; batch < 20; batch++) {
            stage(table, "big", "a", LongStream.range(1_000 + batch * 1_000L, 2_000 + batch * 1_000L).mapToObj(row).toList());
        }
        tester.service().publish(table, "big", Set.of("a"));
        tester.append(table, LongStream.range(250, 300).mapToObj(row).toList());
        assertThatThrownBy(() -> tester.append(table, List.of(GenericRow.of(1L, 0L, null))))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_DATA))
                .hasMessageContaining("_OFFSET");
        List<String> union = tester.union(table);
        assertThat(union).hasSize(20_300);
        tester.service().flush(Optional.of(table));
        assertThat(tester.committed(table)).isEqualTo(union);
        Map<PartitionBucket, Long> ends = new ProgressFiles(tester.table(table)).newest(
                new ProgressFiles(tester.table(table)).lineage().orElseThrow(),
                tester.table(table).snapshotManager().latestSnapshotIdFromFileSystem())
                .orElseThrow().progress().offsets();
        // without gap or repetition in each bucket: as many rows hold offset n as there are buckets longer than n
        Map<Long, Long> found = union.stream().map(text -> Long.parseLong(Splitter.on('|').splitToList(text).get(1)))
                .collect(Collectors.groupingBy(offset -> offset, Collectors.counting()));
        long longest = Collections.max(ends.values());
        for (long offset = 0; offset < longest; offset++) {
            long wanted = offset;
            assertThat(found.get(offset)).as("rows with offset %s", offset).isEqualTo(ends.values().stream().filter(end -> end > wanted).count());
        }
        assertThat(found).hasSize((int) longest);
    }

    private void stage(Identifier table, String statement, String part, List<GenericRow> rows)
    {
        try (io.paimon.realtime.memory.arrow.ArrowRowWriter writer = new io.paimon.realtime.memory.arrow.ArrowRowWriter(
                tester.service().rowType(table),
                tester.service().allocator())) {
            rows.forEach(writer::append);
            try (VectorSchemaRoot root = writer.finish()) {
                tester.service().stage(table, statement, part, root);
            }
        }
    }

    @Test
    void restartGoesOnAtTheCommittedOffsets() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of("dt"), Map.of("bucket", "-1"));
        tester.append(table, rows(0, 10));
        tester.restart(tester.options());
        assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 10)));
        tester.append(table, rows(10, 20));
        TableStatus status = tester.service().tableStatus(table);
        assertThat(status.epoch()).isEqualTo(2);
        assertThat(status.buckets().stream().mapToLong(TableStatus.BucketStatus::upperOffset).sum()).isEqualTo(20);
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    @Test
    void schemaChangesOnALiveTable() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "1", "bucket-key", "id"));
        tester.append(table, rows(0, 3));
        tester.catalog().alterTable(table, List.of(SchemaChange.renameColumn("v", "w"), SchemaChange.addColumn("x", DataTypes.BIGINT())), false);
        List<String> expected = tester.union(table);
        assertThat(expected).hasSize(3).allSatisfy(text -> assertThat(text).contains("|null|"));
        tester.service().flush(Optional.of(table));
        assertThat(tester.committed(table)).isEqualTo(expected);
        tester.append(table, List.of(GenericRow.of(9L, BinaryString.fromString("w9"), 9, BinaryString.fromString("d0"), 99L)));
        assertThat(tester.union(table)).hasSize(4).anySatisfy(text -> assertThat(text).isEqualTo("9|w9|9|d0|99|"));
        tester.service().flush(Optional.of(table));
        assertThat(tester.committed(table)).hasSize(4);
    }

    @Test
    void newSchemaIsKnownAtOnce() throws Exception
    {
        Identifier table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "1", "bucket-key", "id"));
        tester.append(table, rows(0, 1));
        tester.catalog().alterTable(table, List.of(SchemaChange.addColumn("x", DataTypes.BIGINT())), false);
        RowType before = tester.service().rowType(table);
        assertThat(before.getFieldNames()).containsExactly("id", "v", "n", "dt", "x");
        tester.catalog().alterTable(table, List.of(SchemaChange.addColumn("y", DataTypes.BIGINT())), false);
        RowType after = tester.table(table).rowType();
        try (ArrowRowWriter writer = new ArrowRowWriter(after, tester.service().allocator())) {
            writer.append(GenericRow.of(9L, BinaryString.fromString("v9"), 9, BinaryString.fromString("d0"), 98L, 99L));
            try (VectorSchemaRoot root = writer.finish()) {
                tester.service().append(table, root);
            }
        }
        assertThat(tester.union(table)).containsExactly("0|v0|null|d0|null|null|", "9|v9|9|d0|98|99|");
        tester.service().flush(Optional.of(table));
        assertThat(tester.committed(table)).containsExactly("0|v0|null|d0|null|null|", "9|v9|9|d0|98|99|");
    }

    @Test
    void randomHistoriesEqualWhatPaimonWouldReturn() throws Exception
    {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        Map<Identifier, List<GenericRow>> model = new HashMap<>();
        for (int i = 0; i < 4; i++) {
            Map<String, String> options = new HashMap<>(
                    Map.of("bucket", i % 2 == 0 ? "-1" : "3", "file.format", List.of("parquet", "orc", "avro").get(i % 3)));
            if (i % 2 == 1) {
                options.put("bucket-key", "id");
            }
            model.put(tester.createTable("r" + i, ROW_TYPE, i < 2 ? List.of() : List.of("dt"), options), new ArrayList<>());
        }
        List<Identifier> tables = model.keySet().stream().sorted((left, right) -> left.getFullName().compareTo(right.getFullName())).toList();
        PredicateBuilder predicates = new PredicateBuilder(ROW_TYPE);
        long id = 0;
        for (int step = 0; step < 300; step++) {
            Identifier table = tables.get(random.nextInt(tables.size()));
            List<GenericRow> expected = model.get(table);
            switch (random.nextInt(8)) {
                case 0 -> tester.service().flush(Optional.of(table));
                case 1 -> {
                    // a foreign writer
                    List<GenericRow> foreign = rows(id, id += 1 + random.nextInt(5));
                    write(tester.table(table), foreign);
                    expected.addAll(foreign);
                }
                case 2, 3 -> {
                    QueryCut cut = tester.service().pin("query" + step);
                    List<String> before = texts(expected);
                    if (random.nextBoolean()) {
                        List<GenericRow> more = rows(id, id += 1 + random.nextInt(50));
                        tester.append(table, more);
                        expected.addAll(more);
                        if (random.nextBoolean()) {
                            tester.service().flush(Optional.of(table));
                        }
                    }
                    assertThat(tester.union(table, cut, Optional.empty())).as("seed %s step %s", seed, step).isEqualTo(before);
                    tester.service().release("query" + step);
                }
                case 4 -> {
                    long bound = random.nextLong(id + 1);
                    Predicate filter = PredicateBuilder.and(predicates.greaterThan(0, bound), predicates.isNotNull(2));
                    QueryCut cut = tester.service().pin("query" + step);
                    assertThat(tester.union(table, cut, Optional.of(filter))).as("seed %s step %s", seed, step)
                            .isEqualTo(texts(expected.stream().filter(row -> row.getLong(0) > bound && !row.isNullAt(2)).toList()));
                    tester.service().release("query" + step);
                }
                default -> {
                    List<GenericRow> more = rows(id, id += 1 + random.nextInt(random.nextInt(20) == 0 ? 2_000 : 20));
                    tester.append(table, more);
                    expected.addAll(more);
                }
            }
        }
        for (Identifier table : tables) {
            List<String> union = tester.union(table);
            assertThat(union).as("seed %s", seed).isEqualTo(texts(model.get(table)));
            tester.service().flush(Optional.of(table));
            assertThat(tester.committed(table)).as("seed %s", seed).isEqualTo(union);
        }
    }

    private static void write(FileStoreTable table, List<GenericRow> rows) throws Exception
    {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }
}
