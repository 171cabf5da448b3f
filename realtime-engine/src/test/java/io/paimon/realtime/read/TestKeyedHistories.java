package io.paimon.realtime.read;

import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The law for primary-key tables, by many short random histories over merge engines, sequence fields, changelog producers, deletion vectors and formats. A failure prints the seed and the history's
 * number: {@code -Dtest.seed=.. -Dtest.history=..} runs that one alone.
 */
final class TestKeyedHistories
{
    private static final List<Logger> LOGS = List.of(Logger.getLogger("org.apache.paimon"), Logger.getLogger("io.paimon.realtime"));

    /** The same histories in every build, so that a failure means a change of the code; {@code -Dtest.seed} and {@code -Dtest.histories} search further. */
    private static final long SEED = 25062799949815L;

    @TempDir
    private Path scratch;

    @Test
    void historiesAnswerAsPaimonWould()
    {
        long seed = Long.getLong("test.seed", SEED);
        System.out.println("test.seed=" + seed);
        int only = Integer.getInteger("test.history", -1);
        int count = only >= 0 ? only + 1 : Integer.getInteger("test.histories", 150);
        LOGS.forEach(log -> log.setLevel(Level.OFF));
        try {
            for (int number = Math.max(only, 0); number < count; number++) {
                KeyedHistory history = new KeyedHistory(seed * 31 + number, scratch);
                try {
                    history.run();
                }
                catch (Exception | AssertionError e) {
                    throw new AssertionError("-Dtest.seed=%s -Dtest.history=%s%n%s".formatted(seed, number, String.join("\n", history.steps())), e);
                }
            }
        }
        finally {
            LOGS.forEach(log -> log.setLevel(null));
        }
    }
}
