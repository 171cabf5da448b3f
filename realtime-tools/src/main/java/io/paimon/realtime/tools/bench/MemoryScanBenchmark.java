package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.tools.TrinoConnection;
import io.paimon.realtime.tools.bench.Measurement.Aim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Queries on lineitem in the writer's memory, beside the same in Trino's memory connector; milliseconds at the client. */
final class MemoryScanBenchmark implements Benchmark
{
    private static final String TABLE = "lineitem_memory";

    @Override
    public String name()
    {
        return "memory-scan";
    }

    @Override
    public String description()
    {
        return "queries on TPC-H lineitem in the writer's memory, beside Trino's memory connector";
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
            context.progress().step("loading lineitem");
            try {
                Lineitem.generate(trino, context.quick() ? "tiny" : "sf1");
                Lineitem.create(trino, TABLE);
                Lineitem.append(trino, TABLE, 1, trino.number("SELECT max(orderkey) FROM " + Lineitem.MEMORY));
                Lineitem.checkMemory(trino, TABLE, trino.number("SELECT count(*) FROM " + Lineitem.MEMORY));
                Lineitem.warmUp(context, trino, Lineitem.QUERIES.values(), List.of("paimon.bench." + TABLE, Lineitem.MEMORY));
                List<Measurement> measurements = new ArrayList<>();
                for (Map.Entry<String, String> query : Lineitem.QUERIES.entrySet()) {
                    measurements.add(measure(context, trino, query.getKey(), query.getValue()));
                }
                Lineitem.checkMemory(trino, TABLE, trino.number("SELECT count(*) FROM " + Lineitem.MEMORY));
                return measurements;
            }
            finally {
                trino.execute("DROP TABLE IF EXISTS paimon.bench." + TABLE);
                trino.execute("DROP TABLE IF EXISTS " + Lineitem.MEMORY);
            }
        }
    }

    private static Measurement measure(BenchContext context, TrinoConnection trino, String name, String query) throws Exception
    {
        context.progress().step("%s: %s", name, query.formatted("lineitem"));
        String table = "paimon.bench." + TABLE;
        Lineitem.checkSame(trino, query, table, Lineitem.MEMORY);
        Map<String, Samples> samples = Samples.interleaved(context.scale(2, 0), context.scale(15, 1), ImmutableMap.of(
                "realtime", () -> Lineitem.time(trino, query, table),
                "memory", () -> Lineitem.time(trino, query, Lineitem.MEMORY)));
        return Measurement.of(name, samples.get("realtime"), "ms").against("Trino's memory connector", samples.get("memory"))
                .withAim(Aim.ratioAtMost(1.2));
    }
}
