package io.paimon.realtime.trino;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** A program of others in a process of its own, with the class path that its folder in {@code src/peers} describes. */
final class PeerProcess implements AutoCloseable
{
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

    private final Process process;
    private final Path log;

    private PeerProcess(Process process, Path log)
    {
        this.process = process;
        this.log = log;
    }

    /** A port of this machine that was free a moment ago. */
    static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Starts the program; the caller awaits that it is there.
     *
     * @param options for the JVM
     * @param program main class, or source file, and its arguments
     */
    static PeerProcess start(String name, Path directory, List<String> options, List<String> program) throws IOException
    {
        Path classPath = peer(name).resolve("target/classpath");
        if (!Files.exists(classPath)) {
            throw new IllegalStateException("%s is missing: mvn -f %s/pom.xml generate-test-resources".formatted(classPath, peer(name)));
        }
        Files.createDirectories(directory);
        Path log = directory.resolve(name + ".log");
        List<String> command = ImmutableList.<String>builder()
                .add(Path.of(System.getProperty("java.home"), "bin", "java").toString())
                .addAll(options)
                .add("-cp", directory + ":" + Files.readString(classPath, UTF_8).strip())
                .addAll(program)
                .build();
        return new PeerProcess(
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).redirectOutput(log.toFile()).start(),
                log);
    }

    static Path peer(String name)
    {
        return Path.of(System.getProperty("peers.dir", "../src/peers")).toAbsolutePath().normalize().resolve(name);
    }

    /** Waits until the program takes connections. */
    @CanIgnoreReturnValue
    PeerProcess awaitPort(int port) throws Exception
    {
        await(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return Optional.of(true);
            }
            catch (IOException e) {
                return Optional.empty();
            }
        });
        return this;
    }

    /** Waits for a line of output, and gives what follows its prefix. */
    String awaitLine(String prefix) throws Exception
    {
        return await(() -> Files.readString(log, UTF_8).lines().filter(line -> line.startsWith(prefix)).findFirst()).substring(prefix.length());
    }

    private <T> T await(Callable<Optional<T>> sign) throws Exception
    {
        long end = System.nanoTime() + START_TIMEOUT.toNanos();
        while (true) {
            Optional<T> found = sign.call();
            if (found.isPresent()) {
                return found.get();
            }
            // returns at once, with true, when the process has ended
            if (process.waitFor(100, MILLISECONDS) || System.nanoTime() > end) {
                throw new IllegalStateException("%s\n%s".formatted(log, Files.readString(log, UTF_8)));
            }
        }
    }

    @Override
    public void close() throws InterruptedException
    {
        process.destroy();
        if (!process.waitFor(20, SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
