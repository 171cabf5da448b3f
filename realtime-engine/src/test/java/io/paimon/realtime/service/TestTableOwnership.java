package io.paimon.realtime.service;

import static io.paimon.realtime.service.OwnershipFixture.ROW_TYPE;
import static io.paimon.realtime.service.OwnershipFixture.append;
import static io.paimon.realtime.service.OwnershipFixture.rows;
import static io.paimon.realtime.service.OwnershipFixture.texts;
import static io.paimon.realtime.service.OwnershipFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.RealtimeTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One writer has a table: claims, take-over, drain, and tables that are dropped or changed meanwhile. */
final class TestTableOwnership
{
    private OwnershipFixture fixture;
    private RealtimeTester tester;
    private Identifier table;

    @BeforeEach
    void setUp() throws Exception
    {
        fixture = new OwnershipFixture();
        tester = fixture.tester;
        table = fixture.table;
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
            assertThatThrownBy(() -> fixture.append(second, rows(10, 20)))
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
        assertThat(fixture.newest().progress().drained()).isTrue();
        assertThat(new LeaseFile(tester.table(table)).read()).isEmpty();
        assertThat(tester.table(table).consumerManager().consumers()).isEmpty();
        try (EmbeddedRealtimeService second = tester
                .start(tester.options().withDataDirectory(tester.options().dataDirectory().resolveSibling("second")))) {
            fixture.append(second, rows(10, 20));
            second.flush(Optional.of(table));
            assertThat(fixture.newest().progress().epoch()).isEqualTo(2);
            assertThat(fixture.newest().progress().drained()).isFalse();
            assertThat(tester.committed(table)).isEqualTo(texts(rows(0, 20)));
        }
        assertThat(fixture.newest().progress().drained()).isTrue();
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }

    @Test
    void writerWhoseLeaseRanOutIsReplacedAndFenced() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            CutBoard board = new CutBoard();
            try (RealtimeTable stalled = fixture.open(allocator, board, "stalled", 1)) {
                fixture.awaitLeaseEnd();
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
            try (RealtimeTable stalled = fixture.open(allocator, new CutBoard(), "stalled", 500)) {
                append(stalled, allocator, rows(0, 10));
                stalled.prepareCommitWithProgress();
                fixture.awaitLeaseEnd();
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
            try (RealtimeTable killed = fixture.open(allocator, new CutBoard(), "data", 600_000);
                    RealtimeTable next = fixture.open(allocator, new CutBoard(), "data", 600_000)) {
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
    void leaseOfAKilledPredecessorOnTheSameDataDirectoryHindersNobody() throws Exception
    {
        Identifier other = tester.createTable("other", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        tester.append(other, rows(0, 1));
        String log = new LeaseFile(tester.table(other)).read().orElseThrow().log();
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            // closed without leaving, as by a kill
            try (RealtimeTable killed = fixture.open(allocator, new CutBoard(), log, 600_000)) {
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
            try (RealtimeTable next = fixture.open(allocator, new CutBoard(), log, 600_000)) {
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
            try (RealtimeTable writer = fixture.open(allocator, new CutBoard(), "data", 600_000)) {
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
        Progress base = fixture.newest().progress();
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
}
