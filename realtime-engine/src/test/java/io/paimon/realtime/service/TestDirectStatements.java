package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.MemoryBudget;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.TableOptions;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements that are committed behind a round, and appends while the table's definition changes, with storage that fails and others that interfere. */
final class TestDirectStatements
{
    private static final BiPredicate<Operation, org.apache.paimon.fs.Path> SNAPSHOT = (operation,
            path) -> operation == Operation.PUBLISH && path.getName().startsWith("snapshot-");

    private final FaultyFileIO files = new FaultyFileIO(new DurableLocalFileIO());
    private final CutBoard board = new CutBoard();
    private final AtomicReference<Runnable> onPressure = new AtomicReference<>(() -> {
    });
    private BufferAllocator allocator;
    private BufferAllocator sender;
    private Path folder;
    private org.apache.paimon.fs.Path location;
    private RealtimeTable table;

    @BeforeEach
    void setUp() throws Exception
    {
        allocator = ArrowMemory.newRootAllocator(64 << 20);
        sender = ArrowMemory.newRootAllocator(64 << 20);
        folder = Files.createTempDirectory("direct");
        open("t");
    }

    @AfterEach
    void tearDown() throws Exception
    {
        files.heal();
        table.close();
        allocator.close();
        sender.close();
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    }

    private void open(String name) throws Exception
    {
        open(name, allocator);
    }

    private void open(String name, BufferAllocator memory) throws Exception
    {
        open(name, memory, Schema.newBuilder().column("id", DataTypes.BIGINT()));
    }

    private void open(String name, BufferAllocator memory, Schema.Builder schema) throws Exception
    {
        location = new org.apache.paimon.fs.Path(folder.resolve("s.db").resolve(name).toUri());
        new SchemaManager(files, location).createTable(schema.option("realtime.enabled", "true")
                .option("bucket", "2").option("bucket-key", "id").option("commit.min-retry-wait", "1 ms").option("commit.max-retry-wait", "2 ms")
                .option("commit.max-retries", "2").build());
        MemoryBudget budget = new MemoryBudget(4 << 20, memory::getAllocatedMemory, () -> onPressure.get().run());
        table = RealtimeTable.open(FileStoreTableFactory.create(files, location),
                new TableOptions(new ArrowMemIndexerFactory(), memory, budget, board,
                        "s." + name, "log", "incarnation", () -> "", 100, 1_000, 600_000));
    }

    @Test
    void everyFailureLeavesEachRowOnce() throws Exception
    {
        for (boolean afterEffect : new boolean[]{false, true}) {
            boolean struck = true;
            // every third one, each time another third
            for (int count = afterEffect ? 1 : 0; struck; count += 3) {
                table.close();
                open("t-%s-%s".formatted(afterEffect, count));
                append(0, 10);
                files.failAfter((operation, _) -> operation != Operation.READ && operation != Operation.WRITE, count, afterEffect);
                try {
                    assertThat(statement("id", 100, 300)).isEqualTo(200);
                    // a fault that is survived has struck as well
                    struck = files.hasStruck();
                }
                catch (RuntimeException e) {
                    assertThat(FaultyFileIO.isInjected(e)).as("failure %s", count).isTrue();
                    files.heal();
                    assertThat(statement("id", 100, 300)).isEqualTo(200);
                }
                files.heal();
                append(10, 20);
                table.commitRound();
                assertThat(committed()).as("fault in operation %s, after its effect: %s", count, afterEffect)
                        .containsExactlyInAnyOrderElementsOf(ids(LongStream.concat(LongStream.range(0, 20), LongStream.range(100, 300))));
            }
        }
    }

    @Test
    void repetitionOfAnUncertainStatementAnswersWhatCameOfIt() throws Exception
    {
        append(0, 10);
        table.commitRound();
        files.meanwhile(SNAPSHOT, true, () -> files.failAlways((_, _) -> true));
        assertThatThrownBy(() -> statement("id", 100, 300)).matches(FaultyFileIO::isInjected);
        // nothing gets an offset while it is not known
        assertThatThrownBy(() -> append(10, 20))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                .hasMessageContaining("not known yet");
        files.heal();
        Iterator<InternalRow> untouched = Stream.<InternalRow>generate(() -> {
            throw new AssertionError("the rows are committed already");
        }).iterator();
        assertThat(table.appendDirectly("id", untouched, table.rowType(), folder)).isEqualTo(200);
        append(10, 20);
        table.commitRound();
        assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.concat(LongStream.range(0, 20), LongStream.range(100, 300))));
    }

    @Test
    void statementThatMaintenanceFindsOwnsItsOffsets() throws Exception
    {
        append(0, 10);
        table.commitRound();
        files.meanwhile(SNAPSHOT, true, () -> files.failAlways((_, _) -> true));
        assertThatThrownBy(() -> statement("id", 100, 300)).matches(FaultyFileIO::isInjected);
        files.heal();
        table.maintainStanding();
        append(10, 20);
        assertThat(statement("id", 100, 300)).isEqualTo(200);
        table.commitRound();
        assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.concat(LongStream.range(0, 20), LongStream.range(100, 300))));
    }

    @Test
    void statementThatAPreparedRoundFindsOwnsItsOffsets() throws Exception
    {
        append(0, 10);
        table.commitRound();
        files.meanwhile(SNAPSHOT, true, () -> files.failAlways((_, _) -> true));
        assertThatThrownBy(() -> statement("id", 100, 300)).matches(FaultyFileIO::isInjected);
        files.heal();
        assertThat(table.prepareCommitWithProgress()).isEmpty();
        append(10, 20);
        table.commitRound();
        assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.concat(LongStream.range(0, 20), LongStream.range(100, 300))));
    }

    @Test
    void snapshotOfAStatementThatArrivesAfterTheAnswerComesTooLate() throws Exception
    {
        append(0, 10);
        table.commitRound();
        // as an object store does with a request that has timed out for whoever sent it
        DurableLocalFileIO storage = new DurableLocalFileIO();
        AtomicReference<org.apache.paimon.fs.Path> path = new AtomicReference<>();
        AtomicReference<String> content = new AtomicReference<>();
        files.meanwhile((operation, snapshot) -> {
            path.set(snapshot);
            return SNAPSHOT.test(operation, snapshot);
        }, true, () -> {
            try {
                content.set(storage.readFileUtf8(path.get()));
                storage.delete(path.get(), false);
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            files.failAlways((_, _) -> true);
            throw new UncheckedIOException(new IOException("timed out"));
        });
        assertThatThrownBy(() -> statement("id", 100, 300)).matches(FaultyFileIO::isInjected);
        files.heal();
        table.maintainStanding();
        append(10, 20);
        assertThat(storage.tryToWriteAtomic(path.get(), content.get())).isFalse();
        table.commitRound();
        assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.range(0, 20)));
        assertThat(statement("id", 100, 300)).isEqualTo(200);
        assertThat(committed()).hasSize(220);
    }

    @Test
    void statementThatWasNotCommittedLeavesNoFiles() throws Exception
    {
        append(0, 10);
        table.commitRound();
        AtomicBoolean failed = new AtomicBoolean();
        files.failAlways((operation, path) -> failed.get() || (SNAPSHOT.test(operation, path) && failed.compareAndSet(false, true)));
        assertThatThrownBy(() -> statement("id", 100, 300)).matches(FaultyFileIO::isInjected);
        files.heal();
        table.commitRound();
        assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.range(0, 10)));
        assertThat(dataFiles()).isEqualTo(2);
        assertThat(statement("id", 100, 300)).isEqualTo(200);
        assertThat(committed()).hasSize(210);
        assertThat(dataFiles()).isEqualTo(4);
    }

    @Test
    void numberOfBucketsChangesWhileAStatementIsWritten() throws Exception
    {
        Iterator<InternalRow> rows = LongStream.range(0, 100).<InternalRow>mapToObj(id -> {
            if (id == 50) {
                rescale(4);
            }
            return GenericRow.of(id);
        }).iterator();
        assertThatThrownBy(() -> table.appendDirectly("id", rows, table.rowType(), folder))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                .hasMessageContaining("changed");
        assertThat(dataFiles()).isZero();
        assertThat(statement("again", 0, 100)).isEqualTo(100);
        assertEachIsFound(100);
    }

    @Test
    void definitionIsLookedAtWhileTheOffsetsOfAStatementAreFilled() throws Exception
    {
        table.close();
        open("offsets", allocator, Schema.newBuilder().column("id", DataTypes.BIGINT()).column("_OFFSET", DataTypes.BIGINT()));
        RealtimeTable target = table;
        RowType schema = target.rowType();
        SchemaManager schemas = new SchemaManager(new DurableLocalFileIO(), location);
        Thread refreshing = Thread.ofPlatform().daemon().unstarted(target::refreshSchema);
        Iterator<InternalRow> rows = LongStream.range(0, 100).<InternalRow>mapToObj(id -> {
            if (id == 50) {
                try {
                    schemas.commitChanges(SchemaChange.addColumn("v", DataTypes.BIGINT()));
                }
                catch (Exception e) {
                    throw new AssertionError(e);
                }
                refreshing.start();
                // it has found the change and waits for the statement, which must not wait for it
                while (refreshing.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            return GenericRow.of(id, null);
        }).iterator();
        FutureTask<Long> statement = new FutureTask<>(() -> target.appendDirectly("id", rows, schema, folder));
        Thread.ofPlatform().daemon().start(statement);
        // whoever waits for ever must not be waited for when all is taken down
        open("another");
        assertThat(statement.get(30, TimeUnit.SECONDS)).isEqualTo(100);
        assertThat(refreshing.join(Duration.ofSeconds(30))).isTrue();
        assertThat(target.rowType().getFieldNames()).containsExactly("id", "_OFFSET", "v");
        target.close();
    }

    @Test
    void numberOfBucketsChangesWhileAStatementIsCommitted() throws Exception
    {
        append(0, 10);
        // after everything that looks at the definition: Paimon's own check refuses the files
        files.meanwhile((operation, path) -> operation == Operation.CREATE && path.getName().startsWith("offsets-"), false, () -> rescale(4));
        try {
            statement("id", 10, 100);
        }
        catch (RuntimeException e) {
            assertThat(e).hasMessageContaining("failed");
            statement("again", 10, 100);
        }
        append(100, 110);
        table.commitRound();
        assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.range(0, 110)));
    }

    @Test
    void numberOfBucketsChangesWhileAnAppendWaits() throws Exception
    {
        append(0, 1);
        onPressure.set(() -> {
            onPressure.set(() -> {
            });
            rescale(8);
            table.refreshSchema();
        });
        // more than half of the memory: routed before and written after the change
        append(1, 150_000);
        assertThat(table.paimonTable().coreOptions().bucket()).isEqualTo(8);
        table.commitRound();
        assertEachIsFound(150_000);
    }

    @Test
    void appendThatFailsHalfwayLeavesNothing() throws Exception
    {
        table.close();
        try (BufferAllocator tight = ArrowMemory.newRootAllocator(700 << 10)) {
            open("tight", tight);
            // there is room for one bucket's rows, not for those of both
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> append(1_000, 100_000)).isInstanceOf(OutOfMemoryException.class);
                assertThat(table.status().buckets()).isEmpty();
                assertThat(tight.getAllocatedMemory()).isZero();
            }
            append(0, 10);
            assertThatThrownBy(() -> append(1_000, 100_000)).isInstanceOf(OutOfMemoryException.class);
            append(10, 20);
            assertThat(table.status().buckets().stream().mapToLong(BucketStatus::memoryRows).sum()).isEqualTo(20);
            table.commitRound();
            assertThat(committed()).containsExactlyInAnyOrderElementsOf(ids(LongStream.range(0, 20)));
            table.close();
        }
    }

    @Test
    void writerThatIsClosedShowsNothing() throws Exception
    {
        append(0, 10);
        files.meanwhile(SNAPSHOT, true, table::close);
        table.commitRound();
        assertThat(board.retainAll().tables()).isEmpty();
    }

    private void rescale(int buckets)
    {
        try {
            new SchemaManager(new DurableLocalFileIO(), location).commitChanges(SchemaChange.setOption("bucket", Integer.toString(buckets)));
        }
        catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void append(long from, long to)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(table.rowType(), sender)) {
            LongStream.range(from, to).forEach(id -> writer.append(GenericRow.of(id)));
            try (VectorSchemaRoot root = writer.finish()) {
                table.append(List.of(root), table.rowType());
            }
        }
    }

    private long statement(String id, long from, long to)
    {
        return table.appendDirectly(id, LongStream.range(from, to).<InternalRow>mapToObj(GenericRow::of).iterator(), table.rowType(), folder);
    }

    private static List<Long> ids(LongStream ids)
    {
        return ids.boxed().toList();
    }

    private List<Long> committed() throws Exception
    {
        return read(plain().newReadBuilder());
    }

    private FileStoreTable plain()
    {
        return FileStoreTableFactory.create(new DurableLocalFileIO(), location);
    }

    private static List<Long> read(ReadBuilder builder) throws Exception
    {
        List<Long> ids = new ArrayList<>();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> ids.add(row.getLong(0)));
        }
        return ids;
    }

    /** By a filter on the bucket key, for which only one bucket is looked at. */
    private void assertEachIsFound(long count) throws Exception
    {
        FileStoreTable plain = plain();
        for (long id = 0; id < count; id += Math.max(1, count / 200)) {
            assertThat(read(plain.newReadBuilder().withFilter(new PredicateBuilder(plain.rowType()).equal(0, id)))).contains(id);
        }
        assertThat(committed()).hasSize((int) count);
    }

    private long dataFiles() throws Exception
    {
        try (Stream<Path> found = Files.walk(folder)) {
            return found.filter(path -> path.getFileName().toString().startsWith("data-")).count();
        }
    }
}
