package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.tools.TrinoConnection;
import io.paimon.realtime.tools.bench.Measurement.Aim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Queries on a table of which half is on disk and half in memory, beside the sum of the times on a table of only the one half and one of only the other. */
final class UnionBenchmark implements Benchmark
{
    private static final List<String> QUERIES = List.of("count", "sum", "filter", "group");

    @Override
    public String name()
    {
        return "union";
    }

    @Override
    public String description()
    {
        return "queries on half disk, half memory, beside the sum of both alone";
    }

    @Override
    public boolean needsServer()
    {
        return true;
    }

    @Override
    public List<Measurement> run(BenchContext context) throws Exception
    {
        try (TrinoConnection trino = context.connect()) {
            try {
                context.progress().step("loading lineitem");
                Lineitem.generate(trino, context.quick() ? "tiny" : "sf1");
                long last = trino.number("SELECT max(orderkey) FROM " + Lineitem.MEMORY);
                long half = last / 2;
                for (String table : List.of("half_disk", "half_memory", "union_both")) {
                    Lineitem.create(trino, table);
                }
                for (String table : List.of("half_disk", "union_both")) {
                    Lineitem.append(trino, table, 1, half);
                    trino.execute("CALL paimon.system.flush(schema_name => 'bench', table_name => '%s')".formatted(table));
                    Lineitem.checkMemory(trino, table, 0);
                }
                Lineitem.append(trino, "half_memory", half + 1, last);
                Lineitem.append(trino, "union_both", half + 1, last);
                long inMemory = trino.number("SELECT count(*) FROM %s WHERE orderkey > %s".formatted(Lineitem.MEMORY, half));
                Lineitem.warmUp(context, trino, QUERIES.stream().map(Lineitem.QUERIES::get).toList(),
                        List.of("paimon.bench.union_both", "paimon.bench.half_disk", "paimon.bench.half_memory"));
                List<Measurement> measurements = new ArrayList<>();
                for (String name : QUERIES) {
                    Lineitem.checkMemory(trino, "half_memory", inMemory);
                    Lineitem.checkMemory(trino, "union_both", inMemory);
                    measurements.add(measure(context, trino, name, Lineitem.QUERIES.get(name)));
                }
                return measurements;
            }
            finally {
                for (String table : List.of("half_disk", "half_memory", "union_both")) {
                    trino.execute("DROP TABLE IF EXISTS paimon.bench." + table);
                }
                trino.execute("DROP TABLE IF EXISTS " + Lineitem.MEMORY);
            }
        }
    }

    private static Measurement measure(BenchContext context, TrinoConnection trino, String name, String query) throws Exception
    {
        context.progress().step("%s: %s", name, query.formatted("lineitem"));
        Lineitem.checkSame(trino, query, "paimon.bench.union_both", Lineitem.MEMORY);
        Map<String, Samples> samples = Samples.interleaved(context.scale(2, 0), context.scale(11, 1), ImmutableMap.of(
                "union", () -> Lineitem.time(trino, query, "paimon.bench.union_both"),
                "sum", () -> Lineitem.time(trino, query, "paimon.bench.half_disk") + Lineitem.time(trino, query, "paimon.bench.half_memory")));
        return Measurement.of(name, samples.get("union"), "ms").against("half on disk alone + half in memory alone", samples.get("sum"))
                .withAim(Aim.ratioAtMost(1.10));
    }
}
