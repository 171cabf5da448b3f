package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

/** What the optimizer is told of tables: from manifests, from ANALYZE, and with rows in memory. */
final class TestTableStatistics extends AbstractQueryTest
{
    private RealtimeInternals internals;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(0)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", Files.createTempDirectory("realtime").toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        internals = new RealtimeInternals(queryRunner, "paimon");
        return queryRunner;
    }

    private FileStoreTable table(String name)
    {
        return (FileStoreTable) internals.catalog().load(new Identifier("tpch", name)).orElseThrow();
    }

    /** Size, distinct values, fraction of NULLs, rows, lowest and highest value of a column, or of the table where the column is null. */
    private List<Object> statistics(String relation, String column)
    {
        return computeActual("SHOW STATS FOR " + relation).getMaterializedRows().stream()
                .map(MaterializedRow::getFields)
                .filter(row -> column == null ? row.getFirst() == null : column.equals(row.getFirst()))
                .map(row -> row.subList(1, row.size()))
                .findFirst().orElseThrow();
    }

    private static List<Object> row(Object... values)
    {
        return Arrays.asList(values);
    }

    @Test
    void manifestsOfEveryFormat()
    {
        for (String format : List.of("parquet", "orc", "avro")) {
            assertUpdate(
                    "CREATE TABLE formats (id bigint, price decimal(10,2), day date, at timestamp(6), name varchar, flag boolean, r row(x integer)) "
                            + "WITH (file_format = '%s')".formatted(format));
            assertUpdate("INSERT INTO formats VALUES (1, 1.25, DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00', 'a', true, row(1)), "
                    + "(NULL, -3, NULL, NULL, NULL, NULL, NULL)", 2);
            assertUpdate("INSERT INTO formats VALUES (9, 100, DATE '2025-12-31', TIMESTAMP '1969-12-31 23:59:59.5', 'b', false, NULL), "
                    + "(8, NULL, NULL, NULL, NULL, NULL, NULL)", 2);
            assertThat(statistics("formats", null)).isEqualTo(row(null, null, null, 4.0, null, null));
            assertThat(statistics("formats", "id")).isEqualTo(row(null, null, 0.25, null, "1", "9"));
            assertThat(statistics("formats", "price")).isEqualTo(row(null, null, 0.25, null, "-3.0", "100.0"));
            assertThat(statistics("formats", "day")).isEqualTo(row(null, null, 0.5, null, "2024-01-01", "2025-12-31"));
            assertThat(statistics("formats", "name")).isEqualTo(row(null, null, 0.5, null, null, null));
            assertUpdate("DROP TABLE formats");
        }
    }

    @Test
    void partitionsAndFiltersOnThem()
    {
        assertUpdate("CREATE TABLE parts (id bigint, p varchar, d date) WITH (partitioned_by = ARRAY['p', 'd'])");
        assertUpdate(
                "INSERT INTO parts VALUES (1, 'a', DATE '2024-01-01'), (2, 'a', DATE '2024-01-02'), (3, 'b', DATE '2024-01-02'), (4, NULL, NULL)", 4);
        assertThat(statistics("parts", null)).isEqualTo(row(null, null, null, 4.0, null, null));
        assertThat(statistics("parts", "p").subList(1, 3)).isEqualTo(row(2.0, 0.25));
        assertThat(statistics("parts", "d")).isEqualTo(row(null, 2.0, 0.25, null, "2024-01-01", "2024-01-02"));
        assertThat(statistics("(SELECT * FROM parts WHERE p = 'a')", null)).isEqualTo(row(null, null, null, 2.0, null, null));
        assertThat(statistics("(SELECT * FROM parts WHERE p = 'a')", "id").subList(4, 6)).isEqualTo(row("1", "2"));
        assertThat(statistics("(SELECT * FROM parts WHERE d IS NULL)", null)).isEqualTo(row(null, null, null, 1.0, null, null));
        assertUpdate("DROP TABLE parts");
    }

    @Test
    void columnsThatWereAddedAndWidened() throws Exception
    {
        assertUpdate("CREATE TABLE evolved (id integer, v bigint)");
        assertUpdate("INSERT INTO evolved VALUES (1, 10), (2, 20)", 2);
        internals.catalog().catalog().alterTable(new Identifier("tpch", "evolved"), List.of(
                SchemaChange.updateColumnType("id", DataTypes.BIGINT()), SchemaChange.renameColumn("v", "w"),
                SchemaChange.addColumn("n", DataTypes.INT())), false);
        assertUpdate("INSERT INTO evolved VALUES (30000000000, 30, 5), (4, 40, NULL)", 2);
        assertThat(statistics("evolved", "id")).isEqualTo(row(null, null, 0.0, null, "1", "30000000000"));
        assertThat(statistics("evolved", "w")).isEqualTo(row(null, null, 0.0, null, "10", "40"));
        assertThat(statistics("evolved", "n")).isEqualTo(row(null, null, 0.75, null, "5", "5"));
        assertUpdate("DROP TABLE evolved");
    }

    @Test
    void rangesOfBeforeAChangeOfOrderAreNotKnown() throws Exception
    {
        assertUpdate("CREATE TABLE reordered (id bigint, v varchar)");
        assertUpdate("INSERT INTO reordered VALUES (1, '5'), (2, '10'), (3, NULL), (4, NULL)", 4);
        internals.catalog().catalog().alterTable(new Identifier("tpch", "reordered"), List.of(SchemaChange.updateColumnType("v", DataTypes.INT())),
                false);
        assertUpdate("INSERT INTO reordered VALUES (5, 20), (6, 30)", 2);
        assertThat((Double) statistics("reordered", "v").get(2)).isBetween(0.33, 0.34);
        assertThat(statistics("reordered", "v").subList(4, 6)).isEqualTo(row(null, null));
        assertThat(statistics("reordered", "id").subList(4, 6)).isEqualTo(row("1", "6"));
        assertUpdate("DROP TABLE reordered");
    }

    @Test
    void analyzeIsKeptInTheTableForEveryReader()
    {
        assertUpdate(
                "CREATE TABLE analyzed AS SELECT orderkey, partkey, quantity, comment, shipdate, nullif(linestatus, 'O') linestatus FROM tpch.tiny.lineitem",
                60_175);
        assertThat(statistics("analyzed", "orderkey").get(1)).isNull();
        assertUpdate("ANALYZE analyzed", 60_175);
        assertThat((Double) statistics("analyzed", "orderkey").get(1)).isBetween(14_000.0, 16_000.0);
        assertThat((Double) statistics("analyzed", "linestatus").get(1)).isEqualTo(1.0);
        assertThat((Double) statistics("analyzed", "comment").getFirst()).isBetween(20.0 * 60_175, 40.0 * 60_175);
        Statistics statistics = table("analyzed").statistics().orElseThrow();
        assertThat(statistics.mergedRecordCount()).hasValue(60_175);
        assertThat(statistics.snapshotId()).isEqualTo(1);
        assertThat(statistics.colStats().get("orderkey").min().map(Object::toString)).hasValue("1");
        assertThat(statistics.colStats().get("orderkey").max().map(Object::toString)).hasValue("60000");
        assertThat(statistics.colStats().get("shipdate").nullCount()).hasValue(0);
        assertThat(statistics.colStats().get("linestatus").nullCount().getAsLong())
                .isEqualTo(computeScalar("SELECT count(*) FROM tpch.tiny.lineitem WHERE linestatus = 'O'"));
        assertThat(statistics.colStats().get("comment").maxLen()).hasValue(43);
        // rows that come later do not make them disappear
        assertUpdate("INSERT INTO analyzed SELECT orderkey, partkey, quantity, comment, shipdate, linestatus FROM tpch.tiny.lineitem", 60_175);
        assertThat((Double) statistics("analyzed", "orderkey").get(1)).isBetween(14_000.0, 16_000.0);
        assertThat(statistics("analyzed", null).get(3)).isEqualTo(120_350.0);
        assertUpdate("DROP TABLE analyzed");
    }

    @Test
    void analyzeOfSomeColumnsOfEveryTypeAndOfNothing()
    {
        assertUpdate(
                "CREATE TABLE types AS SELECT 1 a, BIGINT '2' b, REAL '1.5' c, nan() d, DECIMAL '3.25' e, CAST('x' AS char(3)) f, 'y' g, X'00' h, "
                        + "DATE '2024-01-01' i, TIMESTAMP '2024-01-01 00:00:00.123456789' j, TIMESTAMP '2024-01-01 00:00:00.123 UTC' k, true l, ARRAY[1] m, "
                        + "MAP(ARRAY['k'], ARRAY[1]) n, CAST(row(1) AS row(x integer)) o, TIME '01:02:03.004' p, SMALLINT '7' q, TINYINT '8' r, "
                        + "CAST(DECIMAL '12345678901234567890.5' AS decimal(30, 1)) s",
                1);
        assertUpdate("ANALYZE types", 1);
        assertThat(table("types").statistics().orElseThrow().colStats()).hasSize(19);
        assertThat(statistics("types", "e").get(1)).isEqualTo(1.0);
        assertUpdate("ANALYZE types WITH (columns = ARRAY['A', 'g'])", 1);
        assertThat(table("types").statistics().orElseThrow().colStats()).containsOnlyKeys("a", "g");
        assertQueryFails("ANALYZE types WITH (columns = ARRAY['nope'])", "tpch.types has no column 'nope'");
        assertUpdate("DROP TABLE types");

        assertUpdate("CREATE TABLE nothing (id bigint)");
        assertThat(statistics("nothing", null)).isEqualTo(row(null, null, null, 0.0, null, null));
        assertUpdate("ANALYZE nothing", 0);
        assertThat(table("nothing").snapshotManager().latestSnapshotId()).isNull();
        assertUpdate("DROP TABLE nothing");
    }

    @Test
    void rowsInMemoryCount()
    {
        Session committed = Session.builder(getSession()).setCatalogSessionProperty("paimon", "realtime_read_mode", "COMMITTED").build();
        assertUpdate(
                "CREATE TABLE live (id bigint, v bigint, p varchar) WITH (realtime = true, bucket = 1, bucket_key = ARRAY['id'], partitioned_by = ARRAY['p'])");
        assertUpdate("INSERT INTO live VALUES (1, 10, 'a'), (2, NULL, 'a')", 2);
        assertThat(statistics("live", null).get(3)).isEqualTo(2.0);
        assertThat(statistics("live", "p").get(1)).isEqualTo(1.0);
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'live')");
        assertThat(statistics("live", "v")).isEqualTo(row(null, null, 0.5, null, "10", "10"));
        assertUpdate("INSERT INTO live VALUES (1000, 1000, 'b'), (1001, 1001, 'b')", 2);
        assertThat(statistics("live", null).get(3)).isEqualTo(4.0);
        // what is in memory may be anything
        assertThat(statistics("live", "v")).isEqualTo(row(null, null, 0.5, null, null, null));
        assertThat(statistics("live", "p").get(1)).isEqualTo(2.0);
        assertThat(statistics("(SELECT * FROM live WHERE p = 'b')", null).get(3)).isEqualTo(2.0);
        assertUpdate("ANALYZE live", 2);
        assertThat(table("live").statistics().orElseThrow().mergedRecordCount()).hasValue(2);
        assertThat(computeActual(committed, "SELECT * FROM live").getRowCount()).isEqualTo(2);
        assertUpdate("INSERT INTO live VALUES (1002, 1002, 'b')", 1);
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'live')");
        assertQuery(committed, "SELECT count(*), sum(v) FROM live", "VALUES (5, 3013)");
        assertThat((Double) statistics("live", "id").get(1)).isEqualTo(2.0);
        assertUpdate("DROP TABLE live");
    }

    @Test
    void keysCountForEveryVersion()
    {
        assertUpdate("CREATE TABLE keyed (id bigint NOT NULL, v bigint) WITH (primary_key = ARRAY['id'], bucket = 1)");
        assertUpdate("INSERT INTO keyed VALUES (1, 10), (2, 20)", 2);
        assertUpdate("INSERT INTO keyed VALUES (1, 11)", 1);
        assertThat(statistics("keyed", null).get(3)).isEqualTo(3.0);
        assertThat(statistics("keyed", "v")).isEqualTo(row(null, null, 0.0, null, "10", "20"));
        assertUpdate("DROP TABLE keyed");
    }

    @Test
    void theSmallTableIsHeldInMemory()
    {
        assertUpdate("CREATE TABLE big AS SELECT * FROM tpch.tiny.lineitem", 60_175);
        assertUpdate("CREATE TABLE small AS SELECT * FROM tpch.tiny.nation", 25);
        assertUpdate("ANALYZE big", 60_175);
        assertUpdate("ANALYZE small", 25);
        String plan = (String) computeScalar("EXPLAIN SELECT count(*) FROM small s JOIN big b ON b.suppkey = s.nationkey");
        // the right side is held in memory, wherever it stands in the query
        assertThat(plan.indexOf("tpch.big")).isPositive().isLessThan(plan.indexOf("tpch.small"));
        assertUpdate("DROP TABLE big");
        assertUpdate("DROP TABLE small");
    }
}
