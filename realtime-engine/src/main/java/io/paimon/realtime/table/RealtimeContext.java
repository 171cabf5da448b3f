package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.table.CutBoard.Cuts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.paimon.table.FileStoreTable;

/**
 * The memory that writes and scans of one program share: what a {@link RealtimeWrite} of this context has accepted, every scan planned with the same context sees.
 *
 * <p>Rows that are not committed die with the context. The program commits when it wants to; one thread of the context keeps its hold on the tables it writes.
 *
 * <p>Thread-safe. The creator closes it, after its plans and readers.
 */
public final class RealtimeContext implements AutoCloseable
{
    private static final Logger log = Logger.get(RealtimeContext.class);

    private final MemIndexerFactory indexers;
    private final RealtimeContextOptions options;
    private final String incarnation = UUID.randomUUID().toString();
    private final BufferAllocator allocator;
    private final MemoryBudget budget;
    private final CutBoard board = new CutBoard();
    /** Leases only: nothing that commits must ever keep them waiting. */
    private final ScheduledExecutorService leases;
    private final ScheduledExecutorService maintenance;
    @GuardedBy("this")
    private final Map<String, RealtimeWrite> writes = new HashMap<>();
    /** Tables that are being claimed. */
    @GuardedBy("this")
    private final Set<String> opening = new HashSet<>();
    @GuardedBy("this")
    private boolean closed;

    private RealtimeContext(MemIndexerFactory indexers, RealtimeContextOptions options)
    {
        this.indexers = requireNonNull(indexers, "indexers is null");
        this.options = requireNonNull(options, "options is null");
        ArrowMemory.problem().ifPresent(problem -> {
            throw new RealtimeException(Code.UNAVAILABLE, problem);
        });
        this.allocator = ArrowMemory.newRootAllocator(options.memoryLimit());
        this.budget = new MemoryBudget(options.memoryLimit(), allocator::getAllocatedMemory, options.onMemoryPressure());
        this.leases = newExecutor("realtime-context-lease-%d");
        this.maintenance = newExecutor("realtime-context-maintenance-%d");
        long renewal = Math.max(1, options.leaseTimeout().toMillis() / 4);
        Future<?> _ = leases.scheduleWithFixedDelay(() -> forEachWrite("its lease could not be renewed", RealtimeWrite::renewLease),
                renewal, renewal, TimeUnit.MILLISECONDS);
        Future<?> _ = maintenance.scheduleWithFixedDelay(
                () -> forEachWrite("its standing could not be looked after", RealtimeWrite::maintainStanding),
                renewal, renewal, TimeUnit.MILLISECONDS);
    }

    private static ScheduledExecutorService newExecutor(String threadName)
    {
        return Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder().setNameFormat(threadName).setDaemon(true).build());
    }

    /** A context with {@link RealtimeContextOptions#defaults}. */
    public static RealtimeContext create(MemIndexerFactory indexers)
    {
        return create(indexers, RealtimeContextOptions.defaults());
    }

    /**
     * @param indexers how rows are held in memory, usually an {@link io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory}
     * @throws RealtimeException UNAVAILABLE if the JVM lacks a flag, naming it
     */
    public static RealtimeContext create(MemIndexerFactory indexers, RealtimeContextOptions options)
    {
        return new RealtimeContext(indexers, options);
    }

    /**
     * Claims the table for writes of this context, by a commit without rows, and goes on where the last real-time commit of the table ends.
     *
     * @param table with the option {@code realtime.enabled = true}; on a local disk opened through
     *         {@link io.paimon.realtime.paimon.DurableLocalFileIOLoader}
     * @return the table's only write in this context; the caller closes it, or the context does
     * @throws RealtimeException NOT_REALTIME with the reason why the table cannot be written; FENCED if another writer has it and lives;
     *         INVALID_ARGUMENT if this context has a write of it already
     */
    public RealtimeWrite newWrite(FileStoreTable table)
    {
        String name = table.fullName();
        synchronized (this) {
            checkOpen();
            if (writes.containsKey(name) || !opening.add(name)) {
                throw new RealtimeException(Code.INVALID_ARGUMENT, "Table %s has a write in this context already".formatted(name));
            }
        }
        try {
            return open(table, name);
        }
        finally {
            synchronized (this) {
                opening.remove(name);
            }
        }
    }

    /** Claiming takes I/O, for which the leases of other tables must not wait. */
    private RealtimeWrite open(FileStoreTable table, String name)
    {
        RealtimeTable realtimeTable = RealtimeTable.open(table, new TableOptions(indexers, allocator, budget, board, name, incarnation, incarnation,
                () -> "", options.maxPartitionBuckets(), options.appendTimeout().toMillis(), options.leaseTimeout().toMillis()));
        RealtimeWrite write = new RealtimeWrite(realtimeTable, allocator, this);
        synchronized (this) {
            if (!closed) {
                writes.put(name, write);
                return write;
            }
        }
        realtimeTable.leave();
        throw new RealtimeException(Code.UNAVAILABLE, "The real-time context is closed");
    }

    /**
     * What scans see of one table at one instant.
     *
     * @param cut as a query's cut, with this table only
     * @param memory held for the caller, who releases it; empty if no write of this context is open on the table
     */
    public record HeldCut(QueryCut cut, Optional<TableCut> memory)
    {
        public HeldCut
        {
            requireNonNull(cut, "cut is null");
            requireNonNull(memory, "memory is null");
        }
    }

    /** Takes the table's cut of this instant. */
    public HeldCut retainCut(String tableName)
    {
        Cuts cuts = board.retainAll();
        Optional<TableCut> memory = Optional.ofNullable(cuts.tables().get(tableName));
        cuts.tables().forEach((name, cut) -> {
            if (!name.equals(tableName)) {
                cut.release();
            }
        });
        return new HeldCut(
                new QueryCut("", "", incarnation, incarnation, cuts.instant(), memory.map(cut -> Map.of(tableName, cut.info())).orElse(Map.of())),
                memory);
    }

    /** Where all memory of the context comes from; readers take what they make from it. Never closed by callers. */
    public BufferAllocator allocator()
    {
        return allocator;
    }

    /** Bytes held now: rows, open readers, work under way. */
    public long memoryUsed()
    {
        return budget.used();
    }

    private void forEachWrite(String failure, Consumer<RealtimeWrite> task)
    {
        List<RealtimeWrite> open;
        synchronized (this) {
            open = List.copyOf(writes.values());
        }
        for (RealtimeWrite write : open) {
            try {
                task.accept(write);
            }
            catch (Throwable e) {
                // an error must not end what the other tables hang on
                log.warn(e, "Table %s: %s", write.tableName(), failure);
            }
        }
    }

    synchronized void forget(RealtimeWrite write)
    {
        writes.remove(write.tableName(), write);
    }

    @GuardedBy("this")
    private void checkOpen()
    {
        if (closed) {
            throw new RealtimeException(Code.UNAVAILABLE, "The real-time context is closed");
        }
    }

    /** Closes the writes: rows that are not committed are given up. Plans and readers that are open stay readable until they are closed. Closing twice changes nothing. */
    @Override
    public void close()
    {
        List<RealtimeWrite> open;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = List.copyOf(writes.values());
        }
        leases.shutdownNow();
        maintenance.shutdownNow();
        open.forEach(RealtimeWrite::close);
        if (allocator.getAllocatedMemory() == 0) {
            allocator.close();
        }
        else {
            log.info("Plans or readers still hold %s bytes of rows", allocator.getAllocatedMemory());
        }
    }
}
