package io.paimon.realtime.read;

import static io.paimon.realtime.read.UnionTester.code;
import static io.paimon.realtime.read.UnionTester.rows;
import static io.paimon.realtime.read.UnionTester.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.table.RealtimeContext;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.RealtimeWrite;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;
import org.apache.paimon.Snapshot;
import org.apache.paimon.fs.Path;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Committing prepared rounds: races, lost answers, lost files, wrong use. */
final class TestCommitRounds
{
    private static final BiPredicate<Operation, Path> PUBLISH_SNAPSHOT = (operation, path) -> operation == Operation.PUBLISH
            && path.getName().startsWith("snapshot-");

    private UnionTester tester;

    @BeforeEach
    void setUp() throws Exception
    {
        tester = new UnionTester(2, List.of(), Map.of());
    }

    @AfterEach
    void tearDown() throws Exception
    {
        tester.close();
    }

    @Test
    void laterRoundSubmittedFirstIsRefused() throws Exception
    {
        tester.append(0, 10);
        PreparedRound first = tester.prepare(tester.nextIdentifier());
        tester.append(10, 20);
        PreparedRound second = tester.prepare(first.next().identifier() + 1);
        long snapshot = tester.latestSnapshot();
        assertThatThrownBy(() -> tester.write().commitWithProgress(second))
                .isInstanceOfSatisfying(RealtimeException.class, code(Code.INVALID_ARGUMENT))
                .hasMessageContaining("round %s must be committed before round %s", first.next().identifier(), second.next().identifier());
        assertThat(tester.latestSnapshot()).isEqualTo(snapshot);
        assertThat(tester.write().commitWithProgress(first)).isEqualTo(snapshot + 1);
        assertThat(tester.committed()).isEqualTo(texts(0, 10));
        assertThat(tester.write().commitWithProgress(second)).isEqualTo(snapshot + 2);
        assertThat(tester.committed()).isEqualTo(texts(0, 20));
        assertThat(tester.union()).isEqualTo(texts(0, 20));
    }

    @Test
    void sameRoundCommittedTwiceIsOneSnapshot() throws Exception
    {
        tester.append(0, 10);
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        long snapshot = tester.write().commitWithProgress(round);
        assertThat(tester.write().commitWithProgress(round)).isEqualTo(snapshot);
        tester.write().refreshCommittedSnapshot(snapshot);
        assertThat(tester.write().commitWithProgress(round)).isEqualTo(snapshot);
        assertThat(tester.latestSnapshot()).isEqualTo(snapshot);
        // the answer was lost, and the process with it: its successor can ask
        tester.append(10, 20);
        PreparedRound lost = tester.prepare(tester.nextIdentifier());
        long lostSnapshot = tester.write().commitWithProgress(lost);
        tester.restart();
        assertThat(tester.write().commitWithProgress(lost)).isEqualTo(lostSnapshot);
        assertThat(tester.union()).isEqualTo(texts(0, 20));
        assertThat(tester.committed()).isEqualTo(texts(0, 20));
    }

    @Test
    void roundOfAWriterThatIsGoneIsRefused() throws Exception
    {
        tester.append(0, 10);
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        RealtimeWrite gone = tester.write();
        tester.restart();
        long snapshot = tester.latestSnapshot();
        assertThatThrownBy(() -> gone.commitWithProgress(round)).isInstanceOfSatisfying(RealtimeException.class, code(Code.UNAVAILABLE));
        assertThatThrownBy(() -> tester.write().commitWithProgress(round))
                .isInstanceOfSatisfying(RealtimeException.class, code(Code.INVALID_ARGUMENT))
                .hasMessageContaining("prepare it again");
        assertThat(tester.latestSnapshot()).isEqualTo(snapshot);
        assertThat(tester.committed()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"append", "compact", "overwrite"})
    void commitThatLosesTheRaceAgainstOthersGoesOnTopOfThem(String other) throws Exception
    {
        // Paimon compacts three files of a bucket, not two
        for (int id = 0; id < 10; id += 2) {
            tester.append(id, id + 2);
            tester.round();
        }
        tester.append(10, 20);
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        long before = tester.latestSnapshot();
        tester.files.meanwhile(PUBLISH_SNAPSHOT, false, () -> foreign(other));
        long snapshot = tester.write().commitWithProgress(round);
        assertThat(snapshot).isEqualTo(tester.latestSnapshot()).isGreaterThan(before + 1);
        assertThat(tester.plainTable().snapshotManager().snapshot(before + 1).commitUser()).doesNotStartWith("realtime-");
        tester.write().refreshCommittedSnapshot(snapshot);
        List<String> expected = switch (other) {
            case "append" -> texts(List.of(rows(0, 20), rows(100, 101)).stream().flatMap(List::stream).toList());
            case "compact" -> texts(0, 20);
            default -> texts(List.of(rows(10, 20), rows(100, 101)).stream().flatMap(List::stream).toList());
        };
        assertThat(tester.union()).isEqualTo(expected);
        assertThat(tester.committed()).isEqualTo(expected);
    }

    private void foreign(String kind)
    {
        FileStoreTable table = tester.plainTable();
        try {
            switch (kind) {
                case "append" -> PlainPaimon.append(table, rows(100, 101));
                case "compact" -> PlainPaimon.compact(table);
                default -> PlainPaimon.overwrite(table, rows(100, 101));
            }
        }
        catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void progressOfAnotherWriterInBetweenFences() throws Exception
    {
        tester.append(0, 10);
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        List<String> offsets = tester.filesEndingWith(".offsets");
        AtomicReference<List<String>> taken = new AtomicReference<>();
        try (RealtimeContext other = RealtimeContext.create(new ArrowMemIndexerFactory())) {
            tester.files.meanwhile(PUBLISH_SNAPSHOT, false, () -> {
                try {
                    // as if this writer had been silent for longer than its lease
                    assertThat(tester.plainFiles().delete(new Path(tester.plainTable().location(), "metadata/realtime.lease"), false)).isTrue();
                    RealtimeWrite write = other.newWrite(tester.plainTable());
                    write.write(rows(50, 55));
                    assertThat(write.commitWithProgress(write.prepareCommitWithProgress(write.committedIdentifier() + 1).orElseThrow())).isPositive();
                    taken.set(tester.filesEndingWith(".offsets"));
                }
                catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThatThrownBy(() -> tester.write().commitWithProgress(round)).isInstanceOfSatisfying(RealtimeException.class, code(Code.FENCED));
            assertThat(tester.committed()).isEqualTo(texts(50, 55));
            // those of the other writer's claim and round stay; that of the refused attempt is removed
            assertThat(taken.get()).hasSize(offsets.size() + 3);
            assertThat(tester.filesEndingWith(".offsets")).hasSize(offsets.size() + 2);
            assertThatThrownBy(() -> tester.append(10, 11)).isInstanceOfSatisfying(RealtimeException.class, code(Code.FENCED));
        }
    }

    @Test
    void commitWhoseAnswerGetsLostIsFound() throws Exception
    {
        tester.append(0, 10);
        long before = tester.latestSnapshot();
        tester.files.failOnce(PUBLISH_SNAPSHOT, true);
        long snapshot = tester.round();
        assertThat(snapshot).isEqualTo(before + 1).isEqualTo(tester.latestSnapshot());
        assertThat(tester.union()).isEqualTo(texts(0, 10));
    }

    @Test
    void commitThatFailsForGoodIsRepeatedAndItsOffsetsFileKept() throws Exception
    {
        tester.append(0, 10);
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        int offsets = tester.filesEndingWith(".offsets").size();
        tester.files.failAlways(PUBLISH_SNAPSHOT);
        assertThatThrownBy(() -> tester.write().commitWithProgress(round)).isInstanceOfSatisfying(RealtimeException.class, code(Code.COMMIT_FAILED));
        // whether the attempt was published is not certain for whoever made it
        assertThat(tester.filesEndingWith(".offsets")).hasSize(offsets + 1);
        assertThat(tester.union()).isEqualTo(texts(0, 10));
        tester.files.heal();
        long snapshot = tester.write().commitWithProgress(round);
        tester.write().refreshCommittedSnapshot(snapshot);
        assertThat(tester.committed()).isEqualTo(texts(0, 10));
        assertThat(tester.union()).isEqualTo(texts(0, 10));
    }

    @Test
    void dataFileThatIsGoneIsNoticedBeforeAnythingIsPublished() throws Exception
    {
        tester.append(0, 10);
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        long snapshot = tester.latestSnapshot();
        String gone = tester.filesEndingWith(".parquet").getFirst();
        java.nio.file.Path folder = java.nio.file.Path.of(tester.plainTable().location().toUri());
        try (var paths = Files.walk(folder)) {
            Files.delete(paths.filter(path -> path.endsWith(gone)).findFirst().orElseThrow());
        }
        assertThatThrownBy(() -> tester.write().commitWithProgress(round)).isInstanceOfSatisfying(RealtimeException.class, code(Code.COMMIT_FAILED));
        assertThat(tester.latestSnapshot()).isEqualTo(snapshot);
        assertThat(tester.union()).isEqualTo(texts(0, 10));
        // the segments are still there: another round has new files
        assertThatThrownBy(() -> tester.write().commitWithProgress(round)).isInstanceOfSatisfying(RealtimeException.class,
                code(Code.INVALID_ARGUMENT));
        tester.append(10, 12);
        tester.round();
        assertThat(tester.committed()).isEqualTo(texts(0, 12));
        assertThat(tester.union()).isEqualTo(texts(0, 12));
    }

    @Test
    void identifierThatDoesNotGrowIsRefused() throws Exception
    {
        tester.append(0, 10);
        for (long identifier : new long[]{-1, 0, tester.write().committedIdentifier()}) {
            assertThatThrownBy(() -> tester.write().prepareCommitWithProgress(identifier))
                    .isInstanceOfSatisfying(RealtimeException.class, code(Code.INVALID_ARGUMENT))
                    .hasMessageContaining("identifier %s does not grow over %s", identifier, tester.write().committedIdentifier());
        }
        PreparedRound round = tester.prepare(tester.nextIdentifier() + 5);
        // the same one is returned again, a smaller one refused
        assertThat(tester.prepare(round.next().identifier())).isSameAs(round);
        assertThatThrownBy(() -> tester.write().prepareCommitWithProgress(round.next().identifier() - 1))
                .isInstanceOfSatisfying(RealtimeException.class, code(Code.INVALID_ARGUMENT));
        tester.write().refreshCommittedSnapshot(tester.write().commitWithProgress(round));
        assertThat(tester.write().committedIdentifier()).isEqualTo(round.next().identifier());
        assertThat(tester.committed()).isEqualTo(texts(0, 10));
    }

    @Test
    void commitAnswersWithTheSnapshotItMade() throws Exception
    {
        tester.append(0, 10);
        long before = tester.latestSnapshot();
        tester.files.meanwhile(PUBLISH_SNAPSHOT, true, () -> foreign("append"));
        PreparedRound round = tester.prepare(tester.nextIdentifier());
        long snapshot = tester.write().commitWithProgress(round);
        assertThat(snapshot).isEqualTo(before + 1);
        assertThat(tester.latestSnapshot()).isEqualTo(before + 2);
        Snapshot made = tester.plainTable().snapshotManager().snapshot(snapshot);
        assertThat(made.commitIdentifier()).isEqualTo(round.next().identifier());
        assertThat(tester.snapshotProperty(snapshot)).isPresent();
        assertThat(tester.snapshotProperty(before + 2)).isEmpty();
        assertThat(((DataSplit) tester.plainTable().newReadBuilder().newScan().plan().splits().getFirst()).snapshotId()).isEqualTo(before + 2);
    }
}
