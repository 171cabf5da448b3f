package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which reader reads a file, and that the rows are Paimon's whichever does. */
final class TestNativeReads extends AbstractFileReadTest
{
    /** Small parts inside of files. */
    private static final String SMALL_PARTS = "'parquet.block.size', 'parquet.page.size', 'orc.stripe.size', 'orc.row.index.stride'";
    private static final String SMALL_SIZES = "'100000', '8192', '20000', '1000'";

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void appendTables(String format)
    {
        String table = "lines_" + format;
        assertUpdate(
                "CREATE TABLE %s WITH (file_format = '%s', partitioned_by = ARRAY['shipmode'], bucket = 2, bucket_key = ARRAY['orderkey']) AS "
                        .formatted(table, format) +
                        "SELECT orderkey, partkey, quantity, extendedprice, comment, shipdate, nullif(shipmode, 'RAIL') shipmode FROM tpch.tiny.lineitem",
                60_175);
        assertReaders("SELECT * FROM " + table, 60_175, 0);
        assertQuery("SELECT sum(orderkey), sum(quantity), min(comment), max(shipdate), count(DISTINCT comment) FROM " + table,
                "SELECT sum(orderkey), sum(quantity), min(comment), max(shipdate), count(DISTINCT comment) FROM lineitem");
        assertQuery("SELECT shipmode, count(*) FROM %s GROUP BY 1".formatted(table),
                "SELECT nullif(shipmode, 'RAIL'), count(*) FROM lineitem GROUP BY shipmode");
        assertQuery("SELECT count(*), sum(partkey) FROM %s WHERE shipmode IS NULL".formatted(table),
                "SELECT count(*), sum(partkey) FROM lineitem WHERE shipmode = 'RAIL'");
        assertQuery("SELECT comment, shipmode FROM %s WHERE orderkey = 7".formatted(table),
                "SELECT comment, nullif(shipmode, 'RAIL') FROM lineitem WHERE orderkey = 7");
        assertQuery("SELECT count(*), sum(partkey) FROM %s WHERE shipdate = DATE '1995-03-05' AND quantity < 10".formatted(table),
                "SELECT count(*), sum(partkey) FROM lineitem WHERE shipdate = DATE '1995-03-05' AND quantity < 10");
        assertThat(computeActual("SELECT * FROM %s LIMIT 10".formatted(table)).getRowCount()).isEqualTo(10);
        assertThat(computeActual("SELECT shipmode FROM %s LIMIT 100".formatted(table)).getRowCount()).isEqualTo(100);
        assertWhole(table);
        assertUpdate("DROP TABLE " + table);
    }

    @Test
    void otherFormatsAndUnmergedFilesAreReadByPaimon()
    {
        assertUpdate("CREATE TABLE other WITH (file_format = 'avro') AS SELECT * FROM tpch.tiny.nation", 25);
        assertReaders("SELECT * FROM other", 0, 25);
        assertUpdate("DROP TABLE other");
        for (String format : List.of("parquet", "orc")) {
            assertUpdate("CREATE TABLE keyed (id bigint NOT NULL, v bigint) WITH (primary_key = ARRAY['id'], bucket = 1, file_format = '%s')"
                    .formatted(format));
            assertUpdate("INSERT INTO keyed VALUES (1, 1), (2, 2)", 2);
            assertUpdate("INSERT INTO keyed VALUES (1, 10)", 1);
            assertReaders("SELECT * FROM keyed", 0, 2);
            assertQuery("SELECT * FROM keyed", "VALUES (1, 10), (2, 2)");
            assertUpdate("DROP TABLE keyed");
        }
    }

    @Test
    void typesThatAreLeftToPaimonsReaderOfOrc()
    {
        assertUpdate("""
                CREATE TABLE times (id bigint, t3 timestamp(3), z6 timestamp(6) with time zone, t time(3), r row(x bigint, y timestamp(6)),
                a array(timestamp(3) with time zone), d date, p time(3)) WITH (file_format = 'orc', partitioned_by = ARRAY['p'])""");
        assertUpdate(
                """
                        INSERT INTO times VALUES (1, TIMESTAMP '2024-03-31 02:30:00.123', TIMESTAMP '2024-03-31 02:30:00.123456 UTC', TIME '12:34:56.789',
                        row(7, TIMESTAMP '1969-12-31 23:59:58.999999'), ARRAY[TIMESTAMP '2024-03-31 02:30:00.123 UTC'], DATE '0044-03-15', TIME '01:02:03')""",
                1);
        assertReaders("SELECT id, d, p FROM times", 1, 0);
        for (String column : List.of("t3", "z6", "t", "r", "a")) {
            assertReaders("SELECT id, %s FROM times".formatted(column), 0, 1);
        }
        assertWhole("times");
        assertUpdate("DROP TABLE times");
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void columnsThatWereRenamedDroppedAndAddedAgain(String format)
    {
        String table = "evolved_" + format;
        assertUpdate(
                "CREATE TABLE %s (id bigint, a varchar, b bigint, r row(x bigint, y varchar)) WITH (file_format = '%s')".formatted(table, format));
        assertUpdate("INSERT INTO %s VALUES (1, 'a1', 10, row(100, 'y1')), (2, NULL, NULL, NULL)".formatted(table), 2);
        assertUpdate("ALTER TABLE %s RENAME COLUMN a TO c".formatted(table));
        assertUpdate("ALTER TABLE %s DROP COLUMN b".formatted(table));
        assertUpdate("ALTER TABLE %s ADD COLUMN b varchar".formatted(table));
        assertUpdate("ALTER TABLE %s ADD COLUMN a varchar".formatted(table));
        assertUpdate("INSERT INTO %s VALUES (3, 'c3', row(300, 'y3'), 'b3', 'a3')".formatted(table), 1);
        assertReaders("SELECT * FROM " + table, 3, 0);
        assertQuery("SELECT id, c, r.x, r.y, b, a FROM " + table,
                "VALUES (1, 'a1', 100, 'y1', NULL, NULL), (2, NULL, NULL, NULL, NULL, NULL), (3, 'c3', 300, 'y3', 'b3', 'a3')");
        assertQuery("SELECT id FROM %s WHERE a = 'a1'".formatted(table), "SELECT 1 WHERE false");
        assertQuery("SELECT id FROM %s WHERE c = 'a1'".formatted(table), "VALUES 1");
        assertQuery("SELECT id FROM %s WHERE b IS NULL".formatted(table), "VALUES 1, 2");
        assertWhole(table);
        assertUpdate("DROP TABLE " + table);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void filesBeforeAChangeOfTypesAreReadByPaimon(String format) throws Exception
    {
        String table = "widened_" + format;
        assertUpdate("CREATE TABLE %s (id integer, r row(x bigint, y varchar), other bigint) WITH (file_format = '%s')".formatted(table, format));
        assertUpdate("INSERT INTO %s VALUES (1, row(100, 'y1'), 7), (2, NULL, 8)".formatted(table), 2);
        internals.catalog().catalog().alterTable(new Identifier("tpch", table), List.of(
                SchemaChange.updateColumnType("id", DataTypes.BIGINT()),
                SchemaChange.renameColumn(new String[]{"r", "y"}, "z")), false);
        assertUpdate("INSERT INTO %s VALUES (30000000000, row(300, 'z3'), 9)".formatted(table), 1);
        assertReaders("SELECT other FROM " + table, 3, 0);
        assertReaders("SELECT id FROM " + table, 1, 2);
        assertReaders("SELECT r FROM " + table, 1, 2);
        assertQuery("SELECT id, r.x, r.z, other FROM " + table, "VALUES (1, 100, 'y1', 7), (2, NULL, NULL, 8), (30000000000, 300, 'z3', 9)");
        assertQuery("SELECT other FROM %s WHERE id = 2".formatted(table), "VALUES 8");
        assertWhole(table);
        assertUpdate("DROP TABLE " + table);
    }

    /** Parts of files that hold no matching row are skipped: by statistics, in Parquet without a deletion vector by the page index too. */
    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void partsOfFilesAreSkipped(String format)
    {
        String table = "big_" + format;
        assertUpdate("CREATE TABLE %s (id bigint, v varchar) WITH (file_format = '%s', extra_properties = MAP(ARRAY[%s], ARRAY[%s]))"
                .formatted(table, format, SMALL_PARTS, SMALL_SIZES));
        assertUpdate("INSERT INTO %s SELECT n, 'value ' || CAST(n AS varchar) FROM UNNEST(sequence(0, 9999)) t(n) ORDER BY n".formatted(table),
                10_000);
        String plan = (String) computeScalar("EXPLAIN ANALYZE VERBOSE SELECT * FROM %s WHERE id BETWEEN 5000 AND 5010".formatted(table));
        assertThat(metric(plan, ScanMetrics.DISK_NATIVE)).describedAs(plan).isBetween(11L, 5_000L);
        assertQuery("SELECT count(*), min(v), max(v) FROM %s WHERE id BETWEEN 5000 AND 5010".formatted(table),
                "VALUES (11, 'value 5000', 'value 5010')");
        assertQuery("SELECT count(*) FROM %s WHERE v = 'value 77'".formatted(table), "VALUES 1");
        assertQuery("SELECT count(*) FROM %s WHERE id > 20000".formatted(table), "VALUES 0");
        assertUpdate("DROP TABLE " + table);
    }

    @ParameterizedTest
    @CsvSource({"parquet, false", "parquet, true", "orc, false", "orc, true"})
    void deletionVectorsLeaveOutRowsByTheirPositions(String format, boolean bitmap64) throws Exception
    {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String table = "deleted_%s_%s".formatted(format, bitmap64);
        assertUpdate(
                """
                        CREATE TABLE %s (id bigint NOT NULL, v varchar) WITH (file_format = '%s', primary_key = ARRAY['id'], bucket = 1,
                        deletion_vectors_enabled = true, extra_properties = MAP(ARRAY['deletion-vectors.bitmap64', %s], ARRAY['%s', %s]))"""
                        .formatted(table, format, SMALL_PARTS, bitmap64, SMALL_SIZES));
        List<GenericRow> rows = new ArrayList<>();
        for (long id = 0; id < 10_000; id++) {
            rows.add(GenericRow.of(id, BinaryString.fromString("value " + id)));
        }
        writeAndCompact(table, rows, true);
        List<GenericRow> deletes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            deletes.add(GenericRow.ofKind(RowKind.DELETE, (long) random.nextInt(10_000), BinaryString.fromString("")));
        }
        writeAndCompact(table, deletes, false);

        assertThat((long) computeScalar("SELECT count(*) FROM \"%s$table_indexes\" WHERE index_type = 'DELETION_VECTORS'".formatted(table)))
                .describedAs("deletion vectors are there").isPositive();
        List<String> expected = PaimonRows.read(table(table));
        assertReaders("SELECT * FROM " + table, expected.size(), 0);
        assertThat(PaimonRows.render(computeActual("SELECT * FROM " + table))).describedAs("seed %s", seed).isEqualTo(expected);
        for (int i = 0; i < 8; i++) {
            long low = random.nextInt(10_000);
            long high = low + random.nextInt(300);
            String condition = random.nextBoolean() ? "id BETWEEN %s AND %s".formatted(low, high) : "v = 'value %s'".formatted(low);
            assertThat(PaimonRows.render(computeActual("SELECT * FROM %s WHERE %s".formatted(table, condition))))
                    .describedAs("seed %s: %s", seed, condition)
                    .isEqualTo(PaimonRows
                            .render(computeActual("SELECT * FROM (SELECT id + 0 id, v || '' v FROM %s) WHERE %s".formatted(table, condition))));
        }
        assertQuery("SELECT count(*) FROM " + table, "VALUES " + expected.size());
        assertUpdate("DROP TABLE " + table);
    }
}
