package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.airlift.log.Logger;
import io.paimon.realtime.model.AppendResult;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.table.OffsetColumn;
import io.paimon.realtime.table.RealtimeTable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.types.RowType;

/**
 * Statements between their first staged row and their end, which is one of: published, abandoned, or dropped because nobody has called for them in a day.
 *
 * <p>Owns the staged statements, the results of those that are published, and the names of those that are over. Thread-safe: what happens to one statement is decided by atomic changes of its
 * entry, without I/O; one publication of a statement runs at a time, and whoever asks meanwhile waits for its result.
 */
final class StagedStatements
{
    private static final Logger log = Logger.get(StagedStatements.class);
    private static final int MAX_STATEMENTS = 1_000;
    private static final int REMEMBERED_STATEMENTS = 10_000;
    /** A statement may compute for long between two batches; its coordinator may also be gone without a word. */
    static final Duration IDLE_LIMIT = Duration.ofDays(1);

    private final DataDirectory directory;
    private final Function<Identifier, RealtimeTable> tables;
    private final IncomingRows incoming;
    private final BufferAllocator transfer;
    private final long largeBytes;
    private final LongSupplier clock;
    private final Map<String, Entry> staged = new ConcurrentHashMap<>();
    private final Cache<String, AppendResult> published = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();
    /** Statements that are over: what a task that has not heard of it stages afterwards must not stay for ever. */
    private final Cache<String, Boolean> over = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();
    /**
     * Statements that were dropped, apart from those that are over: their tasks may be alive, and what they stage after that must never pass for the whole statement. Not more than
     * {@link #MAX_STATEMENTS} are dropped within the {@link #IDLE_LIMIT}, so that each is remembered for several times as long.
     */
    private final Cache<String, Boolean> dropped = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();

    /**
     * @param calls that are under way for the statement: it is not dropped meanwhile
     * @param lastCall when the last one began or ended, by the clock
     */
    private record Entry(StagedStatement statement, int calls, long lastCall)
    {
        private Entry begun(long now)
        {
            return new Entry(statement, calls + 1, now);
        }

        private Entry ended(long now)
        {
            return new Entry(statement, calls - 1, now);
        }

        private boolean isIdle(long now)
        {
            return calls == 0 && now - lastCall >= IDLE_LIMIT.toNanos();
        }
    }

    /**
     * @param directory where rows are kept
     * @param tables open tables, opened if need be
     * @param transfer memory for rows that are being published
     * @param largeBytes statements above are committed directly: an append holds what it reads and what it gathers
     * @param clock nanoseconds, as {@link System#nanoTime}
     */
    StagedStatements(DataDirectory directory, Function<Identifier, RealtimeTable> tables, BufferAllocator transfer, long largeBytes,
            LongSupplier clock)
    {
        this.directory = requireNonNull(directory, "directory is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.incoming = new IncomingRows(transfer);
        this.transfer = transfer;
        this.largeBytes = largeBytes;
        this.clock = requireNonNull(clock, "clock is null");
    }

    /** See {@link RealtimeService#stage}. */
    void stage(Identifier table, String statement, String part, VectorSchemaRoot rows)
    {
        if (rows.getRowCount() == 0) {
            return;
        }
        String key = key(table, statement);
        StagedStatement target = beginKnown(key).orElseGet(() -> begin(table, key));
        try (VectorSchemaRoot canonical = incoming.canonical(table, target.schema(), rows)) {
            OffsetColumn.check(table.getFullName(), target.schema(), canonical);
            target.add(part, canonical);
        }
        catch (OutOfMemoryException e) {
            throw IncomingRows.noMemory(table, e);
        }
        finally {
            ended(key, target);
        }
    }

    /** A call for a statement begins, if it is staged; whoever gets it says so when it has {@link #ended}. */
    private Optional<StagedStatement> beginKnown(String key)
    {
        return Optional.ofNullable(staged.computeIfPresent(key, (_, entry) -> entry.begun(clock.getAsLong()))).map(Entry::statement);
    }

    /** The same for a statement that is new. */
    private StagedStatement begin(Identifier table, String key)
    {
        if (staged.size() >= MAX_STATEMENTS) {
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "More than %s statements are staged; try again".formatted(MAX_STATEMENTS));
        }
        // opening a table takes I/O
        RowType schema = newestRowType(tables.apply(table));
        return staged.compute(key, (_, known) -> {
            if (known != null) {
                return known.begun(clock.getAsLong());
            }
            if (over.getIfPresent(key) != null) {
                throw new RealtimeException(Code.NOT_FOUND,
                        "Table %s: the statement is already published or abandoned".formatted(table.getFullName()));
            }
            checkNotDropped(table, key);
            return new Entry(new StagedStatement(directory.staging().resolve(UUID.randomUUID().toString()), schema), 1, clock.getAsLong());
        }).statement();
    }

    private void checkNotDropped(Identifier table, String key)
    {
        if (dropped.getIfPresent(key) != null) {
            throw new RealtimeException(Code.NOT_FOUND, "Table %s: the statement staged nothing for %s hours and was dropped: run it again"
                    .formatted(table.getFullName(), IDLE_LIMIT.toHours()));
        }
    }

    private void ended(String key, StagedStatement statement)
    {
        staged.computeIfPresent(key, (_, entry) -> entry.statement() == statement ? entry.ended(clock.getAsLong()) : entry);
    }

    private static RowType newestRowType(RealtimeTable table)
    {
        table.refreshSchema();
        return table.memoryType();
    }

    /** See {@link RealtimeService#publish}. */
    AppendResult publish(Identifier table, String statement, Set<String> parts)
    {
        String key = key(table, statement);
        try {
            // once for all who ask at the same time
            return published.get(key, () -> {
                AppendResult result = publishStaged(table, key, statement, parts);
                end(key);
                return result;
            });
        }
        catch (UncheckedExecutionException e) {
            if (e.getCause() instanceof OutOfMemoryException outOfMemory) {
                throw IncomingRows.noMemory(table, outOfMemory);
            }
            if (e.getCause() instanceof RealtimeException failure) {
                throw failure;
            }
            throw e;
        }
        catch (ExecutionException e) {
            throw new RealtimeException(Code.INTERNAL, "Table %s: statement %s could not be published: %s".formatted(table.getFullName(), statement,
                    e.getCause()), e);
        }
    }

    private AppendResult publishStaged(Identifier table, String key, String statement, Set<String> parts)
    {
        Optional<StagedStatement> rows = beginKnown(key);
        if (rows.isEmpty()) {
            if (!parts.isEmpty()) {
                checkNotDropped(table, key);
                throw new RealtimeException(Code.NOT_FOUND,
                        "Table %s: no rows of statement %s are staged: it was abandoned, or the writer was restarted".formatted(
                                table.getFullName(),
                                statement));
            }
            return new AppendResult(0);
        }
        try {
            return publish(tables.apply(table), key, rows.get(), parts);
        }
        finally {
            ended(key, rows.get());
        }
    }

    private AppendResult publish(RealtimeTable table, String key, StagedStatement statement, Set<String> parts)
    {
        List<Path> files = statement.seal(parts);
        // what is bigger goes to disk behind a round
        if (statement.bytes() > largeBytes) {
            try (StagedRows rows = new StagedRows(files, statement.schema(), transfer)) {
                return new AppendResult(table.appendDirectly(key, rows, statement.schema(), statement.folder()));
            }
        }
        List<VectorSchemaRoot> batches = new ArrayList<>();
        try {
            for (Path file : files) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                        ArrowFileReader reader = new ArrowFileReader(channel, transfer)) {
                    while (reader.loadNextBatch()) {
                        batches.add(copy(reader.getVectorSchemaRoot()));
                    }
                }
                catch (IOException e) {
                    throw new RealtimeException(Code.INTERNAL, "Cannot read staged rows of table %s: %s".formatted(table.name(), e), e);
                }
            }
            return new AppendResult(table.append(batches, statement.schema()));
        }
        finally {
            batches.forEach(VectorSchemaRoot::close);
        }
    }

    /** The same buffers under a root of their own, for the reader reuses its. */
    private VectorSchemaRoot copy(VectorSchemaRoot rows)
    {
        VectorSchemaRoot copy = VectorSchemaRoot.create(rows.getSchema(), transfer);
        try (ArrowRecordBatch batch = new VectorUnloader(rows).getRecordBatch()) {
            new VectorLoader(copy).load(batch);
        }
        return copy;
    }

    /** See {@link RealtimeService#abandon}. */
    void abandon(Identifier table, String statement)
    {
        end(key(table, statement));
    }

    /** Nothing is staged for the statement any more, and nothing will be. */
    private void end(String key)
    {
        over.put(key, true);
        Entry entry = staged.remove(key);
        if (entry != null) {
            delete(entry.statement());
        }
    }

    /** Drops the statements for which nobody has called within the {@link #IDLE_LIMIT}; they can be neither published nor staged on. Called from time to time. */
    void dropIdle()
    {
        long now = clock.getAsLong();
        List<StagedStatement> idle = new ArrayList<>();
        for (String key : staged.keySet()) {
            staged.computeIfPresent(key, (_, entry) -> {
                if (!entry.isIdle(now)) {
                    return entry;
                }
                dropped.put(key, true);
                idle.add(entry.statement());
                return null;
            });
        }
        idle.forEach(statement -> {
            log.warn("Rows of a statement that nobody has called for in %s hours are dropped: %s", IDLE_LIMIT.toHours(), statement.folder());
            delete(statement);
        });
    }

    private void delete(StagedStatement statement)
    {
        statement.seal(Set.of());
        try {
            directory.clear(statement.folder());
        }
        catch (IOException e) {
            log.warn(e, "Cannot delete staged rows in %s", statement.folder());
        }
    }

    private static String key(Identifier table, String statement)
    {
        return table.getFullName() + '\n' + statement;
    }
}
