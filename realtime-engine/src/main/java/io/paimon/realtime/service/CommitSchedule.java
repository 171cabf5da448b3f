package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.airlift.log.Logger;
import io.paimon.realtime.table.RealtimeTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * When commit rounds run, and on which threads: each time it is asked one for every open table that has none waiting or under way, and a last one for each when the writer ends. What is done beside
 * rounds runs on the same threads: it may commit as well, which nothing that must happen in time may wait for.
 *
 * <p>Owns these threads. Thread-safe without a lock.
 */
final class CommitSchedule
{
    private static final Logger log = Logger.get(CommitSchedule.class);

    private final OpenTables tables;
    private final ExecutorService executor;
    /** Names of tables whose round waits or is under way. */
    private final Set<String> rounds = ConcurrentHashMap.newKeySet();
    /** The same for what is done beside rounds. */
    private final Set<String> maintenance = ConcurrentHashMap.newKeySet();
    private volatile boolean ending;

    /**
     * @param threads rounds that run at the same time
     */
    CommitSchedule(OpenTables tables, int threads)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.executor = Executors.newFixedThreadPool(threads, new ThreadFactoryBuilder().setNameFormat("realtime-round-%d").setDaemon(true).build());
    }

    /** Starts a round of every table and waits for nothing. Called from any thread, also with locks held. */
    void startRounds()
    {
        start(rounds, "the commit round failed; its rows stay in memory", RealtimeTable::commitRoundIfIdle);
    }

    /** The same with what is done beside rounds, which may commit as well. */
    void startMaintenance()
    {
        start(maintenance, "its standing could not be looked after", RealtimeTable::maintainStanding);
    }

    /** @param underWay names of tables for which such work waits or is under way; they are left out */
    private void start(Set<String> underWay, String failure, Consumer<RealtimeTable> work)
    {
        for (RealtimeTable table : tables.all()) {
            if (ending || !underWay.add(table.name())) {
                continue;
            }
            try {
                Future<?> _ = executor.submit(() -> {
                    try {
                        work.accept(table);
                    }
                    catch (Throwable e) {
                        log.warn(e, "Table %s: %s", table.name(), failure);
                    }
                    finally {
                        underWay.remove(table.name());
                    }
                });
            }
            catch (RejectedExecutionException e) {
                // stopped meanwhile
                underWay.remove(table.name());
            }
        }
    }

    /** A last round of every table, after which it is given up. What is not through in time is logged, and goes on until {@link #stop}. Nothing else is started any more. */
    void drainAll(Duration timeout)
    {
        ending = true;
        Map<String, Future<?>> drains = new HashMap<>();
        tables.all().forEach(table -> drains.put(table.name(), executor.submit(() -> drain(table))));
        long deadline = System.nanoTime() + timeout.toNanos();
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
    }

    private static void drain(RealtimeTable table)
    {
        if (!table.isClosed()) {
            table.drain();
        }
    }

    /** Rounds that are under way are interrupted. */
    void stop()
    {
        executor.shutdownNow();
    }

    /** Waits, for a bounded time, for rounds that were under way when it was stopped: none must commit when the data directory belongs to somebody else. */
    void awaitEnd()
    {
        PeriodicTasks.awaitEnd(executor);
    }
}
