package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.airlift.log.Logger;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowBatchNormalizer;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.model.AppendResult;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.model.WriterStatus;
import io.paimon.realtime.model.WriterStatus.Phase;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.MemoryBudget;
import io.paimon.realtime.table.OffsetColumn;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.TableOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.VectorLoader;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.RowType;

/**
 * The writer in this JVM. Rows in memory die with the process: there is no log yet.
 *
 * <p>Tables are opened by their first append. {@link Tables} finds them; everything else is the service's own: the data directory, the memory, the pins, the threads.
 */
public final class EmbeddedRealtimeService implements RealtimeService
{
    private static final Logger log = Logger.get(EmbeddedRealtimeService.class);
    private static final int MAX_STATEMENTS = 1_000;
    private static final int REMEMBERED_STATEMENTS = 10_000;
    private static final int MAX_TABLES = 1_000;
    private static final int THREAD_END_SECONDS = 10;
    /** Bytes of rows on their way in or out, beside the memory limit. */
    private static final long TRANSFER_LIMIT = 1L << 30;

    /** Finds the newest definition of a table. */
    public interface Tables
    {
        /** @throws RealtimeException NOT_FOUND if there is none */
        Table load(Identifier table);
    }

    private final Tables tables;
    private final RealtimeServiceOptions options;
    private final DataDirectory directory;
    private final String incarnation = UUID.randomUUID().toString();
    private final BufferAllocator allocator;
    private final BufferAllocator transfer;
    private final MemoryBudget budget;
    private final CutBoard board = new CutBoard();
    private final Pins pins;
    private final MemIndexerFactory indexers;
    private final Map<String, RealtimeTable> open = new ConcurrentHashMap<>();
    private final Object openLock = new Object();
    private final Map<String, StagedStatement> staged = new ConcurrentHashMap<>();
    private final Cache<String, AppendResult> published = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();
    /** Statements that are over: what a task that has not heard of it stages afterwards must not stay for ever. */
    private final Cache<String, Boolean> over = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();
    private final ScheduledExecutorService scheduler;
    /** Leases only: rounds and flushes must never keep them waiting. */
    private final ScheduledExecutorService leases;
    private final ExecutorService rounds;
    private final Set<String> roundsUnderWay = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile String address = "";
    private volatile Phase phase = Phase.RUNNING;

    /**
     * @throws RealtimeException UNAVAILABLE if the data directory cannot be used
     */
    public EmbeddedRealtimeService(RealtimeServiceOptions options, Tables tables)
    {
        this(options, tables, System::nanoTime);
    }

    /**
     * @param leaseClock nanoseconds, by which leases of queries end
     */
    EmbeddedRealtimeService(RealtimeServiceOptions options, Tables tables, LongSupplier leaseClock)
    {
        this.options = requireNonNull(options, "options is null");
        this.tables = requireNonNull(tables, "tables is null");
        ArrowMemory.problem().ifPresent(problem -> {
            throw new RealtimeException(Code.UNAVAILABLE, problem);
        });
        this.indexers = ServiceLoader.load(MemIndexerFactory.class, getClass().getClassLoader()).stream()
                .map(Provider::get)
                .filter(factory -> factory.name().equals(options.memIndexer()))
                .findFirst()
                .orElseThrow(() -> new RealtimeException(Code.UNAVAILABLE,
                        "paimon.realtime.mem-indexer: there is no '%s'".formatted(options.memIndexer())));
        this.allocator = ArrowMemory.newRootAllocator(options.memoryLimit());
        this.transfer = ArrowMemory.newRootAllocator(TRANSFER_LIMIT);
        this.budget = new MemoryBudget(options.memoryLimit(), allocator::getAllocatedMemory, this::onPressure);
        this.pins = new Pins(board, options.readLeaseTimeout().toMillis(), leaseClock);
        // last of what can fail: nobody would give the lock back
        this.directory = DataDirectory.open(options.dataDirectory());
        this.scheduler = Executors
                .newSingleThreadScheduledExecutor(new ThreadFactoryBuilder().setNameFormat("realtime-schedule-%d").setDaemon(true).build());
        this.rounds = Executors.newFixedThreadPool(options.flushThreads(),
                new ThreadFactoryBuilder().setNameFormat("realtime-round-%d").setDaemon(true).build());
        this.leases = Executors
                .newSingleThreadScheduledExecutor(new ThreadFactoryBuilder().setNameFormat("realtime-lease-%d").setDaemon(true).build());
        long renewal = Math.max(1, options.writerLeaseTimeout().toMillis() / 4);
        Future<?> _ = leases.scheduleWithFixedDelay(logged(this::maintain), renewal, renewal, TimeUnit.MILLISECONDS);
        long interval = options.commitInterval().toMillis();
        Future<?> _ = scheduler.scheduleWithFixedDelay(logged(this::startRounds), interval, interval, TimeUnit.MILLISECONDS);
        long lease = Math.max(1, options.readLeaseTimeout().toMillis() / 10);
        Future<?> _ = scheduler.scheduleWithFixedDelay(logged(pins::expire), lease, lease, TimeUnit.MILLISECONDS);
    }

    /** A failure must not end what is done again and again. */
    private static Runnable logged(Runnable task)
    {
        return () -> {
            try {
                task.run();
            }
            catch (Throwable t) {
                log.error(t, "A task of the writer failed; it runs again");
            }
        };
    }

    /** Address of the Flight endpoint in front of this service, for readers on other machines. */
    public void setAddress(String address)
    {
        this.address = requireNonNull(address, "address is null");
    }

    @Override
    public String incarnation()
    {
        return incarnation;
    }

    /** Number of queries that hold a cut under a lease. */
    public int pinnedQueries()
    {
        return pins.size();
    }

    /** Root of the writer's memory; readers in this JVM may use children of it. */
    public BufferAllocator allocator()
    {
        return allocator;
    }

    /** Root of the memory for rows on their way in or out, which are not the writer's yet or any more: messages, staged rows that are being published. */
    public BufferAllocator transferAllocator()
    {
        return transfer;
    }

    @Override
    public WriterStatus status()
    {
        String error = open.values().stream().map(RealtimeTable::lastError).filter(text -> !text.isEmpty()).findFirst().orElse("");
        return new WriterStatus(address, incarnation, phase, open.size(), closed.get() ? 0 : budget.used(), options.memoryLimit(), 0, error);
    }

    @Override
    public TableStatus tableStatus(Identifier table)
    {
        RealtimeTable realtimeTable = openTable(table).orElse(null);
        if (realtimeTable == null) {
            return new TableStatus(table.getFullName(), 0, -1, "", List.of());
        }
        TableStatus status = realtimeTable.status();
        int pinCount = pins.count(table.getFullName());
        return new TableStatus(status.table(), status.epoch(), status.lastCommitSnapshot(), status.lastError(), status.buckets().stream()
                .map(bucket -> new BucketStatus(bucket.partition(), bucket.bucket(), bucket.committedOffset(), bucket.upperOffset(),
                        bucket.memoryRows(),
                        bucket.memoryBytes(), bucket.segments(), pinCount, bucket.oldestRowAgeMillis()))
                .toList());
    }

    @Override
    public RowType rowType(Identifier table)
    {
        checkRunning();
        openTable(table).ifPresent(RealtimeTable::refreshSchema);
        return openTable(table).map(RealtimeTable::rowType).orElseGet(() -> RealtimeTables.openForWriting(tables.load(table)).rowType());
    }

    @Override
    public AppendResult append(Identifier table, VectorSchemaRoot rows)
    {
        checkRunning();
        RealtimeTable realtimeTable = table(table);
        try {
            return append(table, realtimeTable, rows);
        }
        catch (RealtimeException e) {
            // the rows may be of a schema that is newer than the one known here
            if ((e.code() != Code.INVALID_ARGUMENT && e.code() != Code.BAD_DATA) || !realtimeTable.refreshSchema()) {
                throw e;
            }
            return append(table, realtimeTable, rows);
        }
    }

    private AppendResult append(Identifier table, RealtimeTable realtimeTable, VectorSchemaRoot rows)
    {
        RowType schema = realtimeTable.rowType();
        try (VectorSchemaRoot canonical = canonical(table, schema, rows)) {
            return new AppendResult(realtimeTable.append(List.of(canonical), schema));
        }
        catch (OutOfMemoryException e) {
            throw noMemory(table, e);
        }
    }

    /** The rows in canonical form, in the memory of whoever sent them: they are the writer's only once they are gathered into its segments. */
    private VectorSchemaRoot canonical(Identifier table, RowType schema, VectorSchemaRoot rows)
    {
        BufferAllocator sender = rows.getFieldVectors().isEmpty() ? transfer : rows.getVector(0).getAllocator();
        return new ArrowBatchNormalizer(table.getFullName(), schema, List.of()).normalize(rows, sender);
    }

    private static RealtimeException noMemory(Identifier table, OutOfMemoryException e)
    {
        return new RealtimeException(Code.RESOURCE_EXHAUSTED,
                "Table %s: no memory for these rows now; try again: %s".formatted(table.getFullName(), e.getMessage()), e);
    }

    @Override
    public void stage(Identifier table, String statement, String part, VectorSchemaRoot rows)
    {
        checkRunning();
        if (rows.getRowCount() == 0) {
            return;
        }
        String key = key(table, statement);
        StagedStatement target = staged.get(key);
        if (target == null) {
            if (staged.size() >= MAX_STATEMENTS) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "More than %s statements are staged; try again".formatted(MAX_STATEMENTS));
            }
            // opening a table takes I/O
            RowType schema = newestRowType(table(table));
            target = staged.compute(key, (_, known) -> {
                if (known != null) {
                    return known;
                }
                if (over.getIfPresent(key) != null) {
                    throw new RealtimeException(Code.NOT_FOUND,
                            "Table %s: the statement is already published or abandoned".formatted(table.getFullName()));
                }
                return new StagedStatement(directory.staging().resolve(UUID.randomUUID().toString()), schema);
            });
        }
        try (VectorSchemaRoot canonical = canonical(table, target.schema(), rows)) {
            OffsetColumn.check(table.getFullName(), target.schema(), canonical);
            target.add(part, canonical);
        }
        catch (OutOfMemoryException e) {
            throw noMemory(table, e);
        }
    }

    private static RowType newestRowType(RealtimeTable table)
    {
        table.refreshSchema();
        return table.rowType();
    }

    @Override
    public AppendResult publish(Identifier table, String statement, Set<String> parts)
    {
        checkRunning();
        String key = key(table, statement);
        try {
            // once for all who ask at the same time
            return published.get(key, () -> {
                StagedStatement rows = staged.get(key);
                if (rows == null && !parts.isEmpty()) {
                    throw new RealtimeException(Code.NOT_FOUND,
                            "Table %s: no rows of statement %s are staged: it was abandoned, or the writer was restarted".formatted(
                                    table.getFullName(),
                                    statement));
                }
                AppendResult result = rows == null ? new AppendResult(0) : publish(table(table), key, rows, parts);
                end(key);
                return result;
            });
        }
        catch (UncheckedExecutionException e) {
            if (e.getCause() instanceof OutOfMemoryException outOfMemory) {
                throw noMemory(table, outOfMemory);
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

    private AppendResult publish(RealtimeTable table, String key, StagedStatement statement, Set<String> parts)
    {
        List<Path> files = statement.seal(parts);
        // an append holds what it reads and what it gathers; what is bigger goes to disk behind a round
        if (statement.bytes() > options.memoryLimit() / 16) {
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

    @Override
    public void abandon(Identifier table, String statement)
    {
        end(key(table, statement));
    }

    /** Nothing is staged for the statement any more, and nothing will be. */
    private void end(String key)
    {
        over.put(key, true);
        StagedStatement rows = staged.remove(key);
        if (rows == null) {
            return;
        }
        rows.seal(Set.of());
        try {
            directory.clear(rows.folder());
        }
        catch (IOException e) {
            log.warn(e, "Cannot delete staged rows in %s", rows.folder());
        }
    }

    @Override
    public QueryCut pin(String queryId)
    {
        checkRunning();
        return pins.pin(queryId, cuts -> new QueryCut(queryId, address, incarnation, directory.id(), cuts.instant(),
                cuts.tables().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().info()))));
    }

    @Override
    public void renew(String queryId)
    {
        pins.renew(queryId);
    }

    @Override
    public void narrow(String queryId, Set<Identifier> used)
    {
        pins.narrow(queryId, used.stream().map(Identifier::getFullName).collect(Collectors.toSet()));
    }

    @Override
    public void release(String queryId)
    {
        pins.release(queryId);
    }

    @Override
    public List<MemBatchReader> read(String queryId, Identifier table, PartitionBucket bucket, MemReadRequest request, MemQueryContext context)
    {
        return pins.with(queryId, table.getFullName(), cut -> cut.read(bucket, request, context));
    }

    @Override
    public void flush(Optional<Identifier> table)
    {
        checkRunning();
        List<RealtimeTable> targets = table.isEmpty() ? List.copyOf(open.values()) : openTable(table.get()).map(List::of).orElseGet(() -> {
            // nothing of it is in memory here; elsewhere there may be something
            checkNotOwnedByOthers(table.get());
            return List.of();
        });
        RuntimeException failure = null;
        for (RealtimeTable target : targets) {
            try {
                target.commitRound();
            }
            catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                }
                else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void release(Identifier table, Runnable change)
    {
        checkRunning();
        Optional<RealtimeTable> known = openTable(table);
        if (known.isEmpty()) {
            checkNotOwnedByOthers(table);
        }
        known.ifPresent(RealtimeTable::drain);
        try {
            // a drained table refuses rows until the change is there for the next append to see
            change.run();
        }
        finally {
            drop(table);
        }
    }

    private void checkNotOwnedByOthers(Identifier table)
    {
        new LeaseFile(RealtimeTables.openForWriting(tables.load(table))).checkNotOwnedByOthers(directory.id());
    }

    @Override
    public void drop(Identifier table)
    {
        RealtimeTable closing = open.remove(table.getFullName());
        if (closing != null) {
            closing.close();
        }
    }

    /** The table, if it is open; one that another writer has taken over is forgotten. */
    private Optional<RealtimeTable> openTable(Identifier identifier)
    {
        RealtimeTable known = open.get(identifier.getFullName());
        if (known != null && known.isClosed()) {
            open.remove(identifier.getFullName(), known);
            return Optional.empty();
        }
        return Optional.ofNullable(known);
    }

    /** The table, opened and claimed by its first use. */
    private RealtimeTable table(Identifier identifier)
    {
        Optional<RealtimeTable> known = openTable(identifier);
        if (known.isPresent()) {
            return known.get();
        }
        // claiming takes I/O: the lock's purpose is that one table is claimed once
        if (!identifier.getTableName().equals(identifier.getObjectName())) {
            // leases and offsets are the table's, not a branch's
            throw new RealtimeException(Code.NOT_REALTIME,
                    "Table %s cannot be written in real time: only the main branch can, under the name of the table"
                            .formatted(identifier.getFullName()));
        }
        synchronized (openLock) {
            known = openTable(identifier);
            if (known.isPresent()) {
                return known.get();
            }
            checkRunning();
            if (open.size() >= MAX_TABLES) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "More than %s real-time tables are open".formatted(MAX_TABLES));
            }
            Table table = tables.load(identifier);
            RealtimeTable opened = RealtimeTable.open(RealtimeTables.openForWriting(table), new TableOptions(indexers, allocator, budget, board,
                    identifier.getFullName(), directory.id(), incarnation, () -> address, options.maxPartitionBuckets(),
                    options.appendTimeout().toMillis(),
                    options.writerLeaseTimeout().toMillis()));
            open.put(identifier.getFullName(), opened);
            return opened;
        }
    }

    private void onPressure()
    {
        if (phase == Phase.RUNNING) {
            startRounds();
        }
    }

    private void startRounds()
    {
        open.forEach((name, table) -> {
            if (!closed.get() && roundsUnderWay.add(name)) {
                Future<?> _ = rounds.submit(() -> {
                    try {
                        table.commitRoundIfIdle();
                    }
                    catch (Throwable e) {
                        log.warn(e, "Commit round of table %s failed; its rows stay in memory", name);
                    }
                    finally {
                        roundsUnderWay.remove(name);
                    }
                });
            }
        });
    }

    private void maintain()
    {
        open.forEach((name, table) -> {
            try {
                table.maintain();
            }
            catch (RuntimeException e) {
                log.warn(e, "Table %s: lease and standing could not be looked after", name);
            }
        });
    }

    private void checkRunning()
    {
        if (phase != Phase.RUNNING) {
            throw new RealtimeException(Code.UNAVAILABLE, "The real-time writer is " + phase.name().toLowerCase(java.util.Locale.ROOT));
        }
    }

    private static String key(Identifier table, String statement)
    {
        return table.getFullName() + '\n' + statement;
    }

    /** A round that still commits must not do so when the data directory belongs to somebody else. */
    private static void awaitEnd(ExecutorService executor)
    {
        try {
            if (!executor.awaitTermination(THREAD_END_SECONDS, TimeUnit.SECONDS)) {
                log.error("Threads of the writer do not end: %s", executor);
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void drain(RealtimeTable table)
    {
        if (!table.isClosed()) {
            table.drain();
        }
    }

    @Override
    public void close()
    {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        synchronized (openLock) {
            // no table is opened from here on
            phase = Phase.CLOSING;
        }
        scheduler.shutdownNow();
        Map<String, Future<?>> drains = new HashMap<>();
        open.forEach((name, table) -> drains.put(name, rounds.submit(() -> drain(table))));
        long deadline = System.nanoTime() + options.shutdownTimeout().toNanos();
        drains.forEach((name, drain) -> {
            try {
                drain.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                log.error("Table %s: interrupted while draining; rows that are not committed are lost", name);
            }
            catch (TimeoutException e) {
                log.error("Table %s: not drained within paimon.realtime.shutdown-timeout; rows that are not committed are lost", name);
            }
            catch (ExecutionException e) {
                log.error(e.getCause(), "Table %s: the last commit round failed; its rows are lost", name);
            }
        });
        rounds.shutdownNow();
        leases.shutdownNow();
        awaitEnd(rounds);
        awaitEnd(leases);
        open.values().forEach(RealtimeTable::close);
        open.clear();
        pins.releaseAll();
        directory.close();
        phase = Phase.CLOSED;
        for (BufferAllocator root : List.of(allocator, transfer)) {
            if (root.getAllocatedMemory() == 0) {
                root.close();
            }
            else {
                log.info("Readers still hold %s bytes of rows", root.getAllocatedMemory());
            }
        }
    }
}
