package io.paimon.realtime.table;

import com.google.common.collect.ImmutableMap;
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

    /** Replaces the table's cut; takes over the caller's hold on it. */
    void publish(String table, TableCut cut)
    {
        TableCut old;
        synchronized (this) {
            old = cuts.get(table);
            cuts = ImmutableMap.<String, TableCut>builder().putAll(cuts).put(table, cut).buildKeepingLast();
        }
        if (old != null) {
            old.release();
        }
    }

    void remove(String table)
    {
        TableCut old;
        synchronized (this) {
            old = cuts.get(table);
            ImmutableMap.Builder<String, TableCut> left = ImmutableMap.builder();
            cuts.forEach((name, cut) -> {
                if (!name.equals(table)) {
                    left.put(name, cut);
                }
            });
            cuts = left.buildOrThrow();
        }
        if (old != null) {
            old.release();
        }
    }

    /** The cuts of all tables at this instant, each retained for the caller. */
    public synchronized Map<String, TableCut> retainAll()
    {
        cuts.values().forEach(TableCut::retain);
        return cuts;
    }
}
