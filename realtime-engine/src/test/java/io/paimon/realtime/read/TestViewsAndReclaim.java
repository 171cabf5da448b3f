package io.paimon.realtime.read;

import static io.paimon.realtime.read.UnionTester.code;
import static io.paimon.realtime.read.UnionTester.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeSplit;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.junit.jupiter.api.Test;

/** How long memory is kept: by plans, by readers, by commits. */
final class TestViewsAndReclaim
{
    private static long held(UnionTester tester)
    {
        return tester.context.allocator().getAllocatedMemory();
    }

    @Test
    void memoryOfAPlanIsFreedHoweverItsQueryEnds() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            assertThat(held(tester)).isZero();
            for (int end = 0; end < 4; end++) {
                tester.append(10, 20);
                RealtimePlan plan = tester.scan().plan();
                UnionReader reader = new UnionReader(plan);
                RealtimeSplit disk = plan.splits().stream().filter(RealtimeSplit.DiskSplit.class::isInstance).findFirst().orElseThrow();
                List<RecordReader<InternalRow>> open = new ArrayList<>();
                for (RealtimeSplit split : plan.splits()) {
                    open.add(reader.createReader(split));
                }
                switch (end) {
                    case 0 -> {
                        // as cancel does: nothing was read
                    }
                    case 1 -> {
                        // a limit stops early, in the middle of a batch
                        RecordReader<InternalRow> memory = open.getLast();
                        assertThat(memory.readBatch().next()).isNotNull();
                    }
                    case 2 -> {
                        tester.files.failAlways((operation, _) -> operation == Operation.OPEN || operation == Operation.READ);
                        assertThatThrownBy(() -> UnionTester.read(plan, disk)).matches(FaultyFileIO::isInjected);
                        tester.files.heal();
                    }
                    default -> {
                        for (RecordReader<InternalRow> rows : open) {
                            rows.forEachRemaining(row -> assertThat(row.getLong(0)).isNotNegative());
                        }
                    }
                }
                for (RecordReader<InternalRow> rows : open) {
                    rows.close();
                }
                tester.round();
                assertThat(held(tester)).as("held by the plan").isPositive();
                plan.close();
                plan.close();
                assertThat(held(tester)).as("way %s", end).isZero();
                assertThat(tester.indexers.openReaders()).isZero();
            }
        }
    }

    @Test
    void openReaderReturnsEveryRowAfterCommitRefreshAndReclaim() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 100);
            RealtimePlan plan = tester.scan().plan();
            RecordReader<InternalRow> reader = new UnionReader(plan).createReader(plan.splits().getFirst());
            plan.close();
            tester.round();
            assertThat(tester.memoryRows().values()).allMatch(rows -> rows == 0);
            assertThat(held(tester)).isPositive();
            List<String> rows = new ArrayList<>();
            RecordReader.RecordIterator<InternalRow> batch = reader.readBatch();
            for (InternalRow row = batch.next(); row != null; row = batch.next()) {
                rows.add(PlainPaimon.render(row, UnionTester.ROW_TYPE));
            }
            assertThat(rows.stream().sorted()).isEqualTo(texts(0, 100));
            assertThat(held(tester)).isPositive();
            reader.close();
            assertThat(held(tester)).isZero();
        }
    }

    @Test
    void vectorsOutliveTheirReaderAndTheWrite() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            MemBatch batch;
            try (RealtimePlan plan = tester.scan().withProjection(0).plan()) {
                List<MemBatchReader> readers = new UnionReader(plan).createColumnarReaders((MemorySplit) plan.splits().getFirst());
                assertThat(readers).hasSize(1);
                batch = readers.getFirst().next().orElseThrow();
                readers.getFirst().close();
            }
            tester.write().close();
            assertThat(batch.rowCount()).isEqualTo(10);
            for (int i = 0; i < 10; i++) {
                assertThat(((org.apache.arrow.vector.BigIntVector) batch.columns().getFirst()).get(batch.position(i))).isEqualTo(i);
            }
            assertThat(held(tester)).isPositive();
            batch.close();
            assertThat(held(tester)).isZero();
        }
    }

    @Test
    void closedPlanSaysToPlanAgain() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            RealtimePlan plan = tester.scan().plan();
            plan.close();
            assertThatThrownBy(() -> UnionTester.read(plan)).isInstanceOfSatisfying(RealtimeException.class, code(Code.CUT_EXPIRED))
                    .hasMessageContaining("plan again");
        }
    }

    @Test
    void oneRefreshToTheNewestOfThreeCommitsFreesAllThree() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            long identifier = tester.nextIdentifier();
            List<Long> snapshots = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                tester.append(i * 10L, i * 10 + 10);
                snapshots.add(tester.write().commitWithProgress(tester.prepare(identifier + i)));
                assertThat(tester.union()).isEqualTo(texts(0, i * 10 + 10));
            }
            assertThat(tester.memoryRows().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(30);
            assertThat(tester.write().status().buckets()).extracting(BucketStatus::segments).containsExactly(3, 3);
            tester.write().refreshCommittedSnapshot(snapshots.get(2));
            assertThat(tester.write().status().buckets()).allSatisfy(bucket -> assertThat(bucket.segments()).isZero());
            assertThat(held(tester)).isZero();
            // repeating it changes nothing, an older one is refused
            tester.write().refreshCommittedSnapshot(snapshots.get(2));
            for (long older : snapshots.subList(0, 2)) {
                assertThatThrownBy(() -> tester.write().refreshCommittedSnapshot(older))
                        .isInstanceOfSatisfying(RealtimeException.class, code(Code.INVALID_ARGUMENT)).hasMessageContaining("older than the adopted");
            }
            assertThat(tester.write().committedIdentifier()).isEqualTo(identifier + 2);
            tester.append(30, 31);
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(0, 31));
            assertThat(tester.committed()).isEqualTo(texts(0, 31));
        }
    }

    @Test
    void bucketThatCannotBeReclaimedDoesNotStopTheOthers() throws Exception
    {
        try (UnionTester tester = new UnionTester(3, List.of(), Map.of())) {
            tester.append(0, 30);
            tester.indexers.failReclaimOf(1);
            tester.round();
            assertThat(tester.memoryRows().values().stream().filter(rows -> rows > 0)).hasSize(1);
            assertThat(tester.union()).isEqualTo(texts(0, 30));
            // what is committed is not committed again, though it is still in memory
            tester.append(30, 60);
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 60));
            assertThat(tester.union()).isEqualTo(texts(0, 60));
            tester.indexers.failReclaimOf(-1);
            tester.append(60, 90);
            tester.round();
            assertThat(tester.memoryRows().values()).allMatch(rows -> rows == 0);
            assertThat(held(tester)).isZero();
            assertThat(tester.committed()).isEqualTo(texts(0, 90));
        }
    }

    @Test
    void refreshToASnapshotWithoutProgressIsRefused() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            PreparedRound round = tester.prepare(tester.nextIdentifier());
            assertThatThrownBy(() -> tester.write().refreshCommittedSnapshot(0))
                    .isInstanceOfSatisfying(RealtimeException.class, code(Code.COMMIT_FAILED)).hasMessageContaining("no progress");
            // a later snapshot of somebody else stands for ours before it
            long snapshot = tester.write().commitWithProgress(round);
            PlainPaimon.append(tester.plainTable(), UnionTester.rows(10, 11));
            tester.write().refreshCommittedSnapshot(snapshot + 1);
            assertThat(held(tester)).isZero();
            assertThat(tester.union()).isEqualTo(texts(0, 11));
        }
    }
}
