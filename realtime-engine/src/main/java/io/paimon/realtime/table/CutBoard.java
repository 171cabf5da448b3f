package io.paimon.realtime.table;

import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;

/**
 * The newest cut of every table of a service, so that a query takes all of them at one instant. The lock is held for a look at a map, never over memory being freed or I/O,
 * and is the innermost of all locks.
 */
public final class CutBoard
{
    @GuardedBy("this")
    private ImmutableMap<String, TableCut> cuts = ImmutableMap.of();
    @GuardedBy("this")
    private long instant;

    /**
     * The cuts of all tables at one instant.
     *
     * @param instant count of changes of the board
     */
    public record Cuts(long instant, Map<String, TableCut> tables)
    {
        public Cuts
        {
            tables = ImmutableMap.copyOf(tables);
        }
    }

    /** Replaces the table's cut; takes over the caller's hold on it. Returns the instant of the change. */
    @CanIgnoreReturnValue
    long publish(String table, TableCut cut)
    {
        long now;
        TableCut old;
        synchronized (this) {
            old = cuts.get(table);
            cuts = ImmutableMap.<String, TableCut>builder().putAll(cuts).put(table, cut).buildKeepingLast();
            now = ++instant;
        }
        if (old != null) {
            old.release();
        }
        return now;
    }

    /** Takes the cut away, if it is the one that stands there. */
    void remove(String table, TableCut shown)
    {
        synchronized (this) {
            if (cuts.get(table) != shown) {
                return;
            }
            ImmutableMap.Builder<String, TableCut> left = ImmutableMap.builder();
            cuts.forEach((name, cut) -> {
                if (!name.equals(table)) {
                    left.put(name, cut);
                }
            });
            cuts = left.buildOrThrow();
            instant++;
        }
        shown.release();
    }

    /** The cuts of all tables at this instant, each retained for the caller. */
    public synchronized Cuts retainAll()
    {
        cuts.values().forEach(TableCut::retain);
        return new Cuts(instant, cuts);
    }
}
