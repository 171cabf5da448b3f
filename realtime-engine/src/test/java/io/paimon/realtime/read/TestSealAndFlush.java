package io.paimon.realtime.read;

import static io.paimon.realtime.read.UnionTester.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

/** Sealing segments and writing them to data files, with everything that can break meanwhile. */
final class TestSealAndFlush
{
    @Test
    void roundWithNothingWrittenLeavesNothing() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            long snapshot = tester.latestSnapshot();
            assertThat(tester.write().prepareCommitWithProgress(tester.nextIdentifier())).isEmpty();
            assertThat(tester.latestSnapshot()).isEqualTo(snapshot);
            // that of the claim
            assertThat(tester.filesEndingWith(".offsets")).hasSize(1);
            assertThat(tester.filesEndingWith(".parquet")).isEmpty();
        }
    }

    @Test
    void writesGoOnWhileASegmentIsFlushed() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.files.meanwhile((operation, path) -> operation == Operation.CREATE && path.toString().contains("bucket-0"), false,
                    () -> tester.append(10, 15));
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 10));
            assertThat(tester.union()).isEqualTo(texts(0, 15));
            assertThat(tester.write().status().buckets()).singleElement().satisfies(bucket -> {
                assertThat(bucket.committedOffset()).isEqualTo(10);
                assertThat(bucket.upperOffset()).isEqualTo(15);
                assertThat(bucket.memoryRows()).isEqualTo(5);
            });
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 15));
        }
    }

    @Test
    void racingRoundsARefresherAndReadersSeeGapFreePrefixes() throws Exception
    {
        try (UnionTester tester = new UnionTester(3, List.of(), Map.of("file.format", "avro"));
                ExecutorService threads = Executors.newCachedThreadPool()) {
            AtomicLong acknowledged = new AtomicLong();
            AtomicBoolean done = new AtomicBoolean();
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                others.add(threads.submit(() -> {
                    while (!done.get()) {
                        raceForARound(tester);
                    }
                }));
                others.add(threads.submit(() -> {
                    while (!done.get()) {
                        long before = acknowledged.get();
                        List<String> rows = tester.union();
                        assertThat((long) rows.size()).isGreaterThanOrEqualTo(before);
                        assertThat(rows).isEqualTo(texts(0, rows.size()));
                    }
                    return null;
                }));
            }
            others.add(threads.submit(() -> {
                while (!done.get()) {
                    refuseQuietly(() -> tester.write().refreshCommittedSnapshot(tester.latestSnapshot()));
                }
            }));
            for (int batch = 0; batch < 150; batch++) {
                // a batch in one bucket only: it is always a prefix that is seen
                tester.append(batch, batch + 1);
                acknowledged.set(batch + 1);
            }
            done.set(true);
            for (Future<?> other : others) {
                other.get();
            }
            while (tester.memoryRows().values().stream().anyMatch(rows -> rows > 0)) {
                raceForARound(tester);
            }
            assertThat(tester.committed()).isEqualTo(texts(0, 150));
        }
    }

    /** Whoever loses a race is told so, and nothing else happens. */
    private static void raceForARound(UnionTester tester)
    {
        refuseQuietly(() -> tester.write().prepareCommitWithProgress(tester.nextIdentifier())
                .ifPresent(round -> tester.write().refreshCommittedSnapshot(tester.write().commitWithProgress(round))));
    }

    private static void refuseQuietly(Runnable action)
    {
        try {
            action.run();
        }
        catch (RealtimeException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(Code.INVALID_ARGUMENT);
        }
    }

    @Test
    void failedFlushOfOneBucketLosesNothing() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 20);
            long snapshot = tester.latestSnapshot();
            tester.files.failAlways((operation, path) -> operation == Operation.CLOSE && path.toString().contains("bucket-1"));
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(tester::round).isInstanceOfSatisfying(RealtimeException.class, UnionTester.code(Code.COMMIT_FAILED));
                assertThat(tester.union()).isEqualTo(texts(0, 20 + attempt));
                tester.append(20 + attempt, 21 + attempt);
            }
            assertThat(tester.latestSnapshot()).isEqualTo(snapshot);
            tester.files.heal();
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(0, 22));
            assertThat(tester.committed()).isEqualTo(texts(0, 22));
            // what the failed attempts had written of the other bucket is gone
            assertThat(tester.filesEndingWith(".parquet")).hasSize(dataFiles(tester));
        }
    }

    private static int dataFiles(UnionTester tester)
    {
        int files = 0;
        for (Split split : tester.plainTable().newReadBuilder().newScan().plan().splits()) {
            files += ((DataSplit) split).dataFiles().size();
        }
        return files;
    }

    @Test
    void flushThatLosesRowsIsRefused() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.indexers.loseRows(true);
            assertThatThrownBy(tester::round).isInstanceOfSatisfying(RealtimeException.class, UnionTester.code(Code.INTERNAL))
                    .hasMessageContaining("flushed 0 rows of 10");
            assertThat(tester.committed()).isEmpty();
            assertThat(tester.filesEndingWith(".parquet")).isEmpty();
            tester.indexers.loseRows(false);
            tester.round();
            assertThat(tester.committed()).isEqualTo(texts(0, 10));
        }
    }

    @Test
    void readersOpenedBeforeOneThatCannotBeAreClosed() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            // rows of three schemas are in three indexers
            for (int schema = 0; schema < 3; schema++) {
                GenericRow row = new GenericRow(tester.write().rowType().getFieldCount());
                row.setField(0, (long) schema);
                tester.write().write(List.of(row));
                tester.table().schemaManager().commitChanges(SchemaChange.addColumn("extra" + schema, DataTypes.INT()));
                tester.prepare(tester.nextIdentifier() + schema);
            }
            tester.refreshTable();
            try (RealtimePlan plan = tester.scan().plan()) {
                MemorySplit split = (MemorySplit) plan.splits().getFirst();
                for (int failing = 0; failing < 3; failing++) {
                    tester.indexers.failReadersOf(failing);
                    assertThatThrownBy(() -> new UnionReader(plan).createReader(split)).hasMessageContaining("injected fault");
                    assertThat(tester.indexers.openReaders()).isZero();
                }
                tester.indexers.failReadersOf(-1);
                assertThat(UnionTester.read(plan)).hasSize(3);
            }
        }
    }

    @Test
    void oneSegmentBecomesSeveralFiles() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of("target-file-size", "1 kb", "file.format", "avro"))) {
            tester.append(0, 6_000);
            tester.round();
            assertThat(tester.filesEndingWith(".avro").stream().filter(name -> name.startsWith("data-"))).hasSizeGreaterThan(1);
            assertThat(tester.write().committedIdentifier()).isPositive();
            tester.append(6_000, 6_001);
            assertThat(tester.write().status().buckets()).extracting(BucketStatus::committedOffset).containsExactly(6_000L);
            assertThat(tester.write().status().buckets()).extracting(BucketStatus::upperOffset).containsExactly(6_001L);
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(0, 6_001));
            assertThat(tester.committed()).isEqualTo(texts(0, 6_001));
        }
    }
}
