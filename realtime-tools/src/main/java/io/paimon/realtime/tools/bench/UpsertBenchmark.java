package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.tools.TrinoConnection;
import io.paimon.realtime.tools.bench.Measurement.Aim;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Queries on a primary-key table of three million rows in files and some upserts in memory, beside the same rows without upserts to merge, the same upserts in files that are not compacted, and Trino's
 * Iceberg connector.
 */
final class UpsertBenchmark implements Benchmark
{
    private static final String SOURCE = "memory.default.upsert_rows";
    private static final String UNION = "paimon.bench.upserts";
    private static final String FLUSHED = "paimon.bench.upserts_flushed";
    private static final String MERGED = "paimon.bench.upserts_merged";
    private static final String ICEBERG = "iceberg.bench.upserts";
    private static final List<Integer> UPSERTS = List.of(0, 1_000, 100_000, 1_000_000);
    private static final String DEFINITION = "(id bigint, a integer, b double, c varchar, d timestamp(6)) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 2)";

    @Override
    public String name()
    {
        return "upserts";
    }

    @Override
    public String description()
    {
        return "queries on a primary-key table with upserts in memory, beside the same rows merged, flushed, and in Iceberg";
    }

    @Override
    public boolean needsServer()
    {
        return true;
    }

    @Override
    public List<Measurement> run(BenchContext context) throws Exception
    {
        long rows = context.quick() ? 60_000 : 3_000_000;
        Map<String, String> queries = ImmutableMap.of(
                "scan", "SELECT count(*), sum(a), sum(b), max(c), max(d) FROM %s",
                "group", "SELECT a %% 100, count(*), sum(b) FROM %s GROUP BY 1 ORDER BY 1",
                "range", "SELECT count(*), sum(b), max(c) FROM %%s WHERE id BETWEEN %s AND %s".formatted(rows / 2, rows / 2 + rows / 100),
                "point", "SELECT a, b, c, d FROM %%s WHERE id = %s".formatted(rows / 2));
        try (TrinoConnection trino = context.connect()) {
            // a server without peers has none
            boolean iceberg = trino.query("SHOW CATALOGS").contains(List.<Object>of("iceberg"));
            try {
                return run(context, trino, rows, queries, iceberg);
            }
            finally {
                for (String table : List.of(UNION, FLUSHED, MERGED, SOURCE)) {
                    trino.execute("DROP TABLE IF EXISTS " + table);
                }
                if (iceberg) {
                    trino.execute("DROP TABLE IF EXISTS " + ICEBERG);
                }
            }
        }
    }

    private static List<Measurement> run(BenchContext context, TrinoConnection trino, long rows, Map<String, String> queries, boolean iceberg)
            throws Exception
    {
        context.progress().step("loading %,d rows", rows);
        trino.execute("CREATE SCHEMA IF NOT EXISTS paimon.bench");
        if (iceberg) {
            trino.execute("CREATE SCHEMA IF NOT EXISTS iceberg.bench");
        }
        // a sequence has 10,000 numbers at the most
        trino.execute(
                ("CREATE TABLE %s AS SELECT (x - 1) * %s + y - 1 id, CAST((x * 31 + y) %% 1000 AS integer) a, x / 7e0 + y b, 'row ' || CAST(y %% 5000 AS varchar) c, "
                        + "date_add('second', x * 100 + y, TIMESTAMP '2024-01-01 00:00:00.000000') d FROM UNNEST(sequence(1, %s)) t(x) CROSS JOIN UNNEST(sequence(1, %s)) u(y)")
                        .formatted(SOURCE, rows / 300, 300, rows / 300));
        for (String table : List.of(UNION, FLUSHED)) {
            trino.execute("CREATE TABLE " + table + " " + DEFINITION);
            trino.execute("INSERT INTO %s SELECT * FROM %s".formatted(table, SOURCE));
            flush(trino, table);
        }
        List<Measurement> measurements = new ArrayList<>();
        long before = 0;
        for (int upserts : UPSERTS) {
            long count = context.quick() ? upserts / 50 : upserts;
            if (count > before) {
                long step = rows / count;
                for (String table : List.of(UNION, FLUSHED)) {
                    trino.execute("INSERT INTO %s SELECT id, a + 1000, -b, c || '*', d FROM %s WHERE id %% %s = 0 AND id / %s < %s".formatted(table,
                            SOURCE, step, step, count));
                }
                flush(trino, FLUSHED);
                Lineitem.checkMemory(trino, "upserts", before + count);
                before += count;
            }
            String merged = "SELECT * FROM " + UNION;
            trino.execute("DROP TABLE IF EXISTS " + MERGED);
            trino.execute("CREATE TABLE " + MERGED + " " + DEFINITION);
            trino.execute("INSERT INTO %s %s".formatted(MERGED, merged));
            flush(trino, MERGED);
            if (iceberg) {
                trino.execute("DROP TABLE IF EXISTS " + ICEBERG);
                trino.execute("CREATE TABLE %s AS %s".formatted(ICEBERG, merged));
            }
            if (upserts == 0) {
                Lineitem.warmUp(context, trino, queries.values(), iceberg ? List.of(UNION, MERGED, ICEBERG) : List.of(UNION, MERGED));
            }
            for (Map.Entry<String, String> query : queries.entrySet()) {
                measurements
                        .addAll(measure(context, trino, "%s, %,d upserts".formatted(query.getKey(), upserts), query.getValue(), upserts, iceberg));
            }
        }
        return measurements;
    }

    private static void flush(TrinoConnection trino, String table) throws SQLException
    {
        trino.execute("CALL paimon.system.flush(schema_name => 'bench', table_name => '%s')".formatted(table.substring(table.lastIndexOf('.') + 1)));
    }

    private static List<Measurement> measure(BenchContext context, TrinoConnection trino, String name, String query, int upserts, boolean iceberg)
            throws Exception
    {
        context.progress().step("%s", name);
        Map<String, String> tables = new LinkedHashMap<>(ImmutableMap.of("union", UNION, "merged", MERGED, "flushed", FLUSHED));
        if (iceberg) {
            tables.put("iceberg", ICEBERG);
        }
        for (String table : tables.values()) {
            Lineitem.checkSame(trino, query, UNION, table);
        }
        Map<String, Samples.Contestant> contestants = new LinkedHashMap<>();
        tables.forEach((contestant, table) -> contestants.put(contestant, () -> Lineitem.time(trino, query, table)));
        Map<String, Samples> samples = Samples.interleaved(context.scale(2, 0), context.scale(9, 1), contestants);
        Measurement beside = Measurement.of(name, samples.get("union"), "ms").against("the same rows without upserts to merge",
                samples.get("merged"));
        boolean aimed = upserts == 100_000 && !name.startsWith("point");
        List<Measurement> measurements = new ArrayList<>(List.of(aimed ? beside.withAim(Aim.ratioAtMost(1.3)) : beside,
                Measurement.of(name + ", flushed", samples.get("union"), "ms").against("the upserts in files, merged on read",
                        samples.get("flushed"))));
        if (iceberg) {
            measurements.add(
                    Measurement.of(name + ", Iceberg", samples.get("union"), "ms").against("Trino's Iceberg connector on the merged rows",
                            samples.get("iceberg")));
        }
        return measurements;
    }
}
