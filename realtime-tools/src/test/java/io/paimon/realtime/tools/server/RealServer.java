package io.paimon.realtime.tools.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A server with one worker that the scripts in bin/ start and stop, in a folder of its own. The coordinator runs no scans, so that all rows in memory reach queries over Flight. Closing ends every
 * process and deletes the folder; if this JVM is ended earlier, a shutdown hook does.
 */
final class RealServer implements AutoCloseable
{
    /** The first start on a machine also fetches Trino. */
    private static final long SCRIPT_SECONDS = 900;
    private static final long EVENTUALLY_SECONDS = 120;
    private static final int START_ATTEMPTS = 3;
    private static final int LOG_LINES = 80;
    /** Of every JVM that is started here; none lives long enough for the second compiler to pay. */
    private static final String JVM_OPTIONS = "JAVA_TOOL_OPTIONS";
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    private final Path root = Path.of(requireNonNull(System.getProperty("project.root"), "project.root is not set")).normalize();
    private final Path data;
    private final Thread hook = new Thread(this::killAndDelete, "real-server-cleanup");
    private int port;
    private Process launched;
    private List<String> coordinatorCommand;

    RealServer() throws IOException
    {
        data = Files.createTempDirectory("paimon-realtime-server").toRealPath();
        Runtime.getRuntime().addShutdownHook(hook);
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
        builder.environment().put(JVM_OPTIONS, SHORT_LIVED);
        builder.environment().merge("MAVEN_OPTS",
                "-Dmaven.repo.local=" + requireNonNull(System.getProperty("maven.repository"), "maven.repository is not set"),
                (own, added) -> own + " " + added);
        Process process = builder.start();
        try {
            if (!process.waitFor(SCRIPT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("%s did not end within %s s: %s".formatted(command, SCRIPT_SECONDS, Files.readString(output, UTF_8)));
            }
        }
        finally {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        }
        String text = Files.readString(output, UTF_8);
        if (process.exitValue() != 0) {
            throw new AssertionError("%s ended with %s: %s".formatted(command, process.exitValue(), text));
        }
        return text;
    }

    void start() throws IOException, InterruptedException
    {
        for (int attempt = 1;; attempt++) {
            if (Files.exists(data.resolve("log"))) {
                MoreFiles.deleteRecursively(data.resolve("log"), RecursiveDeleteOption.ALLOW_INSECURE);
            }
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = socket.getLocalPort();
            }
            try {
                script("server", "start", "--data", data.toString(), "--port", Integer.toString(port), "--workers", "1", "--heap", "1g", "--config",
                        "node-scheduler.include-coordinator=false", "--set", "paimon.realtime.commit-interval=1h", "--set",
                        "paimon.realtime.shutdown-timeout=30s");
                return;
            }
            catch (AssertionError e) {
                String logs = logs();
                // another program, maybe another build, can take a port between its choice and its use
                boolean portTaken = e.getMessage().contains("is in use") || logs.contains("BindException") || logs.contains("Address already in use");
                if (!portTaken || attempt == START_ATTEMPTS) {
                    throw new AssertionError(e.getMessage() + "\n" + logs, e);
                }
            }
        }
    }

    /** As if its machine had lost power: nothing is told to anybody. */
    void killCoordinator() throws IOException
    {
        ProcessHandle coordinator = ProcessHandle.of(Long.parseLong(Files.readString(data.resolve("coordinator.pid"), UTF_8).strip())).orElseThrow();
        coordinatorCommand = new ArrayList<>(List.of(coordinator.info().command().orElseThrow()));
        coordinatorCommand.addAll(List.of(coordinator.info().arguments().orElseThrow()));
        coordinator.destroyForcibly();
        awaitEnd(coordinator);
    }

    /** Until the process holds nothing any more. It is no child of this one: how long it stays in the table of processes is up to the machine's init, which takes minutes on some. */
    private static void awaitEnd(ProcessHandle process) throws IOException
    {
        Path state = Path.of("/proc/%s/stat".formatted(process.pid()));
        while (process.isAlive() && !(Files.exists(state) && isZombie(state))) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static boolean isZombie(Path state) throws IOException
    {
        try {
            // 123 (name) Z and more, of which the 18th is the number of threads: the first one may end before others, which hold files and ports still
            String line = Files.readString(state, ISO_8859_1);
            List<String> fields = Splitter.on(' ').splitToList(line.substring(line.lastIndexOf(')') + 2));
            return fields.getFirst().equals("Z") && Integer.parseInt(fields.get(17)) <= 1;
        }
        catch (NoSuchFileException e) {
            return true;
        }
    }

    /** The coordinator that was killed, once more: what a service manager does. The worker lives on. */
    void restartCoordinator() throws IOException
    {
        Process coordinator = start(coordinatorCommand, "coordinator.out");
        Files.writeString(data.resolve("coordinator.pid"), coordinator.pid() + "\n", UTF_8);
    }

    void stop() throws IOException, InterruptedException
    {
        script("server", "stop", "--data", data.toString());
    }

    /** The last lines of what every node has written. */
    String logs() throws IOException
    {
        if (!Files.exists(data.resolve("log"))) {
            return "no node was started";
        }
        StringBuilder text = new StringBuilder();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(data.resolve("log"), "*.{log,out}")) {
            for (Path file : files) {
                List<String> lines = Files.readAllLines(file, UTF_8);
                text.append("last lines of %s:\n".formatted(file.getFileName()));
                lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()).forEach(line -> text.append(line).append('\n'));
            }
        }
        return text.toString();
    }

    /** The coordinator once more, on the same data, with a JVM that lacks the flag that Arrow needs. It has no worker and runs everything itself. */
    void startCoordinatorWithoutArrowFlag() throws IOException
    {
        Path etc = data.resolve("etc/coordinator");
        Path config = etc.resolve("config.properties");
        Files.writeString(config,
                Files.readString(config, UTF_8).replace("node-scheduler.include-coordinator=false", "node-scheduler.include-coordinator=true"),
                UTF_8);
        launched = start(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx1g", "--add-modules=jdk.incubator.vector",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-Djdk.attach.allowAttachSelf=true",
                "-Dfile.encoding=UTF-8", "-Duser.timezone=UTC", "-Dconfig=" + config, "-Dlog.levels-file=" + etc.resolve("log.properties"), "-cp",
                data.resolve("lib") + "/*:" + root.resolve("target/server/lib") + "/*", "io.paimon.realtime.tools.TrinoServerLauncher"),
                "without-flag.out");
    }

    private Process start(List<String> coordinator, String log) throws IOException
    {
        ProcessBuilder builder = new ProcessBuilder(coordinator)
                .directory(data.resolve("var/coordinator").toFile())
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("log").resolve(log).toFile());
        builder.environment().put(JVM_OPTIONS, SHORT_LIVED);
        return builder.start();
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
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(EVENTUALLY_SECONDS);
        while (true) {
            try {
                return attempt.call();
            }
            catch (SQLException | AssertionError e) {
                if (System.nanoTime() > deadline || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    /** Nodes that run, and scripts: everything that was started for this folder. */
    private Stream<ProcessHandle> processes()
    {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().filter(line -> line.contains(data.toString())).isPresent());
    }

    /** @throws AssertionError if a process did not end by itself; then it is ended all the same */
    @Override
    public void close() throws IOException, InterruptedException
    {
        List<String> left;
        try {
            if (launched != null) {
                launched.destroy();
                launched.waitFor(60, TimeUnit.SECONDS);
            }
            stop();
        }
        finally {
            left = processes().map(process -> process.info().commandLine().orElse("?")).toList();
            killAndDelete();
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        if (!left.isEmpty()) {
            throw new AssertionError("These did not end: " + left);
        }
    }

    private void killAndDelete()
    {
        List<ProcessHandle> left = processes().toList();
        left.forEach(ProcessHandle::destroyForcibly);
        try {
            for (ProcessHandle process : left) {
                awaitEnd(process);
            }
            MoreFiles.deleteRecursively(data, RecursiveDeleteOption.ALLOW_INSECURE);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
