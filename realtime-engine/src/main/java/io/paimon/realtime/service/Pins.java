package io.paimon.realtime.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.CutBoard.Cuts;
import io.paimon.realtime.table.TableCut;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Cuts held for queries under leases. Readers that are open hold their memory themselves, so giving up a cut never takes anything from them.
 * The lock is held for looks at maps only.
 */
final class Pins
{
    private static final int MAX_PINS = 10_000;

    private final CutBoard board;
    private final long leaseNanos;
    private final LongSupplier clock;
    @GuardedBy("this")
    private final Map<String, Pin> pins = new HashMap<>();

    private static final class Pin
    {
        private final long instant;
        private final Map<String, TableCut> cuts;
        private long deadline;

        private Pin(Cuts cuts)
        {
            this.instant = cuts.instant();
            this.cuts = new HashMap<>(cuts.tables());
        }
    }

    /**
     * @param clock nanoseconds, as {@link System#nanoTime}
     */
    Pins(CutBoard board, long leaseMillis, LongSupplier clock)
    {
        this.board = board;
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        this.clock = clock;
    }

    /** The query's cuts, taken now if it has none yet. The result may be looked at, not held: use {@link #with} to read. */
    synchronized <T> T pin(String queryId, Function<Cuts, T> look)
    {
        Pin pin = pins.get(queryId);
        if (pin == null) {
            if (pins.size() >= MAX_PINS) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "More than %s queries hold views; try again".formatted(MAX_PINS));
            }
            pin = new Pin(board.retainAll());
            pins.put(queryId, pin);
        }
        pin.deadline = clock.getAsLong() + leaseNanos;
        return look.apply(new Cuts(pin.instant, pin.cuts));
    }

    synchronized void renew(String queryId)
    {
        required(queryId).deadline = clock.getAsLong() + leaseNanos;
    }

    /** Gives up the cuts of all other tables. */
    void narrow(String queryId, Set<String> tables)
    {
        List<TableCut> released = new ArrayList<>();
        synchronized (this) {
            required(queryId).cuts.entrySet().removeIf(entry -> {
                if (tables.contains(entry.getKey())) {
                    return false;
                }
                released.add(entry.getValue());
                return true;
            });
        }
        released.forEach(TableCut::release);
    }

    /** Opens something over a cut while it is certainly held. */
    synchronized <T> T with(String queryId, String table, Function<TableCut, T> open)
    {
        TableCut cut = required(queryId).cuts.get(table);
        if (cut == null) {
            throw expired(queryId);
        }
        return open.apply(cut);
    }

    void release(String queryId)
    {
        Pin pin;
        synchronized (this) {
            pin = pins.remove(queryId);
        }
        if (pin != null) {
            pin.cuts.values().forEach(TableCut::release);
        }
    }

    /** Gives up what was not renewed in time. */
    void expire()
    {
        List<Pin> expired = new ArrayList<>();
        synchronized (this) {
            long now = clock.getAsLong();
            pins.values().removeIf(pin -> {
                if (pin.deadline - now > 0) {
                    return false;
                }
                expired.add(pin);
                return true;
            });
        }
        expired.forEach(pin -> pin.cuts.values().forEach(TableCut::release));
    }

    void releaseAll()
    {
        List<String> queries;
        synchronized (this) {
            queries = List.copyOf(pins.keySet());
        }
        queries.forEach(this::release);
    }

    /** Number of queries that hold the table's cut. */
    synchronized int count(String table)
    {
        return (int) pins.values().stream().filter(pin -> pin.cuts.containsKey(table)).count();
    }

    /** Number of queries that hold cuts. */
    synchronized int size()
    {
        return pins.size();
    }

    @GuardedBy("this")
    private Pin required(String queryId)
    {
        Pin pin = pins.get(queryId);
        if (pin == null) {
            throw expired(queryId);
        }
        return pin;
    }

    private static RealtimeException expired(String queryId)
    {
        return new RealtimeException(Code.CUT_EXPIRED,
                "The view of query %s over the rows in memory is gone: run the query again".formatted(queryId));
    }
}
