package io.paimon.realtime.tools.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Results as a table and as a file. */
final class Report
{
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Report()
    {}

    /** Load average of the last minute; -1 where the system does not tell. */
    static double load()
    {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    static void write(Path file, String name, boolean quick, double loadBefore, List<Measurement> measurements) throws IOException
    {
        ObjectNode root = MAPPER.createObjectNode()
                .put("benchmark", name)
                .put("time", Instant.now().toString())
                .put("quick", quick);
        root.putObject("machine")
                .put("cores", Runtime.getRuntime().availableProcessors())
                .put("java", Runtime.version().toString())
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .put("load_before", loadBefore)
                .put("load_after", load());
        ArrayNode results = root.putArray("results");
        for (Measurement measurement : measurements) {
            Samples samples = measurement.samples();
            ObjectNode node = results.addObject()
                    .put("metric", measurement.metric())
                    .put("value", measurement.value())
                    .put("unit", measurement.unit());
            measurement.baseline().ifPresentOrElse(baseline -> node.put("baseline", baseline.samples().median()), () -> node.putNull("baseline"));
            measurement.ratio().ifPresentOrElse(ratio -> node.put("ratio", ratio), () -> node.putNull("ratio"));
            measurement.baseline().ifPresent(baseline -> node.put("baseline_name", baseline.name()));
            measurement.aim().ifPresent(aim -> node.put("aim", describe(aim)).put("met", measurement.met().orElseThrow()));
            node.put("samples", samples.count()).put("min", samples.min()).put("max", samples.max());
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
    }

    static void print(PrintStream out, String name, List<Measurement> measurements)
    {
        out.println();
        out.println("%-36s %12s %-10s %23s %12s %7s  %s".formatted(name, "value", "unit", "min .. max", "baseline", "ratio", "aim"));
        for (Measurement measurement : measurements) {
            Samples samples = measurement.samples();
            out.println("%-36s %12s %-10s %23s %12s %7s  %s".formatted(
                    measurement.metric(),
                    number(measurement.value()),
                    measurement.unit(),
                    samples.count() == 1 ? "" : number(samples.min()) + " .. " + number(samples.max()),
                    measurement.baseline().map(baseline -> number(baseline.samples().median())).orElse(""),
                    measurement.ratio().isPresent() ? String.format(Locale.ROOT, "%.2f", measurement.ratio().getAsDouble()) : "",
                    measurement.aim().map(aim -> describe(aim) + (measurement.met().orElseThrow() ? ", met" : ", MISSED")).orElse(""))
                    .stripTrailing());
        }
        measurements.stream().flatMap(measurement -> measurement.baseline().stream()).map(Measurement.Baseline::name).distinct()
                .forEach(baseline -> out.println("  baseline: " + baseline));
    }

    private static String describe(Measurement.Aim aim)
    {
        return (aim.ofRatio() ? "ratio " : "") + (aim.atLeast() ? ">= " : "<= ") + number(aim.bound());
    }

    private static String number(double value)
    {
        if (Math.abs(value) >= 1_000) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
