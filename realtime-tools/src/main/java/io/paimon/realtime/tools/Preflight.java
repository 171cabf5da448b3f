package io.paimon.realtime.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableSet;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is checked before a server is started: that its port is free, and that memory and disk suffice. Prints a free port for each worker, or with {@code --any} the
 * first free port from {@code --port} on. Exits with 1 after saying what is wrong and what to do.
 */
public final class Preflight
{
    private static final long MEGABYTE = 1024L * 1024;
    /** Code cache, metaspace, thread stacks and direct buffers of one node. */
    private static final long NODE_OVERHEAD = 600 * MEGABYTE;
    private static final long MINIMUM_DISK = 1024 * MEGABYTE;
    private static final int PORTS_TRIED = 200;
    private static final Pattern DATA_SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(B|kB|MB|GB|TB)");
    private static final Pattern SIZE = Pattern.compile("(\\d+)([kmgKMG]?)");

    private Preflight()
    {}

    public static void main(String[] arguments)
            throws IOException
    {
        try {
            Arguments parsed = Arguments.parse(arguments, ImmutableSet.of("--port", "--workers", "--heap", "--writer-memory", "--data"),
                    ImmutableSet.of("--any"));
            int port = parsed.integer("--port", 1, 65535, 8080);
            if (parsed.has("--any")) {
                System.out.println(freePorts(port, 1).getFirst());
                return;
            }
            int workers = parsed.integer("--workers", 0, 64, 0);
            List<String> problems = new ArrayList<>();
            if (!isFree(port)) {
                problems.add("port %s is in use: choose another one with --port, for example --port %s".formatted(port,
                        freePorts(port + 1, 1).getFirst()));
            }
            checkMemory(bytes(parsed.required("--heap")), workers + 1, dataSize(parsed.required("--writer-memory"))).ifPresent(problems::add);
            checkDisk(Path.of(parsed.required("--data"))).ifPresent(problems::add);
            if (!problems.isEmpty()) {
                problems.forEach(problem -> System.err.println("server: " + problem));
                System.exit(1);
            }
            freePorts(port + 1, workers).forEach(System.out::println);
        }
        catch (UsageException e) {
            System.err.println("server: " + e.getMessage());
            System.exit(2);
        }
    }

    private static Optional<String> checkMemory(long heap, int nodes, long writer)
            throws IOException
    {
        long needed = neededMemory(heap, nodes, writer);
        long available = availableMemory();
        if (available >= needed) {
            return Optional.empty();
        }
        return Optional
                .of(("%s with a heap of %s MB and a writer of %s MB need %s MB of memory, %s MB are free: give a smaller --heap, fewer --workers, "
                        + "a smaller --set paimon.realtime.memory-limit=.., or end other programs")
                        .formatted(nodes == 1 ? "one node" : nodes + " nodes", heap / MEGABYTE, writer / MEGABYTE, needed / MEGABYTE,
                                available / MEGABYTE));
    }

    /** The writer's memory is outside of the heap, and it is in the coordinator only. */
    static long neededMemory(long heap, int nodes, long writer)
    {
        return (heap + NODE_OVERHEAD) * nodes + writer;
    }

    private static Optional<String> checkDisk(Path data)
            throws IOException
    {
        long free = Files.getFileStore(data).getUsableSpace();
        if (free >= MINIMUM_DISK) {
            return Optional.empty();
        }
        return Optional.of("%s has only %s MB of free disk, %s MB are needed: free some, or choose another folder with --data".formatted(
                data, free / MEGABYTE, MINIMUM_DISK / MEGABYTE));
    }

    /** What a new process may take: on Linux with what the page cache would give back, never more than a container's limit. */
    private static long availableMemory()
            throws IOException
    {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Path memory = Path.of("/proc/meminfo");
        if (!Files.isReadable(memory)) {
            // elsewhere "free" leaves out what the file cache holds, which says little
            return system.getTotalMemorySize();
        }
        for (String line : Files.readAllLines(memory, UTF_8)) {
            if (line.startsWith("MemAvailable:")) {
                long kilobytes = Long.parseLong(line.replaceAll("\\D", ""));
                return Math.min(kilobytes * 1024, system.getTotalMemorySize());
            }
        }
        return system.getFreeMemorySize();
    }

    /** A size as in the properties of a catalog. */
    static long dataSize(String size)
    {
        Matcher matcher = DATA_SIZE.matcher(size.strip());
        if (!matcher.matches()) {
            throw new UsageException("paimon.realtime.memory-limit is a size as 512MB or 2GB, not: " + size);
        }
        long unit = switch (matcher.group(2)) {
            case "kB" -> 1024;
            case "MB" -> MEGABYTE;
            case "GB" -> 1024 * MEGABYTE;
            case "TB" -> 1024 * 1024 * MEGABYTE;
            default -> 1;
        };
        return Math.round(Double.parseDouble(matcher.group(1)) * unit);
    }

    static long bytes(String size)
    {
        Matcher matcher = SIZE.matcher(size);
        if (!matcher.matches()) {
            throw new UsageException("--heap is a size as 2g or 1500m, not: " + size);
        }
        long unit = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> 1024;
            case "m" -> MEGABYTE;
            case "g" -> 1024 * MEGABYTE;
            default -> 1;
        };
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    }

    private static List<Integer> freePorts(int from, int count)
    {
        List<Integer> ports = new ArrayList<>();
        for (int port = from; ports.size() < count; port++) {
            if (port > 65535 || port - from > PORTS_TRIED) {
                throw new UsageException("no free port from %s on: choose another --port".formatted(from));
            }
            if (isFree(port)) {
                ports.add(port);
            }
        }
        return ports;
    }

    private static boolean isFree(int port)
    {
        // a server that listens on every address counts, too: binding beside it would work on some systems
        return canBind(port, InetAddress.getLoopbackAddress()) && canBind(port, null);
    }

    private static boolean canBind(int port, InetAddress address)
    {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(address, port), 1);
            return true;
        }
        catch (IOException e) {
            return false;
        }
    }
}
