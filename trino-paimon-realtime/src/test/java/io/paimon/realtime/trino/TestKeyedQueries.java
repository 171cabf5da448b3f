package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.junit.jupiter.api.Test;

/** Primary-key tables in real time through SQL, on one coordinator and two workers: a row that is written is what the next query shows for its key. */
final class TestKeyedQueries extends AbstractQueryTest
{
    private DistributedQueryRunner runner;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        runner = PaimonQueryRunner.builder()
                .setWorkerCount(2)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", data.toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        runner.execute("CREATE SCHEMA paimon.tpch");
        return runner;
    }

    private Session committed()
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "realtime_read_mode", "COMMITTED").build();
    }

    private void flush(String table)
    {
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => '%s')".formatted(table));
    }

    @Test
    void upsertsAreWhatTheNextQueryShows()
    {
        for (String definition : List.of("bucket = 1", "bucket = 3, bucket_key = ARRAY['orderkey']", "bucket = 2, file_format = 'orc'",
                "bucket = 2, file_format = 'avro'")) {
            assertUpdate(
                    "CREATE TABLE upserts (orderkey bigint, orderstatus varchar, totalprice double, comment varchar) WITH (realtime = true, primary_key = ARRAY['orderkey'], %s)"
                            .formatted(definition));
            assertUpdate("INSERT INTO upserts SELECT orderkey, orderstatus, totalprice, comment FROM tpch.tiny.orders", 15_000);
            assertQuery("SELECT * FROM upserts", "SELECT orderkey, orderstatus, totalprice, comment FROM orders");
            assertThat(computeActual(committed(), "SELECT * FROM upserts").getRowCount()).isZero();
            flush("upserts");
            assertQuery(committed(), "SELECT * FROM upserts", "SELECT orderkey, orderstatus, totalprice, comment FROM orders");

            assertUpdate("INSERT INTO upserts SELECT orderkey, 'X', -1, comment FROM tpch.tiny.orders WHERE orderkey % 10 = 0",
                    "SELECT count(*) FROM orders WHERE orderkey % 10 = 0");
            assertUpdate("INSERT INTO upserts SELECT orderkey, 'Y', -2, comment FROM tpch.tiny.orders WHERE orderkey % 20 = 0",
                    "SELECT count(*) FROM orders WHERE orderkey % 20 = 0");
            String expected = "SELECT orderkey, CASE WHEN orderkey % 20 = 0 THEN 'Y' WHEN orderkey % 10 = 0 THEN 'X' ELSE orderstatus END, "
                    + "CASE WHEN orderkey % 20 = 0 THEN -2 WHEN orderkey % 10 = 0 THEN -1 ELSE totalprice END, comment FROM orders";
            assertQuery("SELECT * FROM upserts", expected);
            assertQuery("SELECT count(*) FROM upserts", "SELECT count(*) FROM orders");
            // a value of an older version must not bring it back
            assertQuery("SELECT count(*) FROM upserts WHERE orderstatus = 'F'",
                    "SELECT count(*) FROM orders WHERE orderstatus = 'F' AND orderkey % 10 <> 0");
            assertQuery("SELECT orderstatus, totalprice FROM upserts WHERE orderkey = 100", "VALUES ('Y', -2)");
            assertQuery("SELECT comment FROM upserts WHERE orderkey IN (70, 100, 1, 2)",
                    "SELECT comment FROM orders WHERE orderkey IN (70, 100, 1, 2)");
            assertQuery("SELECT orderkey FROM upserts ORDER BY totalprice, orderkey LIMIT 3",
                    "SELECT orderkey FROM orders WHERE orderkey % 20 = 0 ORDER BY orderkey LIMIT 3");
            assertThat(computeActual("SELECT * FROM upserts LIMIT 7").getRowCount()).isEqualTo(7);
            assertQuery(
                    "SELECT count(*) FROM upserts u JOIN tpch.tiny.orders o ON u.orderkey = o.orderkey WHERE o.orderpriority = '1-URGENT' AND u.orderstatus = 'X'",
                    "SELECT count(*) FROM orders WHERE orderpriority = '1-URGENT' AND orderkey % 10 = 0 AND orderkey % 20 <> 0");
            flush("upserts");
            assertQuery("SELECT * FROM upserts", expected);
            assertQuery(committed(), "SELECT * FROM upserts", expected);
            new RealtimeInternals(runner, "paimon").assertReleased();
            assertUpdate("DROP TABLE upserts");
        }
    }

    @Test
    void kindsOfRowsFromAProgram()
    {
        assertUpdate("CREATE TABLE kinds (id bigint, name varchar) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 2)");
        append("kinds", List.of("+I", "+I", "+I"), 1, 2, 3);
        flush("kinds");
        append("kinds", List.of("-D", "+U", "-D", "+I", "-D"), 1, 2, 4, 5, 5);
        assertQuery("SELECT id FROM kinds", "VALUES 2, 3");
        assertQuery("SELECT count(*) FROM kinds", "SELECT 2");
        append("kinds", List.of("+I"), 1);
        assertQuery("SELECT id FROM kinds", "VALUES 1, 2, 3");
        flush("kinds");
        assertQuery(committed(), "SELECT id FROM kinds", "VALUES 1, 2, 3");
        assertUpdate("DROP TABLE kinds");
    }

    @Test
    void mergeEngines()
    {
        assertUpdate(
                "CREATE TABLE partial (id bigint, a varchar, b bigint) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1, merge_engine = 'partial-update')");
        assertUpdate("INSERT INTO partial VALUES (1, 'disk', NULL), (2, NULL, 20)", 2);
        flush("partial");
        assertUpdate("INSERT INTO partial VALUES (1, NULL, 10), (2, 'memory', NULL), (3, 'new', NULL)", 3);
        assertUpdate("INSERT INTO partial VALUES (3, NULL, 30)", 1);
        assertStable("partial", "SELECT * FROM partial", "VALUES (1, 'disk', 10), (2, 'memory', 20), (3, 'new', 30)");

        assertUpdate(
                "CREATE TABLE sums (id bigint, total bigint, most bigint) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1, merge_engine = 'aggregation', "
                        + "extra_properties = MAP(ARRAY['fields.total.aggregate-function', 'fields.most.aggregate-function'], ARRAY['sum', 'max']))");
        assertUpdate("INSERT INTO sums VALUES (1, 1, 1), (2, 2, 2)", 2);
        flush("sums");
        assertUpdate("INSERT INTO sums VALUES (1, 10, 0), (3, 3, 3)", 2);
        assertUpdate("INSERT INTO sums VALUES (1, 100, 5), (3, 30, 1)", 2);
        assertStable("sums", "SELECT * FROM sums", "VALUES (1, 111, 5), (2, 2, 2), (3, 33, 3)");

        assertUpdate(
                "CREATE TABLE first (id bigint, a varchar) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1, merge_engine = 'first-row')");
        assertUpdate("INSERT INTO first VALUES (1, 'disk')", 1);
        flush("first");
        assertUpdate("INSERT INTO first VALUES (1, 'later'), (2, 'memory')", 2);
        assertUpdate("INSERT INTO first VALUES (2, 'later')", 1);
        // what is flushed and not compacted yet stays visible
        assertStable("first", "SELECT * FROM first", "VALUES (1, 'disk'), (2, 'memory')");

        assertUpdate(
                "CREATE TABLE newest (id bigint, at bigint, a varchar) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1, sequence_field = ARRAY['at'])");
        assertUpdate("INSERT INTO newest VALUES (1, 5, 'five'), (2, 5, 'five')", 2);
        flush("newest");
        assertUpdate("INSERT INTO newest VALUES (1, 4, 'four'), (2, 6, 'six'), (3, 9, 'nine')", 3);
        assertUpdate("INSERT INTO newest VALUES (3, 8, 'eight'), (2, 6, 'six again')", 2);
        assertStable("newest", "SELECT * FROM newest", "VALUES (1, 5, 'five'), (2, 6, 'six again'), (3, 9, 'nine')");
    }

    /** The same answer before and after the rows have gone to disk. */
    private void assertStable(String table, String query, String expected)
    {
        assertQuery(query, expected);
        flush(table);
        assertQuery(query, expected);
        assertUpdate("DROP TABLE " + table);
    }

    @Test
    void deletionVectorsShowWhatIsNotCompacted()
    {
        assertUpdate(
                "CREATE TABLE vectors (id bigint, a varchar) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1, deletion_vectors_enabled = true)");
        assertUpdate("INSERT INTO vectors VALUES (1, 'one'), (2, 'two')", 2);
        flush("vectors");
        assertQuery("SELECT * FROM vectors", "VALUES (1, 'one'), (2, 'two')");
        assertThat(computeActual(committed(), "SELECT * FROM vectors").getRowCount()).as("before a compaction").isZero();
        assertUpdate("INSERT INTO vectors VALUES (1, 'uno')", 1);
        assertQuery("SELECT * FROM vectors", "VALUES (1, 'uno'), (2, 'two')");
        assertUpdate("DROP TABLE vectors");
    }

    @Test
    void onlyWhatMemoryTouchesIsMerged()
    {
        assertUpdate(
                "CREATE TABLE touched (id bigint, part bigint, v varchar, n bigint) WITH (realtime = true, primary_key = ARRAY['id', 'part'], partitioned_by = ARRAY['part'], bucket = 1, "
                        + "merge_engine = 'partial-update')");
        assertUpdate("INSERT INTO touched SELECT orderkey, orderkey % 4, comment, NULL FROM tpch.tiny.orders", 15_000);
        flush("touched");
        assertUpdate("INSERT INTO touched VALUES (1, 1, NULL, 7)", 1);
        String plan = (String) computeScalar("EXPLAIN ANALYZE VERBOSE SELECT id, v FROM touched");
        assertThat(plan).containsPattern("Rows merged of disk and memory'? = LongCount\\{total=[0-9]+\\}")
                .containsPattern("Rows from disk, by Trino's readers'? = LongCount");
        assertThat((String) computeScalar("EXPLAIN ANALYZE VERBOSE SELECT id, v FROM touched WHERE part = 2")).doesNotContain("Rows merged");
        assertQuery("SELECT v, n FROM touched WHERE id = 1", "SELECT comment, 7 FROM orders WHERE orderkey = 1");
        assertQuery("SELECT \"$partition\", count(*) FROM touched WHERE part = 1 GROUP BY 1",
                "SELECT 'part=1', count(*) FROM orders WHERE orderkey % 4 = 1");
        assertUpdate("DROP TABLE touched");
    }

    @Test
    void rowsOfFilesThatMemoryReplacesAreLeftOutByColumns()
    {
        for (String format : List.of("parquet", "orc")) {
            List<String> keys = format.equals("orc")
                    ? List.of("varchar", "bigint")
                    : List.of("bigint", "varchar", "decimal(30, 2)", "date", "timestamp(6)", "char(9)", "double");
            for (String key : keys) {
                assertUpdate(
                        "CREATE TABLE replaced (v varchar, id %s, n bigint) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1, file_format = '%s')"
                                .formatted(key, format));
                String id = switch (key) {
                    case "date" -> "date_add('day', orderkey, DATE '1960-01-01')";
                    case "timestamp(6)" -> "date_add('second', orderkey, TIMESTAMP '1969-12-31 23:00:00.123456')";
                    case "varchar", "char(9)" -> "CAST(CAST(orderkey AS varchar) AS %s)".formatted(key);
                    default -> "CAST(orderkey - 5000 AS %s)".formatted(key);
                };
                assertUpdate("INSERT INTO replaced SELECT clerk, %s, orderkey FROM tpch.tiny.orders WHERE orderkey < 10000".formatted(id),
                        "SELECT count(*) FROM orders WHERE orderkey < 10000");
                flush("replaced");
                assertUpdate(
                        "INSERT INTO replaced SELECT 'memory', %s, orderkey FROM tpch.tiny.orders WHERE orderkey %% 7 = 0 AND orderkey < 20000"
                                .formatted(id),
                        "SELECT count(*) FROM orders WHERE orderkey % 7 = 0 AND orderkey < 20000");
                String expected = "SELECT CASE WHEN orderkey % 7 = 0 THEN 'memory' ELSE clerk END v, orderkey n FROM orders WHERE orderkey < 10000 OR (orderkey % 7 = 0 AND orderkey < 20000)";
                assertQuery("SELECT v, n FROM replaced", expected);
                assertQuery("SELECT count(*) FROM replaced", "SELECT count(*) FROM (%s)".formatted(expected));
                assertQuery("SELECT n FROM replaced WHERE v = 'memory' AND n > 5000",
                        "SELECT n FROM (%s) WHERE v = 'memory' AND n > 5000".formatted(expected));
                assertQuery("SELECT v, count(*) FROM replaced WHERE n < 1000 GROUP BY v",
                        "SELECT v, count(*) FROM (%s) WHERE n < 1000 GROUP BY v".formatted(expected));
                assertThat(computeActual("SELECT n FROM replaced LIMIT 100").getRowCount()).isEqualTo(100);
                String plan = (String) computeScalar("EXPLAIN ANALYZE VERBOSE SELECT v, n FROM replaced");
                if (key.equals("char(9)") || key.equals("double")) {
                    assertThat(plan).contains("Rows merged of disk and memory");
                }
                else {
                    assertThat(plan).contains("Rows from disk, by").doesNotContain("Rows merged");
                }
                assertUpdate("DROP TABLE replaced");
            }
        }
    }

    @Test
    void fieldsOfRows()
    {
        assertUpdate("CREATE TABLE nested (id bigint, r row(a bigint, b varchar)) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1)");
        assertUpdate("INSERT INTO nested VALUES (1, ROW(1, 'disk')), (2, ROW(2, 'disk'))", 2);
        flush("nested");
        assertUpdate("INSERT INTO nested VALUES (1, ROW(10, 'memory')), (3, ROW(3, NULL))", 2);
        assertQuery("SELECT r.b FROM nested", "VALUES 'memory', 'disk', NULL");
        assertQuery("SELECT r.a, id FROM nested WHERE r.b = 'memory'", "VALUES (10, 1)");
        assertUpdate("DROP TABLE nested");
    }

    @Test
    void whatAKeyCannotBe()
    {
        assertUpdate("CREATE TABLE refused (id bigint, a varchar) WITH (realtime = true, primary_key = ARRAY['id'], bucket = 1)");
        assertQueryFails("INSERT INTO refused VALUES (NULL, 'a')", "(?s).*NULL.*id.*");
        assertQueryFails("CREATE TABLE none (id bigint) WITH (realtime = true, primary_key = ARRAY['id'])", ".*needs bucket >= 1.*");
        assertUpdate("DROP TABLE refused");
    }

    private void append(String table, List<String> kinds, long... ids)
    {
        EmbeddedRealtimeService service = new RealtimeInternals(runner, "paimon").service();
        try (BufferAllocator allocator = new RootAllocator();
                BigIntVector keys = new BigIntVector("id", allocator);
                VarCharVector rowKinds = new VarCharVector("_row_kind", allocator)) {
            for (int i = 0; i < ids.length; i++) {
                keys.setSafe(i, ids[i]);
                rowKinds.setSafe(i, kinds.get(i).getBytes(StandardCharsets.UTF_8));
            }
            keys.setValueCount(ids.length);
            rowKinds.setValueCount(ids.length);
            service.append(Identifier.create("tpch", table), new VectorSchemaRoot(List.<FieldVector>of(keys, rowKinds)));
        }
    }
}
