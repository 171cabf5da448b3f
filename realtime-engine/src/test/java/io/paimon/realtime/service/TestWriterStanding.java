package io.paimon.realtime.service;

import static io.paimon.realtime.service.OwnershipFixture.ROW_TYPE;
import static io.paimon.realtime.service.OwnershipFixture.append;
import static io.paimon.realtime.service.OwnershipFixture.rows;
import static io.paimon.realtime.service.OwnershipFixture.texts;
import static io.paimon.realtime.service.OwnershipFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a writer keeps its standing: leases that are renewed, and offsets that are said again after rollbacks and many commits of others. */
final class TestWriterStanding
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
    void rollbackUnderTheWriterIsNoticed() throws Exception
    {
        tester.append(table, rows(0, 10));
        tester.service().flush(Optional.of(table));
        long first = fixture.newest().snapshotId();
        tester.append(table, rows(10, 20));
        tester.service().flush(Optional.of(table));
        Progress before = fixture.newest().progress();
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
        before.offsets().forEach((bucket, end) -> assertThat(fixture.newest().progress().offset(bucket)).isGreaterThan(end));
    }

    @Test
    void rollbackWhileARoundIsPrepared() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = fixture.open(allocator, new CutBoard(), "data", 600_000)) {
                append(writer, allocator, rows(0, 10));
                writer.commitRound();
                long first = fixture.newest().snapshotId();
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
            try (RealtimeTable writer = fixture.open(allocator, new CutBoard(), "data", 600_000)) {
                long claim = fixture.newest().snapshotId();
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
            long drained = fixture.newest().snapshotId();
            try (RealtimeTable stalled = fixture.open(allocator, new CutBoard(), "stalled", 1)) {
                fixture.awaitLeaseEnd();
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
    void rollbackOfAnIdleWriterIsRepairedByMaintenance() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = fixture.open(allocator, new CutBoard(), "data", 600_000)) {
                long first = fixture.newest().snapshotId();
                append(writer, allocator, rows(0, 10));
                writer.commitRound();
                Progress before = fixture.newest().progress();
                tester.table(table).rollbackTo(first);
                writer.maintainStanding();
                assertThat(fixture.newest().progress().offsets()).isEqualTo(before.offsets());
                assertThat(fixture.newest().progress().identifier()).isGreaterThan(before.identifier());
                assertThat(fixture.newest().snapshotId()).isEqualTo(writer.committed().snapshotId());
                assertThat(tester.committed(table)).isEmpty();
                writer.drain();
            }
        }
    }

    @Test
    void offsetsAreSaidAgainAfterManyForeignCommits() throws Exception
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            try (RealtimeTable writer = fixture.open(allocator, new CutBoard(), "data", 600_000)) {
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
            fixture.append(service, rows(0, 10));
            try (ArrowRowWriter writer = new ArrowRowWriter(ROW_TYPE, service.allocator())) {
                rows(0, 1).forEach(writer::append);
                try (VectorSchemaRoot root = writer.finish()) {
                    service.append(other, root);
                }
            }
            service.flush(Optional.empty());
            long claim = fixture.newest().snapshotId() - 1;
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
        assertThat(fixture.newest().progress().drained()).isTrue();
    }

    @Test
    void roundsAreNotStartedAfterTheEnd()
    {
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20)) {
            OpenTables tables = new OpenTables(tester::table, _ -> fixture.options(allocator, new CutBoard(), "data", 600_000));
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
        long first = fixture.newest().snapshotId();
        tester.service().release(table, () -> {
            tester.table(table).rollbackTo(first);
            tester.service().flush(Optional.empty());
        });
        // nobody has said again that the writer lives
        assertThat(fixture.newest().snapshotId()).isEqualTo(first);
        tester.append(table, rows(10, 20));
        assertThat(tester.union(table)).isEqualTo(texts(rows(0, 20)));
    }
}
