package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
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
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.MemoryBudget;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.TableOptions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.RowType;

/**
 * The writer in this JVM. Rows in memory die with the process: there is no log yet.
 *
 * <p>This class is its face: the way of an append, the order of its beginning and its end. What it holds has an owner each: tables {@link OpenTables}, staged statements {@link StagedStatements},
 * cuts of queries {@link Pins}, threads {@link CommitSchedule} and {@link PeriodicTasks}.
 *
 * <p>Locks: a publication of {@link StagedStatements}, then that of {@link OpenTables}, then those of a {@link RealtimeTable}; beside them that of {@link Pins}, then those of {@link CutBoard} and of
 * the memory that is read.
 */
public final class EmbeddedRealtimeService implements RealtimeService
{
    private static final Logger log = Logger.get(EmbeddedRealtimeService.class);
    /** Bytes of rows on their way in or out, beside the memory limit. */
    private static final long TRANSFER_LIMIT = 1L << 30;

    /** Finds the newest definition of a table. */
    public interface Tables
    {
        /** @throws RealtimeException NOT_FOUND if there is none */
        Table load(Identifier table);
    }

    private final RealtimeServiceOptions options;
    private final DataDirectory directory;
    private final String incarnation = UUID.randomUUID().toString();
    private final BufferAllocator allocator;
    private final BufferAllocator transfer;
    private final MemoryBudget budget;
    private final CutBoard board = new CutBoard();
    private final IncomingRows incoming;
    private final OpenTables tables;
    private final StagedStatements statements;
    private final Pins pins;
    private final CommitSchedule schedule;
    private final PeriodicTasks housekeeping;
    /** Leases only: nothing that commits must ever keep them waiting. */
    private final PeriodicTasks leases;
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
     * @param clock nanoseconds, by which leases of queries end and staged statements are dropped
     */
    EmbeddedRealtimeService(RealtimeServiceOptions options, Tables tables, LongSupplier clock)
    {
        this.options = requireNonNull(options, "options is null");
        requireNonNull(tables, "tables is null");
        ArrowMemory.problem().ifPresent(problem -> {
            throw new RealtimeException(Code.UNAVAILABLE, problem);
        });
        MemIndexerFactory indexers = ServiceLoader.load(MemIndexerFactory.class, getClass().getClassLoader()).stream()
                .map(Provider::get)
                .filter(factory -> factory.name().equals(options.memIndexer()))
                .findFirst()
                .orElseThrow(() -> new RealtimeException(Code.UNAVAILABLE,
                        "paimon.realtime.mem-indexer: there is no '%s'".formatted(options.memIndexer())));
        this.allocator = ArrowMemory.newRootAllocator(options.memoryLimit());
        this.transfer = ArrowMemory.newRootAllocator(TRANSFER_LIMIT);
        this.incoming = new IncomingRows(transfer);
        this.budget = new MemoryBudget(options.memoryLimit(), allocator::getAllocatedMemory, this::onPressure);
        this.pins = new Pins(board, options.readLeaseTimeout().toMillis(), clock);
        // last of what can fail: nobody would give the lock back
        this.directory = DataDirectory.open(options.dataDirectory());
        this.tables = new OpenTables(tables, identifier -> new TableOptions(indexers, allocator, budget, board, identifier.getFullName(),
                directory.id(), incarnation, () -> address, options.maxPartitionBuckets(), options.appendTimeout().toMillis(),
                options.writerLeaseTimeout().toMillis()));
        // an append holds what it reads and what it gathers
        this.statements = new StagedStatements(directory, this.tables::get, transfer, options.memoryLimit() / 16, clock);
        this.schedule = new CommitSchedule(this.tables, options.flushThreads());
        this.leases = new PeriodicTasks("realtime-lease-%d");
        leases.every(options.writerLeaseTimeout().toMillis() / 4, this::renewLeases);
        this.housekeeping = new PeriodicTasks("realtime-schedule-%d");
        housekeeping.every(options.commitInterval().toMillis(), schedule::startRounds);
        housekeeping.every(options.writerLeaseTimeout().toMillis() / 4, schedule::startMaintenance);
        housekeeping.every(options.readLeaseTimeout().toMillis() / 10, pins::expire);
        housekeeping.every(options.readLeaseTimeout().toMillis() / 10, statements::dropIdle);
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
        String error = tables.all().stream().map(RealtimeTable::lastError).filter(text -> !text.isEmpty()).findFirst().orElse("");
        return new WriterStatus(address, incarnation, phase, tables.size(), closed.get() ? 0 : budget.used(), options.memoryLimit(), 0, error);
    }

    @Override
    public TableStatus tableStatus(Identifier table)
    {
        RealtimeTable realtimeTable = tables.find(table).orElse(null);
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
        tables.find(table).ifPresent(RealtimeTable::refreshSchema);
        return tables.find(table).map(RealtimeTable::rowType).orElseGet(() -> tables.load(table).rowType());
    }

    @Override
    public AppendResult append(Identifier table, VectorSchemaRoot rows)
    {
        checkRunning();
        RealtimeTable realtimeTable = tables.get(table);
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
        RowType schema = realtimeTable.memoryType();
        try (VectorSchemaRoot canonical = incoming.canonical(table, schema, rows)) {
            return new AppendResult(realtimeTable.append(List.of(canonical), schema));
        }
        catch (OutOfMemoryException e) {
            throw IncomingRows.noMemory(table, e);
        }
    }

    @Override
    public void stage(Identifier table, String statement, String part, VectorSchemaRoot rows)
    {
        checkRunning();
        statements.stage(table, statement, part, rows);
    }

    @Override
    public AppendResult publish(Identifier table, String statement, Set<String> parts)
    {
        checkRunning();
        return statements.publish(table, statement, parts);
    }

    @Override
    public void abandon(Identifier table, String statement)
    {
        statements.abandon(table, statement);
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
        List<RealtimeTable> targets = table.isEmpty() ? tables.all() : tables.find(table.get()).map(List::of).orElseGet(() -> {
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
        // whoever opened the table while it is changed would lose rows when it is dropped
        try (OpenTables.KeptClosed _ = tables.keepClosed(table)) {
            Optional<RealtimeTable> known = tables.find(table);
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
    }

    private void checkNotOwnedByOthers(Identifier table)
    {
        new LeaseFile(tables.load(table)).checkNotOwnedByOthers(directory.id());
    }

    @Override
    public void drop(Identifier table)
    {
        tables.drop(table);
    }

    private void onPressure()
    {
        if (phase == Phase.RUNNING) {
            schedule.startRounds();
        }
    }

    private void renewLeases()
    {
        for (RealtimeTable table : tables.all()) {
            try {
                table.renewLease();
            }
            catch (RuntimeException e) {
                log.warn(e, "Table %s: its lease could not be renewed", table.name());
            }
        }
    }

    private void checkRunning()
    {
        if (phase != Phase.RUNNING) {
            throw new RealtimeException(Code.UNAVAILABLE, "The real-time writer is " + phase.name().toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public void close()
    {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        phase = Phase.CLOSING;
        tables.endOpening();
        housekeeping.stop();
        schedule.drainAll(options.shutdownTimeout());
        schedule.stop();
        leases.stop();
        // none of them may do anything when the data directory belongs to somebody else
        housekeeping.awaitEnd();
        schedule.awaitEnd();
        leases.awaitEnd();
        tables.closeAll();
        pins.releaseAll();
        try {
            directory.close();
        }
        finally {
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
}
