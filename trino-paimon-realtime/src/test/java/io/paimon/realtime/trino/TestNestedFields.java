package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.DistributedQueryRunner;
import java.nio.file.Files;
import java.util.List;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.SchemaChange;
import org.junit.jupiter.api.Test;

/** Fields of rows are columns of the scan, whoever reads them: Trino's readers, Paimon's, and those of the writer's memory in place and over Flight. */
final class TestNestedFields extends AbstractQueryTest
{
    private static final List<String> FORMATS = List.of("parquet", "orc", "avro");
    private static final String COLUMNS = "id bigint, a row(street varchar, \"Zip\" integer, geo row(x double, y double, tags array(varchar))), b row(n bigint)";
    private static final String ROWS = """
            (0, NULL, row(7)), \
            (1, row('main', 12, row(1.5, NULL, ARRAY['t', NULL])), NULL), \
            (2, row(NULL, NULL, NULL), row(NULL)), \
            (3, row('side', NULL, row(NULL, 2.5, NULL)), row(9))""";

    private RealtimeInternals internals;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", Files.createTempDirectory("realtime").toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        internals = new RealtimeInternals(queryRunner, "paimon");
        return queryRunner;
    }

    private void assertFields(String table)
    {
        assertQuery("SELECT id FROM " + table + " WHERE a.street IS NULL", "VALUES 0, 2");
        assertQuery("SELECT id FROM " + table + " WHERE a IS NULL", "VALUES 0");
        assertQuery("SELECT a.street FROM " + table + " WHERE a.geo.y > 2", "VALUES 'side'");
        assertQuery("SELECT id, a.zip, a.geo.x, b.n FROM " + table,
                "VALUES (0, NULL, NULL, 7), (1, 12, 1.5, NULL), (2, NULL, NULL, NULL), (3, NULL, NULL, 9)");
        // the row and a field of it, a row in it and a field of that
        assertQuery("SELECT id, a IS NULL, a.street, a.geo IS NULL, a.geo.tags[1] FROM " + table,
                "VALUES (0, true, NULL, true, NULL), (1, false, 'main', false, 't'), (2, false, NULL, true, NULL), (3, false, 'side', false, NULL)");
        assertQuery("SELECT count(a.geo.y), count(a.geo), count(a), count(*) FROM " + table, "VALUES (1, 2, 3, 4)");
        assertQuery("SELECT upper(a.street) || '!' FROM " + table + " WHERE b.n = 9", "VALUES 'SIDE!'");
        assertQuery("SELECT x.id FROM " + table + " x JOIN " + table + " y ON x.a.zip = y.a.zip", "VALUES 1");
        assertQuery("SELECT max_by(id, b.n) FROM " + table, "VALUES 3");
    }

    @Test
    void filtersOnWholeRowsArraysAndMaps()
    {
        assertUpdate("CREATE TABLE whole (id bigint, r row(x bigint, y varchar), a array(integer), m map(varchar, integer))");
        assertUpdate("INSERT INTO whole VALUES (1, row(10, 'y'), ARRAY[1, 2], MAP(ARRAY['k'], ARRAY[9])), (2, NULL, NULL, NULL)", 2);
        assertQuery("SELECT id FROM whole WHERE r = row(10, 'y')", "VALUES 1");
        assertQuery("SELECT id FROM whole WHERE r > row(9, 'z')", "VALUES 1");
        assertQuery("SELECT id FROM whole WHERE a = ARRAY[1, 2]", "VALUES 1");
        assertQuery("SELECT id FROM whole WHERE m = MAP(ARRAY['k'], ARRAY[9])", "VALUES 1");
        assertQuery("SELECT id FROM whole WHERE r IS NULL AND a IS NULL AND m IS NULL", "VALUES 2");
        assertUpdate("DROP TABLE whole");
    }

    private void assertPushedDown(String sql, String... columns)
    {
        assertThat((String) computeScalar("EXPLAIN " + sql)).contains(columns);
    }

    @Test
    void filesOfEveryFormat()
    {
        for (String format : FORMATS) {
            assertUpdate("CREATE TABLE files (%s) WITH (file_format = '%s')".formatted(COLUMNS, format));
            assertUpdate("INSERT INTO files VALUES " + ROWS, 4);
            assertPushedDown("SELECT a.geo.x, b.n FROM files", "a.geo.x:double", "b.n:bigint");
            assertFields("files");
            assertUpdate("DROP TABLE files");
        }
    }

    @Test
    void keysThatAreMerged()
    {
        for (String format : FORMATS) {
            assertUpdate("CREATE TABLE merged (%s) WITH (primary_key = ARRAY['id'], bucket = 1, file_format = '%s')"
                    .formatted(COLUMNS.replace("id bigint", "id bigint NOT NULL"), format));
            assertUpdate("INSERT INTO merged VALUES (1, row('old', 1, NULL), row(1)), (3, NULL, row(3))", 2);
            assertUpdate("INSERT INTO merged VALUES " + ROWS, 4);
            assertFields("merged");
            assertUpdate("DROP TABLE merged");
        }
    }

    @Test
    void memoryAndBoth()
    {
        assertUpdate("CREATE TABLE live (%s) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['id'])".formatted(COLUMNS));
        assertUpdate("INSERT INTO live VALUES " + ROWS, 4);
        assertPushedDown("SELECT a.geo.x, b.n FROM live", "a.geo.x:double", "b.n:bigint", "memoryRows=4");
        assertFields("live");
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'live')");
        assertFields("live");
        assertUpdate("INSERT INTO live VALUES (4, row('lane', 13, row(4.5, 4.5, NULL)), row(40))", 1);
        assertQuery("SELECT id, a.street, a.geo.y FROM live",
                "VALUES (0, NULL, NULL), (1, 'main', NULL), (2, NULL, NULL), (3, 'side', 2.5), (4, 'lane', 4.5)");
        assertUpdate("DROP TABLE live");
    }

    @Test
    void fieldsThatWereRenamedDroppedAndAdded() throws Exception
    {
        for (String format : FORMATS) {
            assertUpdate("CREATE TABLE changed (id bigint, r row(x bigint, y varchar, z row(p bigint))) WITH (file_format = '%s')".formatted(format));
            assertUpdate("INSERT INTO changed VALUES (1, row(10, 'y1', row(100))), (2, NULL)", 2);
            internals.catalog().catalog().alterTable(new Identifier("tpch", "changed"),
                    List.of(SchemaChange.renameColumn(new String[]{"r", "y"}, "w")), false);
            assertUpdate("ALTER TABLE changed ADD COLUMN r.y varchar");
            assertUpdate("ALTER TABLE changed DROP COLUMN r.x");
            assertUpdate("ALTER TABLE changed ADD COLUMN r.x varchar");
            assertUpdate("ALTER TABLE changed ADD COLUMN r.z.q bigint");
            assertUpdate("INSERT INTO changed (id, r) VALUES (3, row('w3', row(300, 301), 'y3', 'x3'))", 1);
            assertQuery("SELECT id, r.w, r.y FROM changed", "VALUES (1, 'y1', NULL), (2, NULL, NULL), (3, 'w3', 'y3')");
            assertQuery("SELECT id, r.x FROM changed", "VALUES (1, NULL), (2, NULL), (3, 'x3')");
            assertQuery("SELECT id, r.z.p, r.z.q FROM changed", "VALUES (1, 100, NULL), (2, NULL, NULL), (3, 300, 301)");
            assertQuery("SELECT id FROM changed WHERE r.z.p = 100", "VALUES 1");
            assertQuery("SELECT id FROM changed WHERE r.x IS NULL", "VALUES 1, 2");
            assertUpdate("DROP TABLE changed");
        }
    }
}
