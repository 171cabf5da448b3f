package io.paimon.realtime.service;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.airlift.log.Logger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Short tasks that are done again and again, all by one thread of their own. Thread-safe; ended by {@link #stop}.
 */
final class PeriodicTasks
{
    private static final Logger log = Logger.get(PeriodicTasks.class);
    private static final int THREAD_END_SECONDS = 10;

    private final ScheduledExecutorService executor;

    /**
     * @param threadName with {@code %d} for a number
     */
    PeriodicTasks(String threadName)
    {
        this.executor = Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder().setNameFormat(threadName).setDaemon(true).build());
    }

    /**
     * Does the task from now on, each time so long after the last one ended. Its failure is logged and does not end it.
     *
     * @param millis less than 1 stands for 1
     */
    void every(long millis, Runnable task)
    {
        long delay = Math.max(1, millis);
        Future<?> _ = executor.scheduleWithFixedDelay(() -> {
            try {
                task.run();
            }
            catch (Throwable t) {
                log.error(t, "A task of the writer failed; it runs again");
            }
        }, delay, delay, TimeUnit.MILLISECONDS);
    }

    /** No task begins from now on; one that is under way is interrupted. */
    void stop()
    {
        executor.shutdownNow();
    }

    /** Waits, for a bounded time, for what was under way when it was stopped. */
    void awaitEnd()
    {
        awaitEnd(executor);
    }

    static void awaitEnd(ExecutorService executor)
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
}
