package io.paimon.realtime.trino;

import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.junit.jupiter.api.Test;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

final class TestPaimonQueries extends AbstractQueryTest
{
    @Override
    protected DistributedQueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder().build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    @Test
    void createInsertAndSelectInEveryFormatAndKindOfTable()
    {
        for (String format : new String[]{"parquet", "orc", "avro"}) {
            for (String kind : new String[]{
                    "bucket = -1",
                    "bucket = 3, bucket_key = ARRAY['orderkey']",
                    "bucket = -1, partitioned_by = ARRAY['orderstatus']",
                    "bucket = 2, primary_key = ARRAY['orderkey']",
                    "bucket = 2, primary_key = ARRAY['orderkey', 'orderstatus'], partitioned_by = ARRAY['orderstatus']"}) {
                assertUpdate(
                        "CREATE TABLE t WITH (file_format = '%s', %s) AS SELECT * FROM tpch.tiny.orders WHERE orderkey %% 2 = 0".formatted(format,
                                kind),
                        "SELECT count(*) FROM orders WHERE orderkey % 2 = 0");
                assertUpdate("INSERT INTO t SELECT * FROM tpch.tiny.orders WHERE orderkey % 2 = 1",
                        "SELECT count(*) FROM orders WHERE orderkey % 2 = 1");
                assertQuery("SELECT * FROM t", "SELECT * FROM orders");
                assertQuery("SELECT count(*) FROM t", "SELECT count(*) FROM orders");
                assertQuery("SELECT * FROM t WHERE orderstatus = 'F' AND orderkey < 100",
                        "SELECT * FROM orders WHERE orderstatus = 'F' AND orderkey < 100");
                assertThat(computeActual("SELECT snapshot_id FROM \"t$snapshots\"").getRowCount()).isEqualTo(2);
                assertUpdate("DROP TABLE t");
            }
        }
    }

    @Test
    void unknownOptionsAreRefused()
    {
        for (String option : new String[]{"snapshot.num-retained.mim", "tag.automatic-kreation", "realtime.enabeld", "realtime.",
                "metadata.iceberg.storaje",
                "commit.callback.com.Example.parms", "commit.callback..param", "partition.mark-done-action.http", "variant.shreding", "fields.",
                "file.format.per.levels", "parquetx.block.size"}) {
            assertQueryFails("CREATE TABLE misspelt (id bigint) WITH (extra_properties = MAP(ARRAY['%s'], ARRAY['1']))".formatted(option),
                    ".*Paimon has no table option '" + Pattern.quote(option) + "'.*");
        }
        assertUpdate("CREATE TABLE spelt (id bigint, s varchar) WITH (extra_properties = MAP("
                + "ARRAY['snapshot.time-retained', 'tag.num-retained-max', 'metadata.iceberg.format-version', 'commit.callback.com.Example.param', 'tag.callback.com.Example.param', "
                + "'fields.s.ignore-retract', 'file-index.bloom-filter.columns', 'parquet.block.size', 'orc.compress', 'file.format.per.level.0', "
                + "'file.compression.per.level', 'snapshot.expire.clean-empty-directories', 'metadata.stats-mode'], "
                + "ARRAY['2 h', '7', '2', 'x', 'y', 'true', 's', '1048576', 'zstd', 'avro', '0:lz4,1:zstd', 'true', 'full']))");
        assertQuery("SELECT value FROM \"spelt$options\" WHERE key = 'snapshot.time-retained'", "VALUES '2 h'");
        assertQueryFails("ALTER TABLE spelt SET PROPERTIES extra_properties = MAP(ARRAY['snapshot.time-retaned'], ARRAY['1 h'])",
                ".*Paimon has no table option 'snapshot.time-retaned'.*");
        assertUpdate("DROP TABLE spelt");
    }

    @Test
    void realtimeTablesThatTheWriterWouldRefuse()
    {
        assertQueryFails("CREATE TABLE refused (id bigint) WITH (realtime = true, bucket = -1, "
                + "extra_properties = MAP(ARRAY['commit.callbacks'], ARRAY['com.example.Callback']))",
                "The table cannot be a real-time table: option commit.callbacks hangs work on commits that real-time commits cannot do");
        assertQueryFails("CREATE TABLE refused WITH (realtime = true, bucket = -1, "
                + "extra_properties = MAP(ARRAY['metadata.iceberg.storage'], ARRAY['table-location'])) AS SELECT 1 id",
                "The table cannot be a real-time table: option metadata.iceberg.storage .*");
        assertQueryFails("SELECT * FROM refused", ".*Table 'paimon.tpch.refused' does not exist");
        assertUpdate(
                "CREATE TABLE refused (id bigint) WITH (bucket = -1, extra_properties = MAP(ARRAY['metadata.iceberg.storage'], ARRAY['table-location']))");
        assertQueryFails("ALTER TABLE refused SET PROPERTIES realtime = true",
                "The table cannot be a real-time table: option metadata.iceberg.storage .*");
        assertUpdate(
                "ALTER TABLE refused SET PROPERTIES extra_properties = MAP(ARRAY['metadata.iceberg.storage'], ARRAY['disabled']), realtime = true");
        assertUpdate("DROP TABLE refused");
    }

    /** Paimon's writer takes any long. */
    @Test
    void timestampsThatTheEngineCannotHold() throws Exception
    {
        for (String type : new String[]{"timestamp(3)", "timestamp(3) with time zone"}) {
            for (String format : new String[]{"parquet", "avro"}) {
                assertUpdate("CREATE TABLE far (id bigint, ts %s) WITH (file_format = '%s')".formatted(type, format));
                Table table = new RealtimeInternals(getDistributedQueryRunner(), "paimon").catalog().load(new Identifier("tpch", "far"))
                        .orElseThrow();
                BatchWriteBuilder builder = table.newBatchWriteBuilder();
                try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
                    write.write(GenericRow.of(1L, Timestamp.fromEpochMillis(1)));
                    write.write(GenericRow.of(2L, Timestamp.fromEpochMillis(Long.MAX_VALUE)));
                    commit.commit(write.prepareCommit());
                }
                assertQuery("SELECT id FROM far", "VALUES 1, 2");
                assertQueryFails("SELECT ts FROM far",
                        "9223372036854775807 milliseconds since 1970 are out of the range of " + type.replace("(3)", ""));
                assertUpdate("DROP TABLE far");
            }
        }
    }

    @Test
    void realtimeIsKeptAsOptionOfTheTable()
    {
        assertUpdate(
                "CREATE TABLE rt (id bigint NOT NULL, dt date NOT NULL, v bigint) WITH (realtime = true, primary_key = ARRAY['id', 'dt'], partitioned_by = ARRAY['dt'], "
                        +
                        "bucket = 4, bucket_key = ARRAY['id'], sequence_field = ARRAY['v'], extra_properties = MAP(ARRAY['snapshot.num-retained.min', 'fields.v.ignore-retract'], ARRAY['20', 'true']))");
        assertQuery("SELECT value FROM \"rt$options\" WHERE key = 'realtime.enabled'", "VALUES 'true'");
        assertThat((String) computeScalar("SHOW CREATE TABLE rt")).contains("realtime = true", "primary_key = ARRAY['id','dt']", "bucket = 4",
                "bucket_key = ARRAY['id']",
                "sequence_field = ARRAY['v']");
        assertQuery("SELECT value FROM \"rt$options\" WHERE key = 'snapshot.num-retained.min'", "VALUES '20'");
        assertUpdate("ALTER TABLE rt SET PROPERTIES realtime = false");
        assertQuery("SELECT value FROM \"rt$options\" WHERE key = 'realtime.enabled'", "VALUES 'false'");
        assertQueryFails("ALTER TABLE rt SET PROPERTIES primary_key = ARRAY['v']", "Table property 'primary_key' cannot be changed");
        assertUpdate("DROP TABLE rt");
        assertQueryFails("CREATE TABLE rt (id bigint) WITH (realtime = true, primary_key = ARRAY['id'])",
                "A real-time table with a primary key needs bucket >= 1.*");
        assertQueryFails("CREATE TABLE rt (id bigint) WITH (realtime = true, bucket = -2)",
                "A real-time table needs bucket >= 1, or bucket = -1 without a primary key: bucket is -2");
        assertQueryFails("CREATE TABLE rt (id bigint) WITH (extra_properties = MAP(ARRAY['no.such.option'], ARRAY['1']))",
                ".*Paimon has no table option 'no.such.option'.*");
        assertUpdate("CREATE TABLE rt (id bigint) WITH (realtime = true, realtime_offset_column = true)");
        assertQuery("SELECT count(*) FROM \"rt$schemas\" WHERE fields LIKE '%_OFFSET%'", "VALUES 1");
        assertThat((String) computeScalar("SHOW CREATE TABLE rt")).contains("realtime_offset_column = true").doesNotContain("_offset bigint");
        assertUpdate("INSERT INTO rt VALUES 1", 1);
        assertQuery("SELECT * FROM rt", "VALUES 1");
        assertUpdate("DROP TABLE rt");
    }

    @Test
    void partitionFiltersReadOnlyTheirPartitions()
    {
        assertUpdate("CREATE TABLE parts (id integer, dt date, p varchar, c char(12)) WITH (partitioned_by = ARRAY['dt', 'p', 'c'])");
        assertUpdate(
                "INSERT INTO parts VALUES (1, NULL, 'a/b', '2023-06-01'), (2, DATE '2024-01-01', 'e%f', '2023-06-02'), (3, DATE '2024-01-01', 'i=j', '2023-06-03'), "
                        +
                        "(4, DATE '1969-12-31', 'ü', NULL), (5, DATE '2024-01-02', '__DEFAULT_PARTITION__x', '')",
                5);
        assertQuery("SELECT id FROM parts WHERE dt IS NULL", "VALUES 1");
        assertQuery("SELECT id FROM parts WHERE dt IS NOT NULL", "VALUES 2, 3, 4, 5");
        assertQuery("SELECT id FROM parts WHERE dt = DATE '2024-01-01'", "VALUES 2, 3");
        assertQuery("SELECT id FROM parts WHERE dt <> DATE '2024-01-01'", "VALUES 4, 5");
        assertQuery("SELECT id FROM parts WHERE p = 'e%f'", "VALUES 2");
        assertQuery("SELECT id FROM parts WHERE p IN ('ü', 'a/b', 'i=j')", "VALUES 1, 3, 4");
        assertQuery("SELECT id FROM parts WHERE c = '2023-06-02'", "VALUES 2");
        assertQuery("SELECT id FROM parts WHERE c = CAST('2023-06-02' AS char(12))", "VALUES 2");
        assertQuery("SELECT id FROM parts WHERE c >= CAST('2023-06-02' AS char(12))", "VALUES 2, 3");
        assertQuery("SELECT count(*) FROM parts WHERE dt = DATE '2024-01-01'", "VALUES 2");
        assertQuery("SELECT count(*) FROM \"parts$partitions\"", "VALUES 5");
        assertQuery("SELECT id FROM parts WHERE id = NULL AND p = 'ü'", "SELECT 1 WHERE false");
        assertExplain("EXPLAIN SELECT id FROM parts WHERE dt = DATE '2024-01-01'", "paimon:tpch.parts snapshot=1 mode=COMMITTED");
        assertUpdate("DROP TABLE parts");
    }

    @Test
    void limitsCountLiveRows()
    {
        assertUpdate("CREATE TABLE live (id integer, v integer) WITH (primary_key = ARRAY['id'], bucket = 1)");
        for (int i = 0; i < 3; i++) {
            assertUpdate("INSERT INTO live SELECT n, %s FROM UNNEST(sequence(1, 10)) t(n)".formatted(i), 10);
        }
        assertUpdate("INSERT INTO live SELECT n, 0 FROM UNNEST(sequence(100, 120)) t(n)", 21);
        assertThat(computeActual("SELECT id FROM live LIMIT 15").getOnlyColumnAsSet()).hasSize(15);
        assertThat(computeActual("SELECT id FROM live LIMIT 40").getOnlyColumnAsSet()).hasSize(31);
        assertQuery("SELECT DISTINCT v FROM live WHERE id <= 10", "VALUES 2");
        assertQueryReturnsEmptyResult("SELECT id FROM live WHERE id <= 10 AND v = 1");
        assertUpdate("DROP TABLE live");
    }

    @Test
    void olderVersionsHaveTheSchemaOfTheirTime()
    {
        assertUpdate("CREATE TABLE versions (x integer)");
        assertQueryReturnsEmptyResult("SELECT * FROM versions");
        assertUpdate("INSERT INTO versions VALUES 1", 1);
        assertUpdate("ALTER TABLE versions ADD COLUMN y integer");
        assertUpdate("INSERT INTO versions VALUES (2, 2)", 1);
        assertQuery("SELECT * FROM versions FOR VERSION AS OF 1", "VALUES 1");
        assertQuery("SELECT * FROM versions FOR VERSION AS OF 2", "VALUES (1, NULL), (2, 2)");
        assertQuery("SELECT x FROM versions FOR VERSION AS OF 2 EXCEPT SELECT x FROM versions FOR VERSION AS OF 1", "VALUES 2");
        assertQueryFails("SELECT * FROM versions FOR VERSION AS OF 999999", "Table tpch.versions has no snapshot 999999");
        assertQueryFails("SELECT * FROM versions FOR VERSION AS OF 'none'", "Table tpch.versions has no tag 'none'");
        assertQueryFails("SELECT * FROM versions FOR TIMESTAMP AS OF TIMESTAMP '2000-01-01 00:00:00 UTC'",
                "Table tpch.versions has no version at or before 2000-01-01T00:00:00Z");
        assertUpdate("TRUNCATE TABLE versions");
        assertQueryReturnsEmptyResult("SELECT * FROM versions");
        assertUpdate("DROP TABLE versions");
    }

    @Test
    void failedStatementsLeaveNothing()
    {
        assertQueryFails("CREATE TABLE broken AS SELECT 1 / (orderkey - orderkey) x FROM tpch.tiny.orders", "Division by zero");
        assertQueryReturnsEmptyResult("SHOW TABLES LIKE 'broken'");
        assertUpdate("CREATE TABLE broken (x bigint)");
        assertQueryFails("INSERT INTO broken SELECT 1 / (orderkey - 7) FROM tpch.tiny.orders", "Division by zero");
        assertQueryReturnsEmptyResult("SELECT * FROM broken");
        assertQueryReturnsEmptyResult("SELECT * FROM \"broken$snapshots\"");
        assertUpdate("DROP TABLE broken");
        assertQueryFails("CREATE TABLE dynamic WITH (primary_key = ARRAY['x']) AS SELECT 1 x",
                "Writing to tpch.dynamic is not supported: its buckets are dynamic.*");
        assertQueryReturnsEmptyResult("SHOW TABLES LIKE 'dynamic'");
    }

    @Test
    void manyValuesInAList()
    {
        assertUpdate("CREATE TABLE numbers AS SELECT n FROM UNNEST(sequence(1, 10000)) t(n)", 10000);
        String values = IntStream.range(0, 20_000).mapToObj(i -> Integer.toString(i * 2)).collect(Collectors.joining(","));
        assertQuery("SELECT count(*) FROM numbers WHERE n IN (" + values + ")", "VALUES 5000");
        assertUpdate("DROP TABLE numbers");
    }

    @Test
    public void testInsertExistingPartitionsBehavior()
    {
        assertUpdate("CREATE TABLE days (id bigint, dt varchar) WITH (partitioned_by = ARRAY['dt'])");
        assertUpdate("INSERT INTO days VALUES (1, 'a'), (2, 'b')", 2);
        Session overwrite = behavior("OVERWRITE");
        assertUpdate(overwrite, "INSERT INTO days VALUES (3, 'b'), (4, 'c')", 2);
        assertQuery("SELECT * FROM days", "VALUES (1, 'a'), (3, 'b'), (4, 'c')");
        assertUpdate(overwrite, "INSERT INTO days SELECT * FROM days WHERE id < 0", 0);
        assertQuery("SELECT count(*) FROM days", "VALUES 3");
        assertQueryFails(behavior("ERROR"), "INSERT INTO days VALUES (5, 'd'), (6, 'a')", "Cannot insert into an existing partition of tpch.days .*");
        assertUpdate(behavior("ERROR"), "INSERT INTO days VALUES (5, 'd')", 1);
        assertQuery("SELECT * FROM days", "VALUES (1, 'a'), (3, 'b'), (4, 'c'), (5, 'd')");
        assertUpdate("DROP TABLE days");

        assertUpdate("CREATE TABLE whole (id bigint)");
        assertUpdate("INSERT INTO whole VALUES 1, 2", 2);
        assertUpdate(behavior("ERROR"), "INSERT INTO whole VALUES 3", 1);
        assertUpdate(overwrite, "INSERT INTO whole VALUES 7", 1);
        assertQuery("SELECT * FROM whole", "VALUES 7");
        assertUpdate(overwrite, "INSERT INTO whole SELECT * FROM whole WHERE id < 0", 0);
        assertQuery("SELECT count(*) FROM whole", "VALUES 0");
        assertUpdate("DROP TABLE whole");
    }

    private Session behavior(String behavior)
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "insert_existing_partitions_behavior", behavior).build();
    }
}
