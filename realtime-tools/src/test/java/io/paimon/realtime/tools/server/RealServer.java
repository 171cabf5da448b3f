package io.paimon.realtime.tools.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server that the scripts in bin/ start and stop, in a data folder of its own. */
final class RealServer implements AutoCloseable
{
    private static final long START_SECONDS = 300;

    private final Path root = Path.of(requireNonNull(System.getProperty("project.root"), "project.root is not set"));
    private final Path data;
    private final int port;
    private Process launched;

    RealServer(Path data) throws IOException
    {
        this.data = data;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
    }

    Path data()
    {
        return data;
    }

    /** Output of one of the scripts, which has to succeed. */
    String script(String name, String... arguments) throws IOException, InterruptedException
    {
        List<String> command = new ArrayList<>(List.of(root.resolve("bin").resolve(name).toString()));
        command.addAll(List.of(arguments));
        Path output = data.resolve(name + ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("PAIMON_REALTIME_BUILD", "skip");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("%s did not end: %s".formatted(command, Files.readString(output, UTF_8)));
        }
        String text = Files.readString(output, UTF_8);
        if (process.exitValue() != 0) {
            throw new AssertionError("%s ended with %s: %s".formatted(command, process.exitValue(), text));
        }
        return text;
    }

    void start() throws IOException, InterruptedException
    {
        script("server", "start", "--data", data.toString(), "--port", Integer.toString(port), "--workers", "1", "--heap", "1g", "--set",
                "paimon.realtime.commit-interval=1h", "--set", "paimon.realtime.shutdown-timeout=30s");
    }

    void stop() throws IOException, InterruptedException
    {
        script("server", "stop", "--data", data.toString());
    }

    /** The coordinator once more, on the same data, with a JVM that lacks the flag that Arrow needs. */
    void startCoordinatorWithoutArrowFlag() throws IOException
    {
        Path etc = data.resolve("etc/coordinator");
        // the coordinator alone; the worker's files are not read
        launched = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx1g", "--add-modules=jdk.incubator.vector",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-Djdk.attach.allowAttachSelf=true",
                "-Dfile.encoding=UTF-8", "-Duser.timezone=UTC", "-Dconfig=" + etc.resolve("config.properties"),
                "-Dlog.levels-file=" + etc.resolve("log.properties"), "-cp", data.resolve("lib") + "/*:" + root.resolve("target/server/lib") + "/*",
                "io.paimon.realtime.tools.TrinoServerLauncher")
                .directory(data.resolve("var/coordinator").toFile())
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("log/without-flag.out").toFile())
                .start();
    }

    Connection connect(String schema) throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", "test");
        return DriverManager.getConnection("%s/%s".formatted(url(), schema), properties);
    }

    /** JDBC address of the catalog. */
    String url()
    {
        return "jdbc:trino://127.0.0.1:%s/paimon".formatted(port);
    }

    String flightAddress() throws IOException
    {
        return Files.readString(data.resolve("flight"), UTF_8).strip();
    }

    /** What fails because the server is not there yet, or the state is not reached yet. */
    interface Attempt<T>
    {
        T call() throws SQLException;
    }

    static <T> T eventually(Attempt<T> attempt) throws SQLException
    {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                return attempt.call();
            }
            catch (SQLException | AssertionError e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    /** Ends what still runs. */
    @Override
    public void close() throws IOException, InterruptedException
    {
        if (launched != null) {
            launched.destroy();
            if (!launched.waitFor(60, TimeUnit.SECONDS)) {
                launched.destroyForcibly();
            }
        }
        stop();
    }
}
