package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.MemoryBudget;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.TableOptions;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One writer has a table: claims, leases, take-over, drain, rollback. */
final class TestTableOwnership
{
    private static final RowType ROW_TYPE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.STRING()}, new String[]{"id", "v"});

    private RealtimeTester tester;
    private Identifier table;

    @BeforeEach
    void setUp() throws Exception
    {
        tester = new RealtimeTester();
        table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
    }

    @AfterEach
    void tearDown() throws Exception
    {
        tester.close();
    }

    @Test
    void secondWriterIsRefusedWhileTheFirstLives() throws Exception
    {
        tester.service().setAddress("grpc://first:1");
        tester.append(table, rows(0, 10));
        try (EmbeddedRealtimeService second = tester
                .start(tester.options().withDataDirectory(tester.options().dataDirectory().resolveSibling("second")))) {
            assertThatThrownBy(() -> append(second, rows(10, 20)))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED))
                    .hasMessageContaining("grpc://first:1");
            // its queries cannot see the rows in the first one's memory, and say whose they are
            QueryCut cut = second.pin("query");
            assertThatThrownBy(() -> tester.union(table, cut, Optional.empty()))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                    .hasMessageContaining("grpc://first:1");
            second.release("query");
            assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
        }
    }

    @Test
    void drainedTableIsTakenOverAtOnce() throws Exception
    {
        tester.append(table, rows(0, 10));
        assertThat(new LeaseFile(tester.table(table)).read()).isPresent();
        assertThat(tester.table(table).consumerManager().consumers()).hasSize(1);
        tester.service().release(table, () -> {
        });
        assertThat(newest().progress().drained()).isTrue();
        assertThat(new LeaseFile(tester.table(table)).read()).isEmpty();
        assertThat(tester.table(table).consumerManager().consumers()).isEmpty();
        try (EmbeddedRealtimeService second = tester
                .start(tester.options().withDataDirectory(tester.options().dataDirectory().resolveSibling("second")))) {
            append(second, rows(10, 20));
            second.flush(Optional.of(table));
            assertThat(newest().progress().epoch()).isEqualTo(2);
            assertThat(newest().progress().drained()).isFalse();
            assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 20)));
        }
        assertThat(newest().progress().drained()).isTrue();
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    @Test
    void writerWhoseLeaseRanOutIsReplacedAndFenced() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            CutBoard board = new CutBoard();
            try (RealtimeTable stalled = open(allocator, board, "stalled", 1)) {
                awaitLeaseEnd();
                assertThatThrownBy(() -> append(stalled, allocator, rows(0, 10)))
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
                tester.append(table, rows(10, 20));
                assertThatThrownBy(stalled::renewLease)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                assertThat(stalled.isClosed()).isTrue();
                assertThatThrownBy(() -> append(stalled, allocator, rows(0, 10)))
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                assertThat(board.retainAll().tables()).isEmpty();
            }
        }
        assertThat(tester.union(table)).isEqualTo(texts(rows(10, 20)));
    }

    @Test
    void stalledWriterCommitsNothing() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable stalled = open(allocator, new CutBoard(), "stalled", 500)) {
                append(stalled, allocator, rows(0, 10));
                stalled.prepareCommitWithProgress();
                awaitLeaseEnd();
                tester.append(table, rows(10, 20));
                assertThatThrownBy(stalled::commitWithProgress)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                assertThatThrownBy(stalled::commitRound)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                assertThat(stalled.isClosed()).isTrue();
            }
        }
        tester.service().flush(Optional.empty());
        assertThat(tester.committed(table)).isEqualTo(texts(rows(10, 20)));
    }

    @Test
    void writerOnTheSameDataDirectoryStartsAtOnce() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            // as after kill -9: the lease still stands
            try (RealtimeTable killed = open(allocator, new CutBoard(), "data", 600_000);
                    RealtimeTable next = open(allocator, new CutBoard(), "data", 600_000)) {
                append(next, allocator, rows(0, 10));
                next.commitRound();
                assertThatThrownBy(killed::commitRound)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                next.drain();
            }
        }
        assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 10)));
    }

    @Test
    void rollbackUnderTheWriterIsNoticed() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.service().flush(Optional.of(table));
        long first = newest().snapshotId();
        tester.append(table, rows(10, 20));
        tester.service().flush(Optional.of(table));
        Progress before = newest().progress();
        tester.append(table, rows(20, 30));
        tester.table(table).rollbackTo(first);
        // rows that were rolled back are neither hidden behind the writer's offsets nor shown again
        assertThatThrownBy(() -> tester.union(table)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
        tester.service().flush(Optional.of(table));
        List<GenericRow> expected = new ArrayList<>(rows(0, 10));
        expected.addAll(rows(20, 30));
        assertThat(tester.union(table)).isEqualTo(texts(expected));
        assertThat(tester.committed(table)).isEqualTo(texts(expected));
        before.offsets().forEach((bucket, end) -> assertThat(newest().progress().offset(bucket)).isGreaterThan(end));
    }

    @Test
    void rollbackWhileARoundIsPrepared() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = open(allocator, new CutBoard(), "data", 600_000)) {
                append(writer, allocator, rows(0, 10));
                writer.commitRound();
                long first = newest().snapshotId();
                append(writer, allocator, rows(10, 20));
                writer.commitRound();
                append(writer, allocator, rows(20, 30));
                writer.prepareCommitWithProgress();
                tester.table(table).rollbackTo(first);
                assertThatThrownBy(writer::commitWithProgress)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.COMMIT_FAILED));
                writer.commitRound();
                List<GenericRow> expected = new ArrayList<>(rows(0, 10));
                expected.addAll(rows(20, 30));
                assertThat(tester.committed(table)).isEqualTo(texts(expected));
                writer.drain();
            }
        }
    }

    @Test
    void roundThatWasGivenUpIsNotTakenForCommitted() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = open(allocator, new CutBoard(), "data", 600_000)) {
                long claim = newest().snapshotId();
                append(writer, allocator, rows(0, 10));
                writer.commitRound();
                append(writer, allocator, rows(10, 20));
                PreparedRound round = writer.prepareCommitWithProgress(writer.committed().progress().identifier() + 1).orElseThrow();
                tester.table(table).rollbackTo(claim);
                writer.maintainStanding();
                assertThatThrownBy(() -> writer.commitWithProgress(round))
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID_ARGUMENT));
                writer.commitRound();
                assertThat(tester.committed(table)).isEqualTo(texts(rows(10, 20)));
                writer.drain();
            }
        }
    }

    @Test
    void nextWriterHasAnEpochOfItsOwnAfterARollback() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            tester.append(table, rows(0, 10));
            tester.service().release(table, () -> {
            });
            long drained = newest().snapshotId();
            try (RealtimeTable stalled = open(allocator, new CutBoard(), "stalled", 1)) {
                awaitLeaseEnd();
                // its claim is undone, but its lease tells of it
                tester.table(table).rollbackTo(drained);
                tester.append(table, rows(20, 30));
                assertThatThrownBy(stalled::renewLease)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                tester.service().flush(Optional.of(table));
            }
        }
        List<GenericRow> expected = new ArrayList<>(rows(0, 10));
        expected.addAll(rows(20, 30));
        assertThat(tester.committed(table)).isEqualTo(texts(expected));
    }

    @Test
    void leaseOfAKilledPredecessorOnTheSameDataDirectoryHindersNobody() throws Exception
    {
        Identifier other = tester.createTable("other", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        tester.append(other, rows(0, 1));
        String log = new LeaseFile(tester.table(other)).read().orElseThrow().log();
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            // closed without leaving, as by a kill
            try (RealtimeTable killed = open(allocator, new CutBoard(), log, 600_000)) {
                append(killed, allocator, rows(0, 10));
                killed.commitRound();
            }
        }
        assertThat(new LeaseFile(tester.table(table)).read().orElseThrow().isLive(System.currentTimeMillis())).isTrue();
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
        tester.append(table, rows(10, 20));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    @Test
    void flushAndReleaseAreTheOwnersAffair() throws Exception
    {
        tester.append(table, rows(0, 10));
        try (EmbeddedRealtimeService second = tester
                .start(tester.options().withDataDirectory(tester.options().dataDirectory().resolveSibling("second")))) {
            assertThatThrownBy(() -> second.flush(Optional.of(table)))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
            assertThatThrownBy(() -> second.release(table, () -> {
                throw new AssertionError("the rows of the other writer are not committed");
            })).isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
            second.flush(Optional.empty());
        }
    }

    @Test
    void appendsAreRefusedUntilTheTableIsChanged() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.service().release(table, () -> {
            assertThatThrownBy(() -> tester.append(table, rows(10, 20)))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
            try {
                tester.catalog().alterTable(table, SchemaChange.setOption("realtime.enabled", "false"), false);
            }
            catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertThatThrownBy(() -> tester.append(table, rows(10, 20)))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_REALTIME));
        assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 10)));
    }

    @Test
    void tableThatIsNotOpenIsNotOpenedWhileItIsChanged() throws Exception
    {
        tester.service().release(table, () -> assertThatThrownBy(() -> tester.append(table, rows(0, 10)))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                .hasMessageContaining("is being changed"));
        tester.append(table, rows(0, 10));
        // nor one that was taken over meanwhile
        tester.service().release(table, () -> {
            tester.service().drop(table);
            assertThatThrownBy(() -> tester.append(table, rows(10, 20)))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
        });
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
        assertThatThrownBy(() -> tester.service().release(table, () -> {
            throw new IllegalStateException("the change fails");
        })).hasMessage("the change fails");
        tester.append(table, rows(10, 20));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    @Test
    void tableThatWasTakenOverIsForgotten() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.service().flush(Optional.of(table));
        String log = new LeaseFile(tester.table(table)).read().orElseThrow().log();
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable next = open(allocator, new CutBoard(), log, 600_000)) {
                assertThatThrownBy(() -> tester.service().flush(Optional.empty()))
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                assertThat(tester.service().status().tables()).isZero();
                assertThat(tester.service().status().lastError()).isEmpty();
                tester.service().flush(Optional.empty());
                next.drain();
            }
        }
    }

    @Test
    void droppedFolderDoesNotComeBack() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = open(allocator, new CutBoard(), "data", 600_000)) {
                append(writer, allocator, rows(0, 10));
                FileStoreTable dropped = tester.table(table);
                tester.catalog().dropTable(table, false);
                assertThatThrownBy(writer::renewLease)
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
                assertThat(dropped.fileIO().exists(dropped.location())).isFalse();
            }
        }
    }

    @Test
    void commitOfADroppedTableDoesNotReachItsSuccessor() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.service().release(table, () -> {
        });
        FileStoreTable dropped = tester.table(table);
        Progress base = newest().progress();
        tester.catalog().dropTable(table, false);
        tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        Progress next = new Progress(base.lineage(), base.log(), base.epoch(), base.identifier() + 1, false, base.offsets(), base.producers());
        assertThatThrownBy(() -> new ProgressCommit(dropped, "user").commit(Optional.of(base), next, List.of()))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.FENCED));
        assertThat(tester.table(table).snapshotManager().latestSnapshotIdFromFileSystem()).isNull();
    }

    @Test
    void branchIsNotWritten() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.table(table).createBranch("side");
        for (String name : List.of("t$branch_main", "t$branch_side")) {
            Identifier identifier = Identifier.create(table.getDatabaseName(), name);
            assertThatThrownBy(() -> tester.append(identifier, rows(10, 20)))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_REALTIME));
        }
        tester.append(table, rows(10, 20));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    @Test
    void rollbackOfAnIdleWriterIsRepairedByMaintenance() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = open(allocator, new CutBoard(), "data", 600_000)) {
                long first = newest().snapshotId();
                append(writer, allocator, rows(0, 10));
                writer.commitRound();
                Progress before = newest().progress();
                tester.table(table).rollbackTo(first);
                writer.maintainStanding();
                assertThat(newest().progress().offsets()).isEqualTo(before.offsets());
                assertThat(newest().progress().identifier()).isGreaterThan(before.identifier());
                assertThat(newest().snapshotId()).isEqualTo(writer.committed().snapshotId());
                assertThat(tester.committed(table)).isEmpty();
                writer.drain();
            }
        }
    }

    @Test
    void offsetsAreSaidAgainAfterManyForeignCommits() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = open(allocator, new CutBoard(), "data", 600_000)) {
                append(writer, allocator, rows(0, 10));
                writer.commitRound();
                long own = writer.committed().snapshotId();
                write(tester.table(table), rows(100, 101));
                writer.maintainStanding();
                assertThat(writer.committed().snapshotId()).isEqualTo(own);
                for (int i = 0; i < 20; i++) {
                    write(tester.table(table), rows(200 + i, 201 + i));
                }
                writer.maintainStanding();
                assertThat(writer.committed().snapshotId()).isGreaterThan(own + 20);
                // nothing below it is held any more
                assertThat(tester.table(table).consumerManager().minNextSnapshot()).hasValue(writer.committed().snapshotId());
                writer.drain();
            }
        }
    }

    @Test
    void firstAppendAfterTheCutIsNotSeenByIt() throws Exception
    {
        write(tester.table(table), rows(0, 5));
        QueryCut cut = tester.service().pin("query");
        tester.append(table, rows(5, 10));
        assertThat(tester.union(table, cut, Optional.empty())).isEqualTo(texts(rows(0, 5)));
        tester.service().flush(Optional.of(table));
        assertThat(tester.union(table, cut, Optional.empty())).isEqualTo(texts(rows(0, 5)));
        tester.service().release("query");
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
        // given up before the cut: everything that is committed belongs to it
        tester.service().release(table, () -> {
        });
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 10)));
    }

    @Test
    void damagedLeaseIsNamed() throws Exception
    {
        FileStoreTable paimonTable = tester.table(table);
        paimonTable.fileIO().overwriteFileUtf8(new org.apache.paimon.fs.Path(paimonTable.location(), "metadata/realtime.lease"), "{\"version\": 7}");
        assertThatThrownBy(() -> tester.append(table, rows(0, 1)))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                .hasMessageContaining("metadata/realtime.lease")
                .hasMessageContaining("version 7");
    }

    @Test
    void serviceRenewsItsLeases() throws Exception
    {
        tester.restart(tester.options().withWriterLeaseTimeout(Duration.ofMillis(400)));
        tester.append(table, rows(0, 1));
        long first = new LeaseFile(tester.table(table)).read().orElseThrow().renewedAtMillis();
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (new LeaseFile(tester.table(table)).read().orElseThrow().renewedAtMillis() < first + 1_000) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
        tester.append(table, rows(1, 2));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 2)));
    }

    @Test
    void leasesDoNotWaitForCommits() throws Exception
    {
        Identifier other = tester.createTable("other", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        FaultyFileIO files = new FaultyFileIO(new DurableLocalFileIO());
        CountDownLatch slow = new CountDownLatch(1);
        CountDownLatch committing = new CountDownLatch(1);
        try (EmbeddedRealtimeService service = new EmbeddedRealtimeService(
                tester.options().withDataDirectory(tester.options().dataDirectory().resolveSibling("second"))
                        .withWriterLeaseTimeout(Duration.ofMillis(400)),
                identifier -> identifier.equals(table)
                        ? FileStoreTableFactory.create(files, tester.table(table).location())
                        : tester.table(identifier))) {
            append(service, rows(0, 10));
            try (ArrowRowWriter writer = new ArrowRowWriter(ROW_TYPE, service.allocator())) {
                rows(0, 1).forEach(writer::append);
                try (VectorSchemaRoot root = writer.finish()) {
                    service.append(other, root);
                }
            }
            service.flush(Optional.empty());
            long claim = newest().snapshotId() - 1;
            // the offsets must be said again, and the storage is in no hurry
            files.meanwhile((operation, path) -> operation == Operation.PUBLISH && path.getName().startsWith("snapshot-"), false, () -> {
                committing.countDown();
                try {
                    slow.await();
                }
                catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            tester.table(table).rollbackTo(claim);
            assertThat(committing.await(30, TimeUnit.SECONDS)).isTrue();
            long first = new LeaseFile(tester.table(other)).read().orElseThrow().renewedAtMillis();
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (new LeaseFile(tester.table(other)).read().orElseThrow().renewedAtMillis() < first + 1_000) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
            slow.countDown();
        }
        finally {
            slow.countDown();
        }
        assertThat(newest().progress().drained()).isTrue();
    }

    @Test
    void roundsAreNotStartedAfterTheEnd()
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            OpenTables tables = new OpenTables(tester::table, _ -> options(allocator, new CutBoard(), "data", 600_000));
            tables.get(table);
            CommitSchedule schedule = new CommitSchedule(tables, 1);
            schedule.stop();
            // an append that finds no memory may ask for them
            schedule.startRounds();
            schedule.startMaintenance();
            schedule.awaitEnd();
            tables.closeAll();
        }
    }

    @Test
    void drainedTableStaysGivenUpAfterARollback() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.service().flush(Optional.of(table));
        long first = newest().snapshotId();
        tester.service().release(table, () -> {
            tester.table(table).rollbackTo(first);
            tester.service().flush(Optional.empty());
        });
        // nobody has said again that the writer lives
        assertThat(newest().snapshotId()).isEqualTo(first);
        tester.append(table, rows(10, 20));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    private void awaitLeaseEnd()
    {
        LeaseFile.Lease lease = new LeaseFile(tester.table(table)).read().orElseThrow();
        while (lease.isLive(System.currentTimeMillis())) {
            Thread.onSpinWait();
        }
    }

    private RealtimeTable open(BufferAllocator allocator, CutBoard board, String logId, long leaseMillis)
    {
        return RealtimeTable.open(tester.table(table), options(allocator, board, logId, leaseMillis));
    }

    private TableOptions options(BufferAllocator allocator, CutBoard board, String logId, long leaseMillis)
    {
        MemoryBudget budget = new MemoryBudget(64 << 20, allocator::getAllocatedMemory, () -> {
        });
        return new TableOptions(new ArrowMemIndexerFactory(), allocator, budget, board, table.getFullName(), logId,
                "incarnation-" + System.nanoTime(), () -> "", 100,
                1_000, leaseMillis);
    }

    private Published newest()
    {
        ProgressFiles progressFiles = new ProgressFiles(tester.table(table));
        return progressFiles.newest(progressFiles.lineage().orElseThrow(), progressFiles.latestSnapshotId().orElseThrow()).orElseThrow();
    }

    private static void append(RealtimeTable target, BufferAllocator allocator, List<GenericRow> rows)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(target.rowType(), allocator)) {
            rows.forEach(writer::append);
            try (VectorSchemaRoot root = writer.finish()) {
                target.append(List.of(root), target.rowType());
            }
        }
    }

    private void append(EmbeddedRealtimeService service, List<GenericRow> rows)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(service.rowType(table), service.allocator())) {
            rows.forEach(writer::append);
            try (VectorSchemaRoot root = writer.finish()) {
                service.append(table, root);
            }
        }
    }

    private static void write(FileStoreTable target, List<GenericRow> rows) throws Exception
    {
        BatchWriteBuilder builder = target.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    private static List<GenericRow> rows(long from, long to)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (long id = from; id < to; id++) {
            rows.add(GenericRow.of(id, BinaryString.fromString("v" + id)));
        }
        return rows;
    }

    private static List<String> texts(List<GenericRow> rows)
    {
        List<String> texts = new ArrayList<>();
        rows.forEach(row -> texts.add(RealtimeTester.text(row, ROW_TYPE)));
        Collections.sort(texts);
        return texts;
    }
}
