package io.paimon.realtime.read;

import static io.paimon.realtime.read.UnionTester.ROW_TYPE;
import static io.paimon.realtime.read.UnionTester.code;
import static io.paimon.realtime.read.UnionTester.row;
import static io.paimon.realtime.read.UnionTester.rows;
import static io.paimon.realtime.read.UnionTester.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeSplit.DiskSplit;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

/** What a plan consists of, whatever happens while it is made and before it is read. */
final class TestUnionPlan
{
    private static final PredicateBuilder PREDICATES = new PredicateBuilder(ROW_TYPE);

    @Test
    void commitBetweenTheCutAndTheSnapshotShowsEachRowOnce() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            // the first thing a plan looks at after it has its cut
            tester.files.meanwhile((_, path) -> path.getName().equals("realtime.json"), false, tester::round);
            try (RealtimePlan plan = tester.scan().plan()) {
                assertThat(memory(plan)).isEmpty();
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 10));
            }
            // rows that were accepted after the cut are committed as well: they belong to the next query
            tester.append(10, 20);
            tester.files.meanwhile((_, path) -> path.getName().equals("realtime.json"), false, () -> {
                tester.append(20, 30);
                tester.round();
            });
            try (RealtimePlan plan = tester.scan().plan()) {
                assertThat(plan.snapshotId().orElseThrow()).isLessThan(tester.latestSnapshot());
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 20));
            }
            assertThat(tester.union()).isEqualTo(texts(0, 30));
        }
    }

    @Test
    void commitWithoutRefreshIsCountedOnce() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            PreparedRound round = tester.prepare(tester.nextIdentifier());
            long snapshot = tester.write().commitWithProgress(round);
            tester.append(10, 15);
            try (RealtimePlan plan = tester.scan().plan()) {
                // all of it is in memory, most of it on disk as well: the bounds cut the stored batch
                assertThat(memory(plan)).singleElement().satisfies(split -> {
                    assertThat(split.snapshotId()).hasValue(snapshot);
                    assertThat(split.offsets()).isEqualTo(new OffsetRange(10, 15));
                    assertThat(UnionTester.read(plan, split)).isEqualTo(texts(10, 15));
                });
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 15));
            }
        }
    }

    @Test
    void rowsWrittenAfterThePlanAreInvisibleToEveryReadOfIt() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            try (RealtimePlan plan = tester.scan().plan()) {
                // small batches are merged with what is there: the plan's upper bound lies inside
                for (int id = 10; id < 20; id++) {
                    tester.append(id, id + 1);
                }
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 10));
                tester.round();
                tester.append(20, 30);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 10));
            }
            assertThat(tester.union()).isEqualTo(texts(0, 30));
        }
    }

    @Test
    void onlyMemoryOnlyDiskBothNeither() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            try (RealtimePlan plan = tester.scan().plan()) {
                assertThat(plan.splits()).isEmpty();
                assertThat(UnionTester.read(plan)).isEmpty();
            }
            tester.append(0, 5);
            try (RealtimePlan plan = tester.scan().plan()) {
                assertThat(plan.splits()).hasSize(1).allMatch(MemorySplit.class::isInstance);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 5));
            }
            tester.round();
            try (RealtimePlan plan = tester.scan().plan()) {
                assertThat(plan.splits()).hasSize(1).allMatch(DiskSplit.class::isInstance);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 5));
            }
            tester.append(5, 8);
            try (RealtimePlan plan = tester.scan().plan()) {
                assertThat(plan.splits()).hasSize(2);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 8));
            }
        }
    }

    @Test
    void filtersOnPartitionAndBucketActOnMemoryToo() throws Exception
    {
        try (UnionTester tester = new UnionTester(4, List.of("dt"), Map.of())) {
            tester.append(0, 100);
            tester.round();
            tester.append(100, 200);
            int buckets = tester.memoryRows().size();
            assertThat(buckets).isEqualTo(4);
            try (RealtimePlan plan = tester.scan().withPartition(Map.of("dt", "d1")).plan()) {
                assertThat(memory(plan)).hasSize(4)
                        .allSatisfy(split -> assertThat(split.bucket().partition().getString(0).toString()).isEqualTo("d1"));
                assertThat(UnionTester.read(plan)).isEqualTo(matching(0, 200, id -> id % 3 == 1));
            }
            try (RealtimePlan plan = tester.scan().withBucket(2).plan()) {
                assertThat(memory(plan)).hasSize(3).allSatisfy(split -> assertThat(split.bucket().bucket()).isEqualTo(2));
                assertThat(plan.splits().size()).isEqualTo(6);
            }
            // the bucket of a key is known
            try (RealtimePlan plan = tester.scan().withFilter(PREDICATES.equal(0, 150L)).plan()) {
                assertThat(memory(plan).stream().map(split -> split.bucket().bucket()).distinct()).hasSize(1);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(150, 151));
            }
            Predicate one = PredicateBuilder.and(PREDICATES.equal(0, 150L), PREDICATES.equal(3, BinaryString.fromString("d0")));
            try (RealtimePlan plan = tester.scan().withFilter(one).plan()) {
                assertThat(memory(plan)).hasSize(1);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(150, 151));
            }
            try (RealtimePlan plan = tester.scan().withPartition(Map.of("dt", "none")).plan()) {
                assertThat(plan.splits()).isEmpty();
            }
            assertThatThrownBy(() -> tester.scan().withPartition(Map.of("v", "x"))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no partition column v");
        }
    }

    private static List<String> matching(long from, long to, java.util.function.LongPredicate ids)
    {
        return texts(LongStream.range(from, to).filter(ids).mapToObj(UnionTester::row).toList());
    }

    @Test
    void partitionsOfMemoryOnlyOfDiskOnlyAndWrittenMeanwhile() throws Exception
    {
        try (UnionTester tester = new UnionTester(-1, List.of("dt"), Map.of())) {
            tester.write().write(List.of(row(0)));
            tester.round();
            tester.write().write(List.of(row(1)));
            assertThat(tester.union()).isEqualTo(texts(0, 2));
            assertThat(partition(tester, "d0")).isEqualTo(texts(0, 1));
            assertThat(partition(tester, "d1")).isEqualTo(texts(1, 2));
            assertThat(partition(tester, "d2")).isEmpty();
            // the first row of a partition comes, and is committed, between the cut and the snapshot
            tester.files.meanwhile((_, path) -> path.getName().equals("realtime.json"), false, () -> {
                tester.write().write(List.of(row(2)));
                tester.round();
            });
            assertThat(tester.union()).isEqualTo(texts(0, 2));
            assertThat(partition(tester, "d2")).isEqualTo(texts(2, 3));
        }
    }

    private static List<String> partition(UnionTester tester, String value) throws Exception
    {
        try (RealtimePlan plan = tester.scan().withPartition(Map.of("dt", value)).plan()) {
            return UnionTester.read(plan);
        }
    }

    @Test
    void batchOverManyBucketsIsSeenWholeOrNotAtAll() throws Exception
    {
        try (UnionTester tester = new UnionTester(8, List.of("dt"), Map.of("file.format", "avro"));
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            int batchRows = 48;
            AtomicBoolean done = new AtomicBoolean();
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(threads.submit(() -> {
                    do {
                        Map<Long, Long> batches = tester.union().stream()
                                .map(text -> Long.parseLong(text.substring(1, text.indexOf(','))) / batchRows)
                                .collect(Collectors.groupingBy(batch -> batch, Collectors.counting()));
                        assertThat(batches.values()).allMatch(rows -> rows == batchRows);
                    }
                    while (!done.get());
                    return null;
                }));
            }
            for (int batch = 0; batch < 40; batch++) {
                tester.append((long) batch * batchRows, (batch + 1L) * batchRows);
                if (batch % 10 == 9) {
                    tester.round();
                }
            }
            done.set(true);
            for (Future<?> reader : readers) {
                reader.get();
            }
            assertThat(tester.union()).hasSize(40 * batchRows);
        }
    }

    @Test
    void explicitSnapshotOrTagShowsCommittedRowsOnly() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 5);
            long first = tester.round();
            tester.plainTable().createTag("tag", first);
            tester.append(5, 10);
            long second = tester.round();
            tester.append(10, 15);
            try (RealtimePlan plan = tester.scan().withSnapshot(first).plan()) {
                assertThat(plan.snapshotId()).hasValue(first);
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 5));
            }
            // the newest one, too, once it is named
            try (RealtimePlan plan = tester.scan().withSnapshot(second).plan()) {
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 10));
            }
            try (RealtimePlan plan = tester.scan().withCommittedOnly().plan()) {
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 10));
            }
            for (Map<String, String> options : List.of(Map.of(CoreOptions.SCAN_TAG_NAME.key(), "tag"),
                    Map.of(CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(first)), Map.of(CoreOptions.SCAN_VERSION.key(), "tag"))) {
                try (RealtimePlan plan = new io.paimon.realtime.scan.RealtimeScan(tester.context, tester.table().copy(options)).plan()) {
                    assertThat(UnionTester.read(plan)).as(options.toString()).isEqualTo(texts(0, 5));
                }
            }
            assertThatThrownBy(() -> tester.scan().withSnapshot(999).plan()).hasMessageContaining("999");
            assertThat(tester.union()).isEqualTo(texts(0, 15));
        }
    }

    @Test
    void columnsAreMatchedByIdBetweenDiskAndMemory() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 2);
            tester.round();
            tester.append(2, 4);
            tester.table().schemaManager().commitChanges(SchemaChange.renameColumn("v", "w"), SchemaChange.updateColumnType("n", DataTypes.BIGINT()),
                    SchemaChange.dropColumn("dt"), SchemaChange.addColumn("dt", DataTypes.INT()));
            tester.refreshTable();
            List<String> old = List.of("[0, v0, null, null]", "[1, v1, 1, null]", "[2, v2, 2, null]", "[3, v3, 3, null]");
            assertThat(tester.union()).isEqualTo(old);
            tester.prepare(tester.nextIdentifier());
            tester.write().write(List.of(GenericRow.of(4L, BinaryString.fromString("w4"), 1L << 40, 44)));
            List<String> all = new ArrayList<>(old);
            all.add("[4, w4, 1099511627776, 44]");
            assertThat(tester.union()).isEqualTo(all);
            // the new column of the old name has no old values, the old column none of the new type
            PredicateBuilder predicates = new PredicateBuilder(tester.table().rowType());
            try (RealtimePlan plan = tester.scan().withFilter(PredicateBuilder.or(predicates.isNotNull(3), predicates.equal(2, 3L))).plan()) {
                assertThat(UnionTester.read(plan)).isEqualTo(all.subList(3, 5));
            }
            // the one that is prepared, then the rest
            tester.round();
            tester.round();
            assertThat(tester.committed()).isEqualTo(all);
        }
    }

    @Test
    void longListsAndNullPartitionsWithMemory() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of("dt"), Map.of())) {
            tester.append(0, 30);
            tester.round();
            tester.append(30, 60);
            tester.write().write(List.of(GenericRow.of(60L, null, null, null)));
            List<Object> ids = LongStream.range(0, 20_000).mapToObj(id -> (Object) (id * 3)).toList();
            try (RealtimePlan plan = tester.scan().withFilter(PREDICATES.in(0, ids)).plan()) {
                assertThat(UnionTester.read(plan)).hasSize(21)
                        .containsAll(matching(0, 60, id -> id % 3 == 0)).contains("[60, null, null, null]");
            }
            try (RealtimePlan plan = tester.scan().withFilter(PREDICATES.isNull(3)).plan()) {
                assertThat(memory(plan)).hasSize(1);
                assertThat(UnionTester.read(plan)).containsExactly("[60, null, null, null]");
            }
            try (RealtimePlan plan = tester.scan().withFilter(PREDICATES.isNotNull(3)).plan()) {
                assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 60));
            }
        }
    }

    @Test
    void rowsDeletedByVectorsAreNotCountedAndThoseOfMemoryAre() throws Exception
    {
        try (UnionTester tester = new UnionTester(-1, List.of(), Map.of("deletion-vectors.enabled", "true"))) {
            tester.append(0, 10);
            tester.round();
            PlainPaimon.delete(tester.plainTable(), 0, 3, 9);
            tester.append(10, 15);
            assertThat(tester.union()).isEqualTo(matching(0, 15, id -> id != 0 && id != 3 && id != 9));
            try (RealtimePlan plan = tester.scan().withFilter(PREDICATES.lessThan(0, 11L)).withReadType(new RowType(List.of())).plan()) {
                assertThat(UnionTester.read(plan)).hasSize(8);
            }
            tester.round();
            assertThat(tester.committed()).isEqualTo(matching(0, 15, id -> id != 0 && id != 3 && id != 9));
        }
    }

    @Test
    void projectionsReorderAndCountWithoutColumns() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 3);
            tester.round();
            tester.append(3, 5);
            try (RealtimePlan plan = tester.scan().withProjection(3, 0).withFilter(PREDICATES.greaterThan(2, 1)).plan()) {
                assertThat(UnionTester.read(plan)).containsExactly("[d0, 3]", "[d1, 4]", "[d2, 2]");
            }
            try (RealtimePlan plan = tester.scan().withReadType(new RowType(List.of())).plan();
                    RecordReader<InternalRow> reader = new UnionReader(plan).createReader()) {
                List<Integer> fieldCounts = new ArrayList<>();
                reader.forEachRemaining(row -> fieldCounts.add(row.getFieldCount()));
                assertThat(fieldCounts).containsExactly(0, 0, 0, 0, 0);
            }
        }
    }

    @Test
    void tableThatWasCreatedAnewIsNotReadWithOldRows() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 3);
            tester.plainFiles().delete(new org.apache.paimon.fs.Path(tester.table().location(), "metadata"), true);
            assertThatThrownBy(tester::union).isInstanceOfSatisfying(RealtimeException.class, code(Code.UNAVAILABLE))
                    .hasMessageContaining("dropped or re-created");
        }
    }

    @Test
    void tableThatAnotherWriterHoldsIsReadAsCommittedOnRequestOnly() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of());
                io.paimon.realtime.table.RealtimeContext other = io.paimon.realtime.table.RealtimeContext.create(tester.indexers)) {
            tester.append(0, 3);
            tester.round();
            tester.append(3, 5);
            assertThatThrownBy(() -> new io.paimon.realtime.scan.RealtimeScan(other, tester.table()).plan())
                    .isInstanceOfSatisfying(RealtimeException.class, code(Code.UNAVAILABLE)).hasMessageContaining("fresh rows are in the memory");
            try (RealtimePlan plan = new io.paimon.realtime.scan.RealtimeScan(other, tester.table()).withCommittedOnly().plan()) {
                assertThat(UnionTester.read(plan)).isEqualTo(texts(rows(0, 3)));
            }
        }
    }

    private static List<MemorySplit> memory(RealtimePlan plan)
    {
        return plan.splits().stream().filter(MemorySplit.class::isInstance).map(MemorySplit.class::cast).toList();
    }
}
