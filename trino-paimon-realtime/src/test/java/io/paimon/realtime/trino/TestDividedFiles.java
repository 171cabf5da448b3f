package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.Session;
import java.util.ArrayList;
import java.util.HexFormat;
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

/** Files that are too big for one split: every row is read once, however the file is divided and whoever reads it. */
final class TestDividedFiles extends AbstractFileReadTest
{
    private static final int ROWS = 40_000;
    /** More than 2 MB of values that do not compress, in row groups and stripes of a small part of it. */
    private static final String VALUES = "SELECT n id, n %% 10 d, to_hex(sha512(to_utf8(CAST(n AS varchar)))) v FROM UNNEST(sequence(0, %s)) a(x) CROSS JOIN UNNEST(sequence(x * 100, x * 100 + 99)) b(n)"
            .formatted(ROWS / 100 - 1);
    private static final String SMALL_PARTS = "bucket = 1, bucket_key = ARRAY['id'], extra_properties = MAP(ARRAY['parquet.block.size', 'orc.stripe.size', 'target-file-size'], ARRAY['300000', '300000', '1 GB'])";

    private Session divided()
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "max_split_size", "1MB").build();
    }

    private void assertSplits(Session session, String sql, long splits)
    {
        String plan = (String) computeScalar(session, "EXPLAIN ANALYZE VERBOSE " + sql);
        assertThat(metric(plan, ScanMetrics.DISK_SPLITS)).describedAs(plan).isEqualTo(splits);
    }

    /** Splits of the only file of a table, with a size of at most 1 MB. */
    private long dividedSplits(String table)
    {
        long bytes = (long) computeScalar("SELECT max(file_size_in_bytes) FROM \"%s$files\"".formatted(table));
        assertThat(bytes).isGreaterThan(2 << 20);
        return Math.ceilDiv(bytes, 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void everyRowIsReadOnce(String format)
    {
        String table = "big_" + format;
        assertUpdate("CREATE TABLE %s WITH (file_format = '%s', %s) AS %s".formatted(table, format, SMALL_PARTS, VALUES), ROWS);
        assertSplits(getSession(), "SELECT * FROM " + table, 1);
        assertSplits(divided(), "SELECT * FROM " + table, dividedSplits(table));
        assertReaders(divided(), "SELECT * FROM " + table, ROWS, 0);
        assertWhole(divided(), table);
        assertQuery(divided(), "SELECT count(*) FROM " + table, "VALUES " + ROWS);
        assertQuery(divided(), "SELECT count(DISTINCT id), sum(id), count(v), min(d), max(d) FROM " + table,
                "VALUES (%s, %s, %s, 0, 9)".formatted(ROWS, (ROWS - 1L) * ROWS / 2, ROWS));
        for (String condition : List.of("id = 31234", "id BETWEEN 20000 AND 35000", "d = 3", "v < '10'", "id < 0", "id IN (1, 39999)")) {
            assertThat(PaimonRows.render(computeActual(divided(), "SELECT * FROM %s WHERE %s".formatted(table, condition)))).describedAs(condition)
                    .isEqualTo(PaimonRows.render(computeActual(
                            "SELECT * FROM (SELECT id + 0 id, d + 0 d, v || '' v FROM %s) WHERE %s".formatted(table, condition))));
        }
        assertUpdate("DROP TABLE " + table);
    }

    /** A limit ends the scan when enough rows are known to have been given out: those of a divided file count once, and not before its last part. */
    @Test
    void limits()
    {
        assertUpdate("CREATE TABLE limited WITH (%s) AS %s".formatted(SMALL_PARTS, VALUES), ROWS);
        assertUpdate("INSERT INTO limited " + VALUES, ROWS);
        for (int limit : List.of(1, ROWS - 1, ROWS + 1, 2 * ROWS - 1, 3 * ROWS)) {
            assertThat(computeActual(divided(), "SELECT id FROM limited LIMIT " + limit).getRowCount()).isEqualTo(Math.min(limit, 2 * ROWS));
            assertQuery(divided(), "SELECT count(*) FROM (SELECT d FROM limited LIMIT %s)".formatted(limit), "VALUES " + Math.min(limit, 2 * ROWS));
        }
        assertUpdate("DROP TABLE limited");
    }

    /** What Paimon's reader reads is read whole, by the split at the beginning of the file. */
    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc", "avro"})
    void filesThatPaimonReads(String format) throws Exception
    {
        String table = "changed_" + format;
        assertUpdate("CREATE TABLE %s WITH (file_format = '%s', %s) AS SELECT id, CAST(d AS integer) d, v FROM (%s)"
                .formatted(table, format, SMALL_PARTS, VALUES), ROWS);
        long splits = dividedSplits(table);
        internals.catalog().catalog().alterTable(new Identifier("tpch", table), List.of(
                SchemaChange.updateColumnType("d", DataTypes.BIGINT()),
                SchemaChange.renameColumn("v", "w"),
                SchemaChange.addColumn("v", DataTypes.INT())), false);
        boolean dividable = !format.equals("avro");
        assertSplits(divided(), "SELECT * FROM " + table, dividable ? splits : 1);
        assertReaders(divided(), "SELECT * FROM " + table, 0, ROWS);
        assertReaders(divided(), "SELECT id, v, w FROM " + table, dividable ? ROWS : 0, dividable ? 0 : ROWS);
        assertUpdate("INSERT INTO %s VALUES (-1, 30000000000, 'small', 5)".formatted(table), 1);
        assertReaders(divided(), "SELECT * FROM " + table, dividable ? 1 : 0, dividable ? ROWS : ROWS + 1);
        assertWhole(divided(), table);
        assertQuery(divided(), "SELECT count(*), count(v), sum(d) FROM %s WHERE id < 30000".formatted(table), "VALUES (30001, 1, 30000135000)");
        assertQuery(divided(), "SELECT count(*) FROM " + table, "VALUES " + (ROWS + 1));
        assertUpdate("DROP TABLE " + table);
    }

    @ParameterizedTest
    @CsvSource({"parquet, false", "parquet, true", "orc, false"})
    void deletionVectors(String format, boolean bitmap64) throws Exception
    {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String table = "deleted_%s_%s".formatted(format, bitmap64);
        assertUpdate(
                """
                        CREATE TABLE %s (id bigint NOT NULL, v varchar) WITH (file_format = '%s', primary_key = ARRAY['id'], bucket = 1,
                        deletion_vectors_enabled = true, extra_properties = MAP(
                        ARRAY['deletion-vectors.bitmap64', 'parquet.block.size', 'orc.stripe.size', 'target-file-size'], ARRAY['%s', '300000', '300000', '1 GB']))"""
                        .formatted(table, format, bitmap64));
        int count = 40_000;
        List<GenericRow> rows = new ArrayList<>();
        byte[] value = new byte[64];
        for (long id = 0; id < count; id++) {
            random.nextBytes(value);
            rows.add(GenericRow.of(id, BinaryString.fromString(HexFormat.of().formatHex(value))));
        }
        writeAndCompact(table, rows, true);
        List<GenericRow> deletes = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            deletes.add(GenericRow.ofKind(RowKind.DELETE, (long) random.nextInt(count), BinaryString.fromString("")));
        }
        writeAndCompact(table, deletes, false);

        List<String> expected = PaimonRows.read(table(table));
        assertThat(expected).describedAs("seed %s", seed).hasSizeLessThan(count);
        assertSplits(divided(), "SELECT * FROM " + table, dividedSplits(table));
        assertReaders(divided(), "SELECT * FROM " + table, expected.size(), 0);
        assertThat(PaimonRows.render(computeActual(divided(), "SELECT * FROM " + table))).describedAs("seed %s", seed).isEqualTo(expected);
        assertQuery(divided(), "SELECT count(*) FROM " + table, "VALUES " + expected.size());
        for (int i = 0; i < 4; i++) {
            long low = random.nextInt(count);
            String condition = "id BETWEEN %s AND %s".formatted(low, low + random.nextInt(300));
            assertThat(PaimonRows.render(computeActual(divided(), "SELECT * FROM %s WHERE %s".formatted(table, condition))))
                    .describedAs("seed %s: %s", seed, condition)
                    .isEqualTo(PaimonRows.render(computeActual("SELECT * FROM (SELECT id + 0 id, v FROM %s) WHERE %s".formatted(table, condition))));
        }
        assertUpdate("DROP TABLE " + table);
    }
}
