package io.paimon.realtime.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory limit in a JVM as small as users have. */
final class TestBoundedMemory
{
    @Test
    @Timeout(300)
    void fiveHundredBucketsAndConcurrentFlushesInOneGigabyte() throws Exception
    {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g", "-XX:MaxDirectMemorySize=512m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError",
                "--add-opens=java.base/java.nio=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
                "-cp", classPath, BoundedMemoryProgram.class.getName()))
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            assertThat(output).contains("rows=1200000");
        }
        finally {
            process.destroyForcibly();
        }
    }
}
