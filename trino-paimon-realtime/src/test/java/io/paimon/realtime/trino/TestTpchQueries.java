package io.paimon.realtime.trino;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.Resources;
import io.trino.Session;
import io.trino.testing.MaterializedResult;
import io.trino.testing.DistributedQueryRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The 22 queries of TPC-H give the same rows on tables of Paimon as on the tpch connector, whose names and queries are those of the specification; {@code -Dtest.tpch.schema=sf1}
 * for more rows than the default.
 */
@Execution(ExecutionMode.SAME_THREAD)
final class TestTpchQueries extends AbstractQueryTest
{
    private static final String SCHEMA = System.getProperty("test.tpch.schema", "tiny");
    /** Tables with their keys. */
    private static final Map<String, List<String>> TABLES = Map.of(
            "region", List.of("r_regionkey"),
            "nation", List.of("n_nationkey"),
            "part", List.of("p_partkey"),
            "supplier", List.of("s_suppkey"),
            "partsupp", List.of("ps_partkey", "ps_suppkey"),
            "customer", List.of("c_custkey"),
            "orders", List.of("o_orderkey"),
            "lineitem", List.of("l_orderkey", "l_linenumber"));

    private final Map<Integer, MaterializedResult> expected = new LinkedHashMap<>();

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", Files.createTempDirectory("realtime").toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.createCatalog("standard", "tpch", Map.of("tpch.column-naming", "STANDARD", "tpch.double-type-mapping", "DECIMAL"));
        return queryRunner;
    }

    private Session session(String catalog, String schema)
    {
        return Session.builder(getSession()).setCatalog(catalog).setSchema(schema).build();
    }

    private static String query(int number)
    {
        try {
            String sql = Resources.toString(Resources.getResource("io/trino/tpch/queries/q%s.sql".formatted(number)), UTF_8).strip();
            sql = sql.endsWith(";") ? sql.substring(0, sql.length() - 1) : sql;
            // the specification allows for a view that is defined in the query
            return sql.replaceFirst("(?s)CREATE OR REPLACE VIEW (\\w+) AS(.*);\\s*SELECT", "WITH $1 AS ($2) SELECT");
        }
        catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeAll
    void expectedRows()
    {
        for (int number = 1; number <= 22; number++) {
            expected.put(number, computeActual(session("standard", SCHEMA), query(number)));
        }
        // q2 and others ask for what tiny data does not have; most must have rows, or nothing is shown
        assertThat(expected.values().stream().filter(result -> result.getRowCount() > 0).count()).isGreaterThan(17);
    }

    private void assertQueries(String schema)
    {
        expected.forEach((number, rows) -> assertThat(computeActual(session("paimon", schema), query(number)).getMaterializedRows())
                .describedAs("query %s on %s", number, schema)
                .containsExactlyInAnyOrderElementsOf(rows.getMaterializedRows()));
    }

    @Test
    void keysInSeveralVersions()
    {
        assertUpdate("CREATE SCHEMA paimon.keyed");
        for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
            String columns = "'" + String.join("', '", table.getValue()) + "'";
            // the first version of some rows is another
            assertUpdate("CREATE TABLE paimon.keyed.%s (LIKE standard.%s.%s) WITH (primary_key = ARRAY[%s], bucket = 2)".formatted(table.getKey(),
                    SCHEMA, table.getKey(), columns));
            String key = table.getValue().getFirst();
            computeActual(
                    "INSERT INTO paimon.keyed.%1$s SELECT * FROM standard.%2$s.%1$s WHERE %3$s %% 3 = 0".formatted(table.getKey(), SCHEMA, key));
            computeActual(
                    "INSERT INTO paimon.keyed.%1$s SELECT * FROM standard.%2$s.%1$s WHERE %3$s %% 3 <> 1".formatted(table.getKey(), SCHEMA, key));
            computeActual(
                    "INSERT INTO paimon.keyed.%1$s SELECT * FROM standard.%2$s.%1$s WHERE %3$s %% 3 = 1".formatted(table.getKey(), SCHEMA, key));
        }
        assertQueries("keyed");
    }

    @Test
    void halfOnDiskAndHalfInMemory()
    {
        assertUpdate("CREATE SCHEMA paimon.live");
        for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
            String key = table.getValue().getFirst();
            assertUpdate(
                    "CREATE TABLE paimon.live.%s (LIKE standard.%s.%s) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['%s'], file_format = 'orc')"
                            .formatted(table.getKey(), SCHEMA, table.getKey(), key));
            computeActual("INSERT INTO paimon.live.%1$s SELECT * FROM standard.%2$s.%1$s WHERE %3$s %% 2 = 0".formatted(table.getKey(), SCHEMA, key));
        }
        assertUpdate("CALL paimon.system.flush()");
        TABLES.keySet().forEach(table -> computeActual("ANALYZE paimon.live." + table));
        for (Map.Entry<String, List<String>> table : TABLES.entrySet()) {
            computeActual("INSERT INTO paimon.live.%1$s SELECT * FROM standard.%2$s.%1$s WHERE %3$s %% 2 = 1"
                    .formatted(table.getKey(), SCHEMA, table.getValue().getFirst()));
        }
        assertQueries("live");
    }
}
