package io.paimon.realtime.paimon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An interrupt that ends a write or a commit is still there for the caller, who would not know otherwise that it is to end. */
final class TestInterruptedWriting
{
    private final FaultyFileIO files = new FaultyFileIO(new DurableLocalFileIO());
    private Path folder;
    private FileStoreTable table;

    @BeforeEach
    void createTable() throws Exception
    {
        folder = Files.createTempDirectory("interrupted");
        org.apache.paimon.fs.Path location = new org.apache.paimon.fs.Path(folder.resolve("s.db/t").toUri());
        new SchemaManager(files, location).createTable(Schema.newBuilder().column("id", DataTypes.BIGINT()).option("bucket", "-1")
                .option("commit.min-retry-wait", "1 ms").option("commit.max-retry-wait", "5 ms").build());
        table = FileStoreTableFactory.create(files, location);
    }

    @AfterEach
    void delete() throws IOException
    {
        boolean _ = Thread.interrupted();
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    }

    @Test
    void flushOfASegment() throws IOException
    {
        assertThatThrownBy(() -> new SegmentFlush(table, "user", Optional.empty()).flush(Optional.empty(), interrupted(), 3, 1))
                .isInstanceOf(RealtimeException.class).hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(dataFiles()).isEmpty();
    }

    @Test
    void flushOfAStatement() throws IOException
    {
        assertThatThrownBy(() -> BulkFlush.flush(table, "user", interrupted(), Map.of(), Optional.empty(), 1 << 20, folder))
                .isInstanceOf(RealtimeException.class).hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(dataFiles()).isEmpty();
    }

    /** Interrupted in each of its first operations on files; from some of them Paimon lets the interrupt pass as it is. */
    @Test
    void commit()
    {
        ProgressCommit commit = new ProgressCommit(table, "user");
        int passed = 0;
        for (int operation = 0; operation < 20; operation++) {
            AtomicInteger left = new AtomicInteger(operation);
            files.meanwhile((_, _) -> left.getAndDecrement() == 0, false, () -> throwUnchecked(new InterruptedException("on purpose")));
            Progress next = new Progress("lineage" + operation, "", 1, operation + 1, false, Map.of(), Map.of());
            Throwable failure = catchThrowable(() -> commit.commit(Optional.empty(), next, List.of()));
            boolean interrupted = Thread.interrupted();
            if (failure instanceof RealtimeException && failure.getCause() instanceof InterruptedException) {
                assertThat(interrupted).as("operation %s", operation).isTrue();
                passed++;
            }
        }
        assertThat(passed).isPositive();
    }

    @Test
    void abort() throws IOException
    {
        List<CommitMessage> messages = new SegmentFlush(table, "user", Optional.empty()).flush(Optional.empty(),
                List.<InternalRow>of(GenericRow.of(1L)).iterator(), 1,
                1);
        ProgressCommit commit = new ProgressCommit(table, "user");
        files.meanwhile((operation, _) -> operation == Operation.DELETE, false, () -> throwUnchecked(new InterruptedException("on purpose")));
        assertThatThrownBy(() -> commit.abort(messages)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        commit.abort(messages);
        assertThat(dataFiles()).isEmpty();
    }

    /** Two rows, then the interrupt. */
    private static Iterator<InternalRow> interrupted()
    {
        return Stream.iterate(1L, id -> id + 1).map(id -> {
            if (id == 3) {
                throwUnchecked(new InterruptedException("on purpose"));
            }
            return (InternalRow) GenericRow.of(id);
        }).iterator();
    }

    /** As Paimon's own code may throw it, from methods that declare any exception. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUnchecked(Throwable failure) throws E
    {
        throw (E) failure;
    }

    private List<String> dataFiles() throws IOException
    {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.map(path -> path.getFileName().toString()).filter(name -> name.startsWith("data-")).toList();
        }
    }
}
