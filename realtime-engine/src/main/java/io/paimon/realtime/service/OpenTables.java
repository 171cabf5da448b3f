package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.TableOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;

/**
 * The tables that this writer has open. Each is opened, and claimed, by its first use; one that another writer has taken over is forgotten, so that its next use claims it again or says who has it.
 *
 * <p>Thread-safe. One table is opened at a time: the lock is held over that I/O, for its purpose is that no table is claimed twice. Looking for tables that are open takes no lock.
 */
final class OpenTables
{
    private static final int MAX_TABLES = 1_000;

    private final EmbeddedRealtimeService.Tables definitions;
    private final Function<Identifier, TableOptions> options;
    private final Map<String, RealtimeTable> open = new ConcurrentHashMap<>();
    private final Object openLock = new Object();
    /** Full names of tables that are not opened now, once for each who asked for it. */
    @GuardedBy("openLock")
    private final Multiset<String> keptClosed = HashMultiset.create();
    @GuardedBy("openLock")
    private boolean ended;

    OpenTables(EmbeddedRealtimeService.Tables definitions, Function<Identifier, TableOptions> options)
    {
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.options = requireNonNull(options, "options is null");
    }

    /**
     * The newest definition, of a table that is open or not.
     *
     * @throws RealtimeException NOT_FOUND if there is none, NOT_REALTIME if it cannot be written in real time
     */
    FileStoreTable load(Identifier identifier)
    {
        return RealtimeTables.openForWriting(definitions.load(identifier));
    }

    /** The table, if it is open. */
    Optional<RealtimeTable> find(Identifier identifier)
    {
        RealtimeTable known = open.get(identifier.getFullName());
        if (known != null && known.isClosed()) {
            open.remove(identifier.getFullName(), known);
            return Optional.empty();
        }
        return Optional.ofNullable(known);
    }

    /**
     * The table, opened and claimed if it is not yet.
     *
     * @throws RealtimeException FENCED if another writer has it, NOT_REALTIME or NOT_FOUND if it cannot be written, RESOURCE_EXHAUSTED if too many are open, UNAVAILABLE if none is opened
     *         any more or this one is kept closed
     */
    RealtimeTable get(Identifier identifier)
    {
        Optional<RealtimeTable> known = find(identifier);
        if (known.isPresent()) {
            return known.get();
        }
        if (!identifier.getTableName().equals(identifier.getObjectName())) {
            // leases and offsets are the table's, not a branch's
            throw new RealtimeException(Code.NOT_REALTIME,
                    "Table %s cannot be written in real time: only the main branch can, under the name of the table"
                            .formatted(identifier.getFullName()));
        }
        synchronized (openLock) {
            known = find(identifier);
            if (known.isPresent()) {
                return known.get();
            }
            if (ended) {
                throw new RealtimeException(Code.UNAVAILABLE, "The real-time writer is closing");
            }
            if (keptClosed.contains(identifier.getFullName())) {
                throw new RealtimeException(Code.UNAVAILABLE, "Table %s is being changed; try again".formatted(identifier.getFullName()));
            }
            forgetClosed();
            if (open.size() >= MAX_TABLES) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "More than %s real-time tables are open".formatted(MAX_TABLES));
            }
            RealtimeTable opened = RealtimeTable.open(load(identifier), options.apply(identifier));
            open.put(identifier.getFullName(), opened);
            return opened;
        }
    }

    /** A table is kept from being opened until this is closed. */
    interface KeptClosed extends AutoCloseable
    {
        @Override
        void close();
    }

    /** The table, if it is not open, is not opened until the result is closed; its use is answered with UNAVAILABLE meanwhile. One that is open stays so. */
    KeptClosed keepClosed(Identifier identifier)
    {
        synchronized (openLock) {
            keptClosed.add(identifier.getFullName());
        }
        return () -> {
            synchronized (openLock) {
                keptClosed.remove(identifier.getFullName());
            }
        };
    }

    /** Tables that have closed themselves, because another writer took over, may never be asked for again. */
    private void forgetClosed()
    {
        open.values().removeIf(RealtimeTable::isClosed);
    }

    /** Those that are open now. */
    List<RealtimeTable> all()
    {
        forgetClosed();
        return List.copyOf(open.values());
    }

    int size()
    {
        forgetClosed();
        return open.size();
    }

    /** Forgets the table and its rows. Does nothing if it is not open. */
    void drop(Identifier identifier)
    {
        RealtimeTable closing = open.remove(identifier.getFullName());
        if (closing != null) {
            closing.close();
        }
    }

    /** No table is opened any more when this returns. */
    void endOpening()
    {
        synchronized (openLock) {
            ended = true;
        }
    }

    /** Forgets all tables and their rows. */
    void closeAll()
    {
        open.values().forEach(RealtimeTable::close);
        open.clear();
    }
}
