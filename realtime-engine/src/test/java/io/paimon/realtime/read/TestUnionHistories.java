package io.paimon.realtime.read;

import static com.google.common.util.concurrent.Uninterruptibles.getUninterruptibly;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * The law, by thousands of short random histories. A failure prints the seed and the history's number: {@code -Dtest.seed=.. -Dtest.history=..} runs that one alone.
 */
final class TestUnionHistories
{
    /** They would write a line for each of half a million commits, and a stack trace for each failure that is meant. */
    private static final List<Logger> LOGS = List.of(Logger.getLogger("org.apache.paimon"), Logger.getLogger("io.paimon.realtime"));

    /** The same histories in every build, so that a failure means a change of the code; {@code -Dtest.seed} and {@code -Dtest.histories} search further. */
    private static final long SEED = 25062799949815L;

    @Test
    void historiesAnswerAsPaimonWould() throws Exception
    {
        long seed = Long.getLong("test.seed", SEED);
        System.out.println("test.seed=" + seed);
        int only = Integer.getInteger("test.history", -1);
        int count = only >= 0 ? only + 1 : Integer.getInteger("test.histories", 2_000);
        LOGS.forEach(log -> log.setLevel(Level.OFF));
        AtomicInteger next = new AtomicInteger(Math.max(only, 0));
        AtomicBoolean failed = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(2); ExecutorService readers = Executors.newFixedThreadPool(2)) {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                runs.add(threads.submit(() -> {
                    for (int history = next.getAndIncrement(); history < count && !failed.get(); history = next.getAndIncrement()) {
                        run(seed, history, readers, failed);
                    }
                }));
            }
            for (Future<?> run : runs) {
                getUninterruptibly(run);
            }
        }
        finally {
            LOGS.forEach(log -> log.setLevel(null));
        }
    }

    private static void run(long seed, int number, ExecutorService readers, AtomicBoolean failed)
    {
        UnionHistory history = new UnionHistory(seed * 31 + number, readers);
        try {
            history.run();
        }
        catch (Exception | AssertionError e) {
            failed.set(true);
            throw new AssertionError("-Dtest.seed=%s -Dtest.history=%s%n%s".formatted(seed, number, String.join("\n", history.steps())), e);
        }
    }
}
