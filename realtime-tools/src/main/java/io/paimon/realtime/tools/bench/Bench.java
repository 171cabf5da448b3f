package io.paimon.realtime.tools.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.tools.Arguments;
import io.paimon.realtime.tools.UsageException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Runs benchmarks, prints their tables and writes their results. */
public final class Bench
{
    private static final List<Benchmark> BENCHMARKS = ImmutableList.of(
            new AppendBenchmark(), new FreshnessBenchmark(), new MemoryScanBenchmark(), new UnionBenchmark(), new UpsertBenchmark(),
            new MemoryBenchmark());

    private Bench()
    {}

    public static void main(String[] arguments)
    {
        Arguments parsed;
        List<Benchmark> chosen;
        try {
            parsed = Arguments.parse(arguments, ImmutableSet.of("--out", "--work", "--http", "--flight"),
                    ImmutableSet.of("--list", "--quick", "--needs-server"));
            chosen = choose(parsed.positional());
        }
        catch (UsageException e) {
            System.err.println("bench: %s (see bench --help)".formatted(e.getMessage()));
            System.exit(2);
            return;
        }
        PrintStream out = new PrintStream(System.out, true, UTF_8);
        if (parsed.has("--list")) {
            chosen.forEach(benchmark -> out.println("%-12s %s".formatted(benchmark.name(), benchmark.description())));
            return;
        }
        if (parsed.has("--needs-server")) {
            out.println(chosen.stream().anyMatch(Benchmark::needsServer));
            return;
        }
        try {
            Optional<BenchContext.Server> server = parsed.value("--http").map(http -> new BenchContext.Server(http, parsed.required("--flight")));
            run(chosen, parsed.has("--quick"), Path.of(parsed.required("--work")), Path.of(parsed.required("--out")), server, out);
        }
        catch (UsageException e) {
            System.err.println("bench: %s (see bench --help)".formatted(e.getMessage()));
            System.exit(2);
        }
        catch (Exception e) {
            System.err.println("bench: FAILED");
            e.printStackTrace();
            System.exit(1);
        }
        // client threads of some libraries would keep the process
        System.exit(0);
    }

    /** @param names none = all */
    static List<Benchmark> choose(List<String> names)
    {
        if (names.isEmpty()) {
            return BENCHMARKS;
        }
        return names.stream()
                .map(name -> BENCHMARKS.stream().filter(benchmark -> benchmark.name().equals(name)).findFirst()
                        .orElseThrow(() -> new UsageException("there is no benchmark " + name)))
                .distinct()
                .toList();
    }

    /** Runs one after the other. The results so far are kept when a later one fails. */
    static void run(List<Benchmark> benchmarks, boolean quick, Path work, Path results, Optional<BenchContext.Server> server, PrintStream out)
            throws Exception
    {
        Files.createDirectories(work);
        for (Benchmark benchmark : benchmarks) {
            Path directory = Files.createTempDirectory(work, benchmark.name());
            try {
                double load = Report.load();
                Progress progress = new Progress(line -> System.err.println("  %s: %s".formatted(benchmark.name(), line)));
                List<Measurement> measurements = benchmark.run(new BenchContext(quick, directory, server, progress));
                Report.write(results.resolve(benchmark.name() + ".json"), benchmark.name(), quick, load, measurements);
                Report.print(out, benchmark.name(), measurements);
            }
            finally {
                MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        }
    }
}
