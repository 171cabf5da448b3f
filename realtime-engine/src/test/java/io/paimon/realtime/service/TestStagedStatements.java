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
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.MemoryBudget;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.TableOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coordinator that died ends no statement: what it staged is dropped, by a clock that the test moves. */
final class TestStagedStatements
{
    private static final RowType ROW_TYPE = RowType.of(new DataType[]{DataTypes.BIGINT()}, new String[]{"id"});
    private static final Set<String> PART = Set.of("part");

    private final AtomicLong clock = new AtomicLong(-42);
    /** What happens when the table of a statement is asked for. */
    private final AtomicReference<Runnable> onTable = new AtomicReference<>(() -> {
    });
    private RealtimeTester tester;
    private BufferAllocator allocator;
    private Path folder;
    private DataDirectory directory;
    private Identifier identifier;
    private RealtimeTable table;
    private StagedStatements statements;

    @BeforeEach
    void setUp() throws Exception
    {
        tester = new RealtimeTester();
        allocator = ArrowMemory.newRootAllocator(64 << 20);
        folder = Files.createTempDirectory("staged");
        directory = DataDirectory.open(folder);
        identifier = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        MemoryBudget budget = new MemoryBudget(64 << 20, allocator::getAllocatedMemory, () -> {
        });
        table = RealtimeTable.open(tester.table(identifier), new TableOptions(new ArrowMemIndexerFactory(), allocator, budget, new CutBoard(),
                identifier.getFullName(), directory.id(), "incarnation", () -> "", 100, 1_000, 600_000));
        statements = new StagedStatements(directory, _ -> {
            onTable.get().run();
            return table;
        }, allocator, 1 << 20, clock::get);
    }

    @AfterEach
    void tearDown() throws Exception
    {
        table.close();
        allocator.close();
        directory.close();
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        tester.close();
    }

    @Test
    void statementThatNobodyCallsForIsDropped()
    {
        stage("forgotten", 0, 10);
        stage("going on", 10, 20);
        pass(StagedStatements.IDLE_LIMIT.minusNanos(1));
        statements.dropIdle();
        assertThat(staged(folder)).isEqualTo(2);
        stage("going on", 20, 30);
        pass(Duration.ofNanos(1));
        statements.dropIdle();
        assertThat(staged(folder)).isEqualTo(1);
        assertIsDropped("forgotten");
        assertThat(statements.publish(identifier, "going on", PART).rows()).isEqualTo(20);
        assertThat(staged(folder)).isZero();
        assertThat(rowsInMemory()).isEqualTo(20);
        // it is over already
        statements.abandon(identifier, "forgotten");
        pass(StagedStatements.IDLE_LIMIT);
        statements.dropIdle();
        assertThat(statements.publish(identifier, "going on", PART).rows()).isEqualTo(20);
        assertThat(rowsInMemory()).isEqualTo(20);
    }

    @Test
    void statementIsNotDroppedWhileItIsPublished()
    {
        stage("slow", 0, 10);
        onTable.set(() -> {
            pass(StagedStatements.IDLE_LIMIT.multipliedBy(2));
            statements.dropIdle();
        });
        assertThat(statements.publish(identifier, "slow", PART).rows()).isEqualTo(10);
        assertThat(rowsInMemory()).isEqualTo(10);
        assertThat(staged(folder)).isZero();
    }

    @Test
    void publicationThatFailsCanBeRepeatedForAsLong()
    {
        stage("failing", 0, 10);
        stage("forgotten", 10, 20);
        onTable.set(() -> {
            pass(StagedStatements.IDLE_LIMIT);
            throw new RealtimeException(Code.UNAVAILABLE, "not now");
        });
        for (String statement : List.of("forgotten", "failing")) {
            assertThatThrownBy(() -> statements.publish(identifier, statement, PART)).isInstanceOfSatisfying(RealtimeException.class,
                    e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
        }
        onTable.set(() -> {
        });
        // the time begins with the end of the call
        statements.dropIdle();
        assertIsDropped("forgotten");
        assertThat(statements.publish(identifier, "failing", PART).rows()).isEqualTo(10);
        assertThat(rowsInMemory()).isEqualTo(10);
    }

    @Test
    void statementsThatAreForgottenDoNotKeepOthersOut()
    {
        for (int i = 0; i < 1_000; i++) {
            stage("forgotten " + i, i, i + 1);
        }
        assertThatThrownBy(() -> stage("next", 0, 10)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.RESOURCE_EXHAUSTED));
        pass(StagedStatements.IDLE_LIMIT);
        statements.dropIdle();
        assertThat(staged(folder)).isZero();
        stage("next", 0, 10);
        assertThat(statements.publish(identifier, "next", PART).rows()).isEqualTo(10);
    }

    @Test
    void partsOfTheSameHashAreKeptApart()
    {
        assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
        for (int i = 0; i < 4; i++) {
            String part = i % 2 == 0 ? "Aa" : "BB";
            write(10L * i, 10L * (i + 1), rows -> statements.stage(identifier, "id", part, rows));
        }
        assertThat(statements.publish(identifier, "id", Set.of("Aa", "BB")).rows()).isEqualTo(40);
        assertThat(rowsInMemory()).isEqualTo(40);
    }

    @Test
    void serviceDropsStatements() throws Exception
    {
        // the table's owner is the service's directory here
        table.drain();
        tester.restart(tester.options().withReadLeaseTimeout(Duration.ofMillis(10)), clock::get);
        write(0, 10, rows -> tester.service().stage(identifier, "forgotten", "part", rows));
        Path directory = tester.options().dataDirectory();
        assertThat(staged(directory)).isEqualTo(1);
        pass(StagedStatements.IDLE_LIMIT);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (staged(directory) > 0) {
            assertThat(System.nanoTime()).as("the statement is dropped").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
        assertThatThrownBy(() -> tester.service().publish(identifier, "forgotten", PART)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND));
        assertThat(tester.union(identifier)).isEmpty();
    }

    private void assertIsDropped(String statement)
    {
        assertThatThrownBy(() -> statements.publish(identifier, statement, PART)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND)).hasMessageContaining("dropped");
        // the rest of it must not pass for the whole
        assertThatThrownBy(() -> stage(statement, 100, 110)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND)).hasMessageContaining("dropped");
    }

    private void stage(String statement, long from, long to)
    {
        write(from, to, rows -> statements.stage(identifier, statement, "part", rows));
    }

    private void write(long from, long to, Consumer<VectorSchemaRoot> target)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(ROW_TYPE, allocator)) {
            LongStream.range(from, to).forEach(id -> writer.append(GenericRow.of(id)));
            try (VectorSchemaRoot rows = writer.finish()) {
                target.accept(rows);
            }
        }
    }

    private void pass(Duration time)
    {
        clock.addAndGet(time.toNanos());
    }

    private long rowsInMemory()
    {
        return table.status().buckets().stream().mapToLong(BucketStatus::memoryRows).sum();
    }

    /** Number of statements that have rows on disk. */
    private static long staged(Path directory)
    {
        Path staging = directory.resolve("staging");
        if (!Files.exists(staging)) {
            return 0;
        }
        try (Stream<Path> folders = Files.list(staging)) {
            return folders.count();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
