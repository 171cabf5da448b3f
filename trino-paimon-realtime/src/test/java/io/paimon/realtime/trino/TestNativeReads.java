package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.Test;

/** Which reader reads a file, and that the rows are Paimon's whichever does. */
final class TestNativeReads extends AbstractTestQueryFramework
{
    private RealtimeInternals internals;

    @Override
    protected QueryRunner createQueryRunner() throws Exception
    {
        QueryRunner queryRunner = PaimonQueryRunner.builder().setWorkerCount(0).build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        internals = new RealtimeInternals((DistributedQueryRunner) queryRunner, "paimon");
        return queryRunner;
    }

    private Table table(String name)
    {
        return internals.catalog().load(new Identifier("tpch", name)).orElseThrow();
    }

    /** The query's rows are those of Paimon's reader. */
    private void assertWhole(String name)
    {
        assertThat(PaimonRows.render(computeActual("SELECT * FROM " + name))).isEqualTo(PaimonRows.read(table(name)));
    }

    private void assertReaders(String sql, long nativeRows, long paimonRows)
    {
        String plan = (String) computeScalar("EXPLAIN ANALYZE VERBOSE " + sql);
        assertThat(metric(plan, ScanMetrics.DISK_NATIVE)).describedAs(plan).isEqualTo(nativeRows);
        assertThat(metric(plan, ScanMetrics.DISK_COLUMNS) + metric(plan, ScanMetrics.DISK_ROWS)).describedAs(plan).isEqualTo(paimonRows);
    }

    private static long metric(String plan, String name)
    {
        Matcher matcher = Pattern.compile(Pattern.quote(name) + "'? = LongCount\\{total=(\\d+)\\}").matcher(plan);
        long total = 0;
        while (matcher.find()) {
            total += Long.parseLong(matcher.group(1));
        }
        return total;
    }

    @Test
    void appendTables()
    {
        assertUpdate("CREATE TABLE lines WITH (partitioned_by = ARRAY['shipmode'], bucket = 2, bucket_key = ARRAY['orderkey']) AS " +
                "SELECT orderkey, partkey, quantity, extendedprice, comment, shipdate, nullif(shipmode, 'RAIL') shipmode FROM tpch.tiny.lineitem",
                60_175);
        assertReaders("SELECT * FROM lines", 60_175, 0);
        assertQuery("SELECT sum(orderkey), sum(quantity), min(comment), max(shipdate), count(DISTINCT comment) FROM lines",
                "SELECT sum(orderkey), sum(quantity), min(comment), max(shipdate), count(DISTINCT comment) FROM lineitem");
        assertQuery("SELECT shipmode, count(*) FROM lines GROUP BY 1", "SELECT nullif(shipmode, 'RAIL'), count(*) FROM lineitem GROUP BY shipmode");
        assertQuery("SELECT count(*), sum(partkey) FROM lines WHERE shipmode IS NULL",
                "SELECT count(*), sum(partkey) FROM lineitem WHERE shipmode = 'RAIL'");
        assertQuery("SELECT comment, shipmode FROM lines WHERE orderkey = 7",
                "SELECT comment, nullif(shipmode, 'RAIL') FROM lineitem WHERE orderkey = 7");
        assertThat(computeActual("SELECT * FROM lines LIMIT 10").getRowCount()).isEqualTo(10);
        assertThat(computeActual("SELECT shipmode FROM lines LIMIT 100").getRowCount()).isEqualTo(100);
        assertWhole("lines");
        assertUpdate("DROP TABLE lines");
    }

    @Test
    void otherFormatsAndUnmergedFilesAreReadByPaimon()
    {
        for (String format : List.of("orc", "avro")) {
            assertUpdate("CREATE TABLE other WITH (file_format = '%s') AS SELECT * FROM tpch.tiny.nation".formatted(format), 25);
            assertReaders("SELECT * FROM other", 0, 25);
            assertUpdate("DROP TABLE other");
        }
        assertUpdate("CREATE TABLE keyed (id bigint NOT NULL, v bigint) WITH (primary_key = ARRAY['id'], bucket = 1)");
        assertUpdate("INSERT INTO keyed VALUES (1, 1), (2, 2)", 2);
        assertUpdate("INSERT INTO keyed VALUES (1, 10)", 1);
        assertReaders("SELECT * FROM keyed", 0, 2);
        assertQuery("SELECT * FROM keyed", "VALUES (1, 10), (2, 2)");
        assertUpdate("DROP TABLE keyed");
    }

    @Test
    void columnsThatWereRenamedDroppedAndAddedAgain()
    {
        assertUpdate("CREATE TABLE evolved (id bigint, a varchar, b bigint, r row(x bigint, y varchar))");
        assertUpdate("INSERT INTO evolved VALUES (1, 'a1', 10, row(100, 'y1')), (2, NULL, NULL, NULL)", 2);
        assertUpdate("ALTER TABLE evolved RENAME COLUMN a TO c");
        assertUpdate("ALTER TABLE evolved DROP COLUMN b");
        assertUpdate("ALTER TABLE evolved ADD COLUMN b varchar");
        assertUpdate("ALTER TABLE evolved ADD COLUMN a varchar");
        assertUpdate("INSERT INTO evolved VALUES (3, 'c3', row(300, 'y3'), 'b3', 'a3')", 1);
        assertReaders("SELECT * FROM evolved", 3, 0);
        assertQuery("SELECT id, c, r.x, r.y, b, a FROM evolved",
                "VALUES (1, 'a1', 100, 'y1', NULL, NULL), (2, NULL, NULL, NULL, NULL, NULL), (3, 'c3', 300, 'y3', 'b3', 'a3')");
        assertQuery("SELECT id FROM evolved WHERE a = 'a1'", "SELECT 1 WHERE false");
        assertQuery("SELECT id FROM evolved WHERE c = 'a1'", "VALUES 1");
        assertQuery("SELECT id FROM evolved WHERE b IS NULL", "VALUES 1, 2");
        assertWhole("evolved");
        assertUpdate("DROP TABLE evolved");
    }

    @Test
    void filesBeforeAChangeOfTypesAreReadByPaimon() throws Exception
    {
        assertUpdate("CREATE TABLE widened (id integer, r row(x bigint, y varchar), other bigint)");
        assertUpdate("INSERT INTO widened VALUES (1, row(100, 'y1'), 7), (2, NULL, 8)", 2);
        internals.catalog().catalog().alterTable(new Identifier("tpch", "widened"), List.of(
                SchemaChange.updateColumnType("id", DataTypes.BIGINT()),
                SchemaChange.renameColumn(new String[]{"r", "y"}, "z")), false);
        assertUpdate("INSERT INTO widened VALUES (30000000000, row(300, 'z3'), 9)", 1);
        assertReaders("SELECT other FROM widened", 3, 0);
        assertReaders("SELECT id FROM widened", 1, 2);
        assertReaders("SELECT r FROM widened", 1, 2);
        assertQuery("SELECT id, r.x, r.z, other FROM widened", "VALUES (1, 100, 'y1', 7), (2, NULL, NULL, 8), (30000000000, 300, 'z3', 9)");
        assertQuery("SELECT other FROM widened WHERE id = 2", "VALUES 8");
        assertWhole("widened");
        assertUpdate("DROP TABLE widened");
    }

    /** Row groups and pages that hold no matching row are skipped: by statistics, without a deletion vector by the page index too. */
    @Test
    void partsOfFilesAreSkipped() throws Exception
    {
        assertUpdate(
                "CREATE TABLE big (id bigint, v varchar) WITH (extra_properties = MAP(ARRAY['parquet.block.size', 'parquet.page.size'], ARRAY['100000', '8192']))");
        assertUpdate("INSERT INTO big SELECT n, 'value ' || CAST(n AS varchar) FROM UNNEST(sequence(0, 9999)) t(n) ORDER BY n", 10_000);
        String plan = (String) computeScalar("EXPLAIN ANALYZE VERBOSE SELECT * FROM big WHERE id BETWEEN 5000 AND 5010");
        assertThat(metric(plan, ScanMetrics.DISK_NATIVE)).describedAs(plan).isBetween(11L, 5_000L);
        assertQuery("SELECT count(*), min(v), max(v) FROM big WHERE id BETWEEN 5000 AND 5010", "VALUES (11, 'value 5000', 'value 5010')");
        assertQuery("SELECT count(*) FROM big WHERE v = 'value 77'", "VALUES 1");
        assertQuery("SELECT count(*) FROM big WHERE id > 20000", "VALUES 0");
        assertUpdate("DROP TABLE big");
    }

    @Test
    void deletionVectorsLeaveOutRowsByTheirPositions() throws Exception
    {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (String bitmap64 : List.of("false", "true")) {
            assertUpdate(
                    """
                            CREATE TABLE deleted (id bigint NOT NULL, v varchar) WITH (primary_key = ARRAY['id'], bucket = 1, deletion_vectors_enabled = true,
                            extra_properties = MAP(ARRAY['deletion-vectors.bitmap64', 'parquet.block.size', 'parquet.page.size'], ARRAY['%s', '100000', '8192']))"""
                            .formatted(bitmap64));
            List<GenericRow> rows = new ArrayList<>();
            for (long id = 0; id < 10_000; id++) {
                rows.add(GenericRow.of(id, BinaryString.fromString("value " + id)));
            }
            writeAndCompact("deleted", rows, true);
            List<GenericRow> deletes = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                deletes.add(GenericRow.ofKind(RowKind.DELETE, (long) random.nextInt(10_000), BinaryString.fromString("")));
            }
            writeAndCompact("deleted", deletes, false);

            assertThat((long) computeScalar("SELECT count(*) FROM \"deleted$table_indexes\" WHERE index_type = 'DELETION_VECTORS'"))
                    .describedAs("deletion vectors are there").isPositive();
            List<String> expected = PaimonRows.read(table("deleted"));
            assertReaders("SELECT * FROM deleted", expected.size(), 0);
            assertThat(PaimonRows.render(computeActual("SELECT * FROM deleted"))).describedAs("seed %s", seed).isEqualTo(expected);
            for (int i = 0; i < 20; i++) {
                long low = random.nextInt(10_000);
                long high = low + random.nextInt(300);
                String condition = random.nextBoolean() ? "id BETWEEN %s AND %s".formatted(low, high) : "v = 'value %s'".formatted(low);
                assertThat(PaimonRows.render(computeActual("SELECT * FROM deleted WHERE " + condition))).describedAs("seed %s: %s", seed, condition)
                        .isEqualTo(PaimonRows.render(computeActual("SELECT * FROM (SELECT id + 0 id, v || '' v FROM deleted) WHERE " + condition)));
            }
            assertQuery("SELECT count(*) FROM deleted", "VALUES " + expected.size());
            assertUpdate("DROP TABLE deleted");
        }
    }

    private void writeAndCompact(String name, List<GenericRow> rows, boolean full) throws Exception
    {
        Path temporary = Files.createTempDirectory("compaction");
        BatchWriteBuilder builder = table(name).copy(Map.of("write-only", "false")).newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit();
                IOManager ioManager = IOManager.create(temporary.toString())) {
            write.withIOManager(ioManager);
            for (GenericRow row : rows) {
                write.write(row);
            }
            write.compact(BinaryRow.EMPTY_ROW, 0, full);
            commit.commit(write.prepareCommit());
        }
    }
}
