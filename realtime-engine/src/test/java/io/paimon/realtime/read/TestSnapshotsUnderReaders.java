package io.paimon.realtime.read;

import static com.google.common.base.Throwables.getRootCause;
import static io.paimon.realtime.read.UnionTester.code;
import static io.paimon.realtime.read.UnionTester.row;
import static io.paimon.realtime.read.UnionTester.rows;
import static io.paimon.realtime.read.UnionTester.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeSplit;
import io.paimon.realtime.scan.RealtimeSplit.DiskSplit;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots that come and go while rows are in memory: compaction, expiry, rollback, a branch in place of the table, purge. */
final class TestSnapshotsUnderReaders
{
    private static final BiPredicate<Operation, Path> PUBLISH_SNAPSHOT = (operation, path) -> operation == Operation.PUBLISH
            && path.getName().startsWith("snapshot-");

    private static List<String> ids(LongPredicate ids)
    {
        return texts(LongStream.range(0, 300).filter(ids).mapToObj(UnionTester::row).toList());
    }

    private static void expireAllButOne(FileStoreTable table)
    {
        table.newExpireSnapshots().config(ExpireConfig.builder().snapshotRetainMin(1).snapshotRetainMax(1).snapshotTimeRetain(Duration.ZERO).build())
                .expire();
    }

    private static void removeConsumers(FileStoreTable table)
    {
        try {
            table.consumerManager().consumers().keySet().forEach(table.consumerManager()::deleteConsumer);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The writer notices what happened to its snapshots, as before every round. */
    private static void notice(UnionTester tester)
    {
        notice(tester, tester.nextIdentifier());
    }

    /** @param said identifier under which the offsets are said again */
    private static void notice(UnionTester tester, long said)
    {
        tester.prepare(said + 1);
        assertThat(tester.write().committedIdentifier()).isEqualTo(said);
    }

    private static void assertRefusedUntilTheWriterHasNoticed(UnionTester tester)
    {
        assertThatThrownBy(tester::union).isInstanceOfSatisfying(RealtimeException.class, code(Code.UNAVAILABLE)).hasMessageContaining("try again");
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "-1, true", "1, false", "1, true"})
    void dedicatedCompactionShowsTheSameRowsBeforeDuringAndAfter(int buckets, boolean published) throws Exception
    {
        try (UnionTester tester = new UnionTester(buckets, List.of(), Map.of())) {
            for (int i = 0; i < 6; i++) {
                tester.append(i * 10L, i * 10L + 10);
                tester.round();
            }
            tester.append(60, 75);
            assertThat(files(tester)).isEqualTo(6);
            assertThat(tester.union()).isEqualTo(texts(0, 75));
            try (RealtimePlan before = tester.scan().plan()) {
                // right before the compaction's snapshot is there, or right after
                AtomicInteger looks = new AtomicInteger();
                tester.files.meanwhile(PUBLISH_SNAPSHOT, published, () -> {
                    looks.incrementAndGet();
                    try {
                        assertThat(tester.union()).isEqualTo(texts(0, 75));
                        assertThat(UnionTester.read(before)).isEqualTo(texts(0, 75));
                    }
                    catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                PlainPaimon.compact(tester.table());
                assertThat(looks).hasValue(1);
                assertThat(files(tester)).isLessThan(6);
                assertThat(UnionTester.read(before)).isEqualTo(texts(0, 75));
            }
            assertThat(tester.union()).isEqualTo(texts(0, 75));
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(0, 75));
            assertThat(tester.committed()).isEqualTo(texts(0, 75));
        }
    }

    private static long files(UnionTester tester)
    {
        return tester.plainTable().newReadBuilder().newScan().plan().splits().stream().mapToLong(split -> ((DataSplit) split).dataFiles().size())
                .sum();
    }

    @Test
    void snapshotThatExpiresUnderAPlanIsReadWholeOrFailsClearly() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 20);
            tester.round();
            tester.append(20, 30);
            try (RealtimePlan plan = tester.scan().plan()) {
                long snapshot = plan.snapshotId().orElseThrow();
                UnionReader reader = new UnionReader(plan);
                DiskSplit opened = plan.splits().stream().filter(DiskSplit.class::isInstance).map(DiskSplit.class::cast).findFirst().orElseThrow();
                List<String> rows = UnionTester.read(plan, opened);
                try (RecordReader<InternalRow> open = reader.createReader(opened)) {
                    RecordReader.RecordIterator<InternalRow> batch = open.readBatch();
                    PlainPaimon.overwrite(tester.plainTable(), rows(100, 101));
                    // while it is the writer's newest, nothing of it expires
                    expireAllButOne(tester.plainTable());
                    assertThat(UnionTester.read(plan)).isEqualTo(texts(0, 30));
                    tester.round();
                    expireAllButOne(tester.plainTable());
                    assertThat(tester.plainTable().snapshotManager().snapshotExists(snapshot)).isFalse();
                    // what was open goes on
                    List<String> left = new ArrayList<>();
                    for (; batch != null; batch = open.readBatch()) {
                        for (InternalRow row = batch.next(); row != null; row = batch.next()) {
                            left.add(PlainPaimon.render(row, UnionTester.ROW_TYPE));
                        }
                        batch.releaseBatch();
                    }
                    Collections.sort(left);
                    assertThat(left).isEqualTo(rows);
                }
                for (RealtimeSplit split : plan.splits()) {
                    if (split instanceof MemorySplit) {
                        assertThat(UnionTester.read(plan, split)).isSubsetOf(texts(20, 30));
                    }
                    else {
                        assertThatThrownBy(() -> UnionTester.read(plan, split)).matches(e -> getRootCause(e) instanceof FileNotFoundException);
                    }
                }
                assertThatThrownBy(() -> UnionTester.read(plan)).matches(e -> getRootCause(e) instanceof FileNotFoundException);
            }
            assertThat(tester.union()).isEqualTo(ids(id -> (id >= 20 && id < 30) || id == 100));
        }
    }

    /** Two rounds and an expiry come between the cut and the snapshot: one that fits is there, but not what says which rows of the cut it holds. */
    @Test
    void snapshotWhoseProgressHasExpiredIsNotReadUnderAnOlderCut() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.files.meanwhile((_, path) -> path.getName().equals("realtime.json"), false, () -> {
                tester.round();
                append(tester, 100);
                tester.append(10, 20);
                long last = tester.round();
                tester.plainTable().newExpireSnapshots()
                        .config(ExpireConfig.builder().snapshotRetainMin(2).snapshotRetainMax(2).snapshotTimeRetain(Duration.ZERO)
                                .build())
                        .expire();
                assertThat(tester.plainTable().snapshotManager().earliestSnapshotId()).isEqualTo(last - 1);
            });
            assertThatThrownBy(() -> tester.scan().plan().close()).isInstanceOfSatisfying(RealtimeException.class, code(Code.CUT_EXPIRED));
            assertThat(tester.union()).isEqualTo(ids(id -> id < 20 || id == 100));
        }
    }

    private static void append(UnionTester tester, long id)
    {
        try {
            PlainPaimon.append(tester.plainTable(), List.of(row(id)));
        }
        catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void rollbackWhileMemoryIsPinned() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            long first = tester.round();
            tester.append(10, 20);
            long second = tester.round();
            tester.append(20, 30);
            try (RealtimePlan pinned = tester.scan().plan()) {
                tester.plainTable().rollbackTo(first);
                assertRefusedUntilTheWriterHasNoticed(tester);
                // ids are given again: nobody takes other snapshots for the writer's
                for (long id = 100; tester.latestSnapshot() < second + 2; id++) {
                    append(tester, id);
                    assertRefusedUntilTheWriterHasNoticed(tester);
                }
                // the files of the plan are there: Paimon's rollback deletes snapshots only
                assertThat(UnionTester.read(pinned)).isEqualTo(texts(0, 30));
                notice(tester);
                List<String> expected = ids(id -> id < 10 || (id >= 20 && id < 30) || (id >= 100 && id < 100 + second + 2 - first));
                assertThat(tester.union()).isEqualTo(expected);
                tester.round();
                assertThat(tester.union()).isEqualTo(expected);
                assertThat(tester.committed()).isEqualTo(expected);
                assertThat(UnionTester.read(pinned)).isEqualTo(texts(0, 30));
            }
        }
    }

    @Test
    void offsetsAreSaidAgainOnceMoreIfTheAnswerWasLost() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            long first = tester.round();
            tester.append(10, 20);
            tester.round();
            tester.append(20, 30);
            tester.plainTable().rollbackTo(first);
            tester.files.meanwhile(PUBLISH_SNAPSHOT, true, () -> tester.files.failAlways((operation, _) -> operation == Operation.OPEN));
            assertThatThrownBy(() -> tester.prepare(tester.nextIdentifier() + 1)).matches(FaultyFileIO::isInjected);
            tester.files.heal();
            notice(tester, tester.nextIdentifier() + 1);
            tester.round();
            assertThat(tester.union()).isEqualTo(ids(id -> id < 10 || (id >= 20 && id < 30)));
            assertThat(tester.committed()).isEqualTo(tester.union());
        }
    }

    @Test
    void snapshotThatGotTheIdOfAnotherAfterARollbackIsNotTakenForIt() throws Exception
    {
        try (UnionTester tester = new UnionTester(1, List.of(), Map.of())) {
            tester.append(0, 5);
            long first = tester.round();
            tester.append(5, 10);
            tester.round();
            tester.append(10, 20);
            long third = tester.round();
            tester.append(20, 30);
            // the snapshot is chosen; before its files are planned it is another one, which holds rows of the cut's memory
            AtomicInteger reads = new AtomicInteger();
            AtomicInteger rollbacks = new AtomicInteger();
            tester.files.meanwhile(
                    (operation, path) -> operation == Operation.OPEN && path.getName().equals("snapshot-" + third) && reads.getAndIncrement() == 1,
                    false, () -> {
                        rollbacks.incrementAndGet();
                        tester.plainTable().rollbackTo(first);
                        notice(tester);
                        tester.round();
                        assertThat(tester.latestSnapshot()).isEqualTo(third);
                    });
            assertThatThrownBy(() -> tester.scan().plan().close()).isInstanceOfSatisfying(RealtimeException.class, code(Code.CUT_EXPIRED))
                    .hasMessageContaining("again");
            assertThat(rollbacks).hasValue(1);
            assertThat(tester.union()).isEqualTo(ids(id -> id < 5 || (id >= 20 && id < 30)));
        }
    }

    /** A branch is put in the table's place by {@code fast_forward}: what came after its beginning is rolled back. */
    @Test
    void fastForwardOfABranch() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            PlainPaimon.append(tester.plainTable(), rows(100, 105));
            tester.append(0, 10);
            tester.round();
            tester.plainTable().createTag("base", tester.latestSnapshot());
            tester.plainTable().createBranch("side", "base");
            tester.append(10, 20);
            tester.round();
            tester.append(20, 30);
            PlainPaimon.append(tester.plainTable().switchToBranch("side"), rows(200, 203));
            List<String> before = tester.union();
            try (RealtimePlan pinned = tester.scan().plan()) {
                tester.plainTable().fastForward("side");
                assertRefusedUntilTheWriterHasNoticed(tester);
                assertThat(UnionTester.read(pinned)).isEqualTo(before);
            }
            notice(tester);
            List<String> expected = ids(id -> id < 10 || (id >= 20 && id < 30) || (id >= 100 && id < 105) || (id >= 200 && id < 203));
            assertThat(tester.union()).isEqualTo(expected);
            tester.round();
            assertThat(tester.union()).isEqualTo(expected);
            assertThat(tester.committed()).isEqualTo(expected);
        }
    }

    @Test
    void purgeRemovesWhatIsCommittedAndNothingElse() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            tester.append(10, 20);
            try (RealtimePlan pinned = tester.scan().plan()) {
                tester.plainTable().purgeFiles();
                assertRefusedUntilTheWriterHasNoticed(tester);
                assertThatThrownBy(() -> UnionTester.read(pinned)).matches(e -> getRootCause(e) instanceof FileNotFoundException);
            }
            notice(tester);
            assertThat(tester.union()).isEqualTo(texts(10, 20));
            tester.append(20, 25);
            tester.round();
            tester.round();
            assertThat(tester.union()).isEqualTo(texts(10, 25));
            assertThat(tester.committed()).isEqualTo(texts(10, 25));
            tester.restart();
            assertThat(tester.union()).isEqualTo(texts(10, 25));
        }
    }

    /** The round's snapshot goes before its memory is given up; what happened to its rows then has happened to them. */
    @ParameterizedTest
    @ValueSource(strings = {"expiry", "rollback", "purge"})
    void snapshotThatGoesBetweenCommitAndRefresh(String reason) throws Exception
    {
        for (boolean refreshed : new boolean[]{true, false}) {
            try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
                tester.append(0, 10);
                long before = tester.round();
                tester.append(10, 20);
                PreparedRound round = tester.prepare(tester.nextIdentifier());
                long snapshot = tester.write().commitWithProgress(round);
                tester.append(20, 30);
                FileStoreTable table = tester.plainTable();
                switch (reason) {
                    case "expiry" -> {
                        PlainPaimon.append(table, rows(100, 101));
                        removeConsumers(table);
                        expireAllButOne(table);
                    }
                    case "rollback" -> table.rollbackTo(before);
                    default -> table.purgeFiles();
                }
                List<String> expected = switch (reason) {
                    case "expiry" -> ids(id -> id < 30 || id == 100);
                    case "rollback" -> ids(id -> id < 10 || (id >= 20 && id < 30));
                    default -> texts(20, 30);
                };
                if (!reason.equals("rollback")) {
                    // after the rollback the cut is one of before the commit, and right as such
                    assertRefusedUntilTheWriterHasNoticed(tester);
                }
                // asked again, the same answer
                assertThat(tester.write().commitWithProgress(round)).isEqualTo(snapshot);
                if (refreshed) {
                    tester.write().refreshCommittedSnapshot(snapshot);
                }
                notice(tester, round.next().identifier() + 1);
                assertThat(tester.union()).as(reason).isEqualTo(expected);
                tester.round();
                assertThat(tester.union()).as(reason).isEqualTo(expected);
                assertThat(tester.committed()).as(reason).isEqualTo(expected);
                tester.restart();
                assertThat(tester.union()).as(reason).isEqualTo(expected);
            }
        }
    }

    @Test
    void consumerThatIsRemovedHidesNoRow() throws Exception
    {
        try (UnionTester tester = new UnionTester(2, List.of(), Map.of())) {
            tester.append(0, 10);
            tester.round();
            tester.append(10, 20);
            PlainPaimon.append(tester.plainTable(), rows(100, 101));
            try (RealtimePlan pinned = tester.scan().plan()) {
                removeConsumers(tester.plainTable());
                List<String> expected = ids(id -> id < 20 || id == 100);
                assertThat(tester.union()).isEqualTo(expected);
                expireAllButOne(tester.plainTable());
                assertRefusedUntilTheWriterHasNoticed(tester);
                assertThat(UnionTester.read(pinned)).isEqualTo(expected);
                notice(tester);
                assertThat(tester.union()).isEqualTo(expected);
                assertThat(tester.plainTable().consumerManager().consumers()).hasSize(1);
                tester.round();
                assertThat(tester.union()).isEqualTo(expected);
                assertThat(tester.committed()).isEqualTo(expected);
            }
        }
    }
}
