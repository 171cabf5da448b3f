package io.paimon.realtime.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Waits until every node of a server is active and its catalogs answer, then prints where it is reached ({@code wait}); or prints its nodes and its writer
 * ({@code status}). The addresses are left in the files {@code http} and {@code flight} of the data folder.
 */
public final class ServerCheck
{
    private static final long POLL_MILLIS = 250;
    private static final long WRITER_MILLIS = 60_000;

    private final Path data;
    private final String address;
    private final int nodes;
    private final boolean flight;

    private ServerCheck(Path data, String address, int nodes, boolean flight)
    {
        this.data = data;
        this.address = address;
        this.nodes = nodes;
        this.flight = flight;
    }

    public static void main(String[] arguments)
            throws IOException, InterruptedException
    {
        try {
            Arguments parsed = Arguments.parse(arguments, ImmutableSet.of("--data", "--port", "--nodes", "--timeout"),
                    ImmutableSet.of("--flight", "--no-flight"));
            ServerCheck check = new ServerCheck(Path.of(parsed.required("--data")), "127.0.0.1:" + parsed.integer("--port", 1, 65535, 8080),
                    parsed.integer("--nodes", 1, 1000, 1), !parsed.has("--no-flight"));
            boolean healthy = switch (parsed.positional().isEmpty() ? "" : parsed.positional().getFirst()) {
                case "wait" -> check.waitForStart(parsed.integer("--timeout", 1, 3600, 240) * 1000L);
                case "status" -> check.printStatus();
                default -> throw new UsageException("wait or status is missing");
            };
            System.exit(healthy ? 0 : 1);
        }
        catch (UsageException e) {
            System.err.println("server: " + e.getMessage());
            System.exit(2);
        }
    }

    private boolean waitForStart(long timeoutMillis)
            throws IOException, InterruptedException
    {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        String last = "no answer yet";
        while (System.nanoTime() < deadline) {
            Optional<String> dead = deadNode();
            if (dead.isPresent()) {
                System.err.println("server: " + dead.get() + " ended while it was starting");
                return false;
            }
            try (TrinoConnection connection = TrinoConnection.open(address, "server")) {
                long active = connection.number("SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'");
                if (active == nodes) {
                    for (List<Object> catalog : connection.query("SHOW CATALOGS")) {
                        connection.query("SHOW SCHEMAS FROM \"" + catalog.getFirst() + "\"");
                    }
                    announce(connection);
                    return true;
                }
                last = "%s of %s nodes are active".formatted(active, nodes);
            }
            catch (SQLException e) {
                last = e.getMessage();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        System.err.println("server: not ready after %s seconds: %s".formatted(timeoutMillis / 1000, last));
        return false;
    }

    private void announce(TrinoConnection connection)
            throws IOException, InterruptedException, SQLException
    {
        Optional<String> writer = flight ? awaitWriter(connection) : Optional.empty();
        Files.writeString(data.resolve("http"), address + "\n", UTF_8);
        System.out.println("http=" + address);
        if (writer.isPresent()) {
            Files.writeString(data.resolve("flight"), writer.get() + "\n", UTF_8);
            System.out.println("flight=" + writer.get());
        }
    }

    /** The Flight address of the writer once it runs; empty, with the reason on stderr, if it does not. COMMITTED reads work all the same. */
    private static Optional<String> awaitWriter(TrinoConnection connection)
            throws InterruptedException, SQLException
    {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WRITER_MILLIS);
        String last = "the catalog has no writer";
        while (System.nanoTime() < deadline) {
            List<List<Object>> writers = connection.query("SELECT address, phase, last_error FROM paimon.system.realtime_writers");
            if (!writers.isEmpty()) {
                String location = String.valueOf(writers.getFirst().get(0));
                String phase = String.valueOf(writers.getFirst().get(1));
                last = "phase %s: %s".formatted(phase, writers.getFirst().get(2));
                if (phase.equalsIgnoreCase("RUNNING") && !location.isEmpty()) {
                    return Optional.of(location.contains("://") ? location : "grpc://" + location);
                }
                if (phase.equalsIgnoreCase("UNAVAILABLE")) {
                    break;
                }
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        System.err.println("server: real-time writes are unavailable (%s); committed reads work".formatted(last));
        return Optional.empty();
    }

    private boolean printStatus()
    {
        try (TrinoConnection connection = TrinoConnection.open(address, "server")) {
            System.out.println("http=" + address);
            for (List<Object> node : connection
                    .query("SELECT node_id, http_uri, coordinator, state FROM system.runtime.nodes ORDER BY coordinator DESC, http_uri")) {
                System.out.println("node %s %s %s".formatted(node.get(1), Boolean.TRUE.equals(node.get(2)) ? "coordinator" : "worker", node.get(3)));
            }
            for (List<Object> writer : connection
                    .query("SELECT address, phase, tables, memory_bytes, memory_limit_bytes, last_error FROM paimon.system.realtime_writers")) {
                System.out.println("flight=%s".formatted(writer.get(0)));
                System.out.println("writer %s tables=%s memory_bytes=%s memory_limit_bytes=%s last_error=%s".formatted(writer.get(1), writer.get(2),
                        writer.get(3), writer.get(4),
                        writer.get(5)));
            }
            return true;
        }
        catch (SQLException e) {
            System.err.println("server: no answer on " + address + ": " + e.getMessage());
            return false;
        }
    }

    private Optional<String> deadNode()
            throws IOException
    {
        List<String> dead = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(data, "*.pid")) {
            for (Path file : files) {
                long pid = Long.parseLong(Files.readString(file, UTF_8).trim());
                if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
                    dead.add(file.getFileName().toString().replace(".pid", ""));
                }
            }
        }
        return dead.stream().findFirst();
    }
}
