package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.testing.MaterializedRow;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.api.Test;

/** Files whose minimum and maximum do not tell, and whose indexes do: they are skipped, and no row is lost. */
final class TestFileIndexes extends AbstractFileReadTest
{
    private static final int FILES = 4;
    private static final int ROWS = 60;
    /** Indexes are in files beside those of the data. */
    private static final String BESIDE = "1 b";
    /** Indexes are in the manifests. */
    private static final String EMBEDDED = "1 mb";

    private void create(String name, String format, String index, String columns, String threshold)
    {
        assertUpdate(
                "CREATE TABLE %s (id bigint, i integer, s varchar, d decimal(10, 2), t6 timestamp(6), t9 timestamp(9), dt date, c char(5), p varbinary) "
                        .formatted(name)
                        + "WITH (bucket = -1, file_format = '%s', extra_properties = MAP(ARRAY['file-index.%s.columns', 'file-index.in-manifest-threshold'], ARRAY['%s', '%s']))"
                                .formatted(format, index, columns, threshold));
    }

    /** A number is in one file at most, and all files have the same first and last one. */
    private void fill(String name, Random random) throws Exception
    {
        for (int file = 0; file < FILES; file++) {
            List<GenericRow> rows = new ArrayList<>();
            for (int number : new int[]{-1_001, 1_001}) {
                rows.add(row(number));
            }
            for (int i = 0; i < ROWS; i++) {
                int number = (random.nextInt(200) - 100) * FILES + file;
                rows.add(random.nextInt(10) == 0 ? new GenericRow(9) : row(number));
            }
            append(name, rows);
        }
    }

    private static GenericRow row(int number)
    {
        return GenericRow.of((long) number, number, BinaryString.fromString("s" + number),
                Decimal.fromBigDecimal(BigDecimal.valueOf(number, 2), 10, 2),
                Timestamp.fromMicros(number), Timestamp.fromEpochMillis(0, 1_000 * Math.floorMod(number, 1_000) + 2), number,
                BinaryString.fromString("c" + number % 1_000), new byte[]{(byte) number, (byte) (number >> 8)});
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "parquet; bloom-filter; id,i,s,t6,t9,dt,c,p",
            "orc; bloom-filter; id,i,s,t6,t9,dt,c,p",
            "parquet; bitmap; id,i,s,t6,t9,dt,c",
            "orc; bitmap; id,i,s,t6,t9,dt,c",
            "parquet; bsi; id,i,d,t6,t9,dt",
            "orc; bsi; id,i,d,t6,t9,dt",
            "parquet; range-bitmap; id,i,s,d,t6,dt,c",
            "orc; range-bitmap; id,i,s,d,t6,dt,c"})
    void filesAreSkippedAndNoRowIsLost(String format, String index, String columns) throws Exception
    {
        long seed = System.nanoTime();
        String name = "%s_%s".formatted(format, index.replace("-", ""));
        for (String threshold : format.equals("orc") ? List.of(BESIDE) : List.of(BESIDE, EMBEDDED)) {
            Random random = new Random(seed);
            create(name, format, index, columns, threshold);
            fill(name, random);
            int number = random.nextInt(800) - 400;
            int micros = Math.floorMod(number, 1_000);
            List<String> conditions = List.of(
                    "id = " + number,
                    "id BETWEEN %s AND %s".formatted(number, number + 1),
                    "i IN (%s, %s)".formatted(number, number + FILES),
                    "i > %s AND i < %s".formatted(number, number + 3),
                    "s = 's%s'".formatted(number),
                    "d = DECIMAL '%s'".formatted(BigDecimal.valueOf(number, 2)),
                    "dt = DATE '1970-01-01' + INTERVAL '%s' DAY".formatted(number),
                    "t6 > TIMESTAMP '1970-01-01 00:00:00.000390'",
                    "t9 > TIMESTAMP '1970-01-01 00:00:00.000%03d001' AND t9 < TIMESTAMP '1970-01-01 00:00:00.000%03d003'".formatted(micros, micros),
                    "t9 = TIMESTAMP '1970-01-01 00:00:00.000%03d002'".formatted(micros),
                    "c = 'c%s'".formatted(number),
                    "p = X'%02X%02X'".formatted((byte) number, (byte) (number >> 8)),
                    "id = %s OR id IS NULL".formatted(number),
                    "i IS NOT NULL AND s IS NULL");
            // conditions on columns of the result cannot be pushed down to a scan
            List<MaterializedRow> expected = computeActual("SELECT id, %s FROM %s".formatted(String.join(", ", conditions), name))
                    .getMaterializedRows();
            for (int i = 0; i < conditions.size(); i++) {
                int column = i + 1;
                assertThat(computeActual("SELECT id FROM %s WHERE %s".formatted(name, conditions.get(i))).getOnlyColumn().map(String::valueOf))
                        .describedAs("seed %s: %s", seed, conditions.get(i))
                        .containsExactlyInAnyOrderElementsOf(expected.stream()
                                .filter(row -> Boolean.TRUE.equals(row.getField(column)))
                                .map(row -> String.valueOf(row.getField(0)))
                                .toList());
            }
            if (threshold.equals(BESIDE)) {
                String sql = "SELECT id FROM %s WHERE id = %s".formatted(name, number);
                // a bloom filter may err once or twice
                assertThat(metric((String) computeScalar("EXPLAIN ANALYZE VERBOSE " + sql), ScanMetrics.FILES_SKIPPED)).describedAs("seed %s", seed)
                        .isPositive();
            }
            assertUpdate("DROP TABLE " + name);
        }
    }

    @Test
    void indexesOfOtherColumnsAndOtherTypesSayNothing() throws Exception
    {
        create("changed", "parquet", "bloom-filter", "id,i,s", BESIDE);
        append("changed", List.of(row(-5), row(7), row(900)));
        String skipped = "SELECT * FROM changed WHERE i = 8";
        assertThat(metric((String) computeScalar("EXPLAIN ANALYZE VERBOSE " + skipped), ScanMetrics.FILES_SKIPPED)).isEqualTo(1);
        assertUpdate("ALTER TABLE changed SET PROPERTIES extra_properties = MAP(ARRAY['file-index.read.enabled'], ARRAY['false'])");
        assertThat(metric((String) computeScalar("EXPLAIN ANALYZE VERBOSE " + skipped), ScanMetrics.FILES_SKIPPED)).isZero();
        assertUpdate("ALTER TABLE changed SET PROPERTIES extra_properties = MAP(ARRAY['file-index.read.enabled'], ARRAY['true'])");

        assertUpdate("ALTER TABLE changed ALTER COLUMN i SET DATA TYPE bigint");
        assertUpdate("ALTER TABLE changed RENAME COLUMN s TO was");
        assertUpdate("ALTER TABLE changed ADD COLUMN s varchar");
        assertQuery("SELECT id, was, s FROM changed WHERE i = 7", "VALUES (7, 's7', NULL)");
        assertQuery("SELECT id, was, s FROM changed WHERE was = 's900'", "VALUES (900, 's900', NULL)");
        assertQuery("SELECT count(*) FROM changed WHERE s IS NULL", "VALUES 3");
        assertQueryReturnsEmptyResult("SELECT id FROM changed WHERE s = 's7'");
        assertUpdate("DROP TABLE changed");
    }

    /** Rows that a deletion vector leaves out stay left out; the others of their file are found. */
    @Test
    void filesWithDeletedRows() throws Exception
    {
        assertUpdate("CREATE TABLE deleted (id bigint, v varchar) WITH (primary_key = ARRAY['id'], bucket = 1, "
                + "deletion_vectors_enabled = true, extra_properties = MAP(ARRAY['file-index.bitmap.columns', 'file-index.in-manifest-threshold'], ARRAY['v', '1 b']))");
        writeAndCompact("deleted", List.of(keyed(1, "a"), keyed(2, "b"), keyed(3, "z")), true);
        writeAndCompact("deleted", List.of(keyed(1, "c")), false);
        assertQuery("SELECT id, v FROM deleted", "VALUES (1, 'c'), (2, 'b'), (3, 'z')");
        assertQueryReturnsEmptyResult("SELECT id FROM deleted WHERE v = 'a'");
        assertQuery("SELECT id FROM deleted WHERE v = 'b'", "VALUES 2");
        assertQuery("SELECT id FROM deleted WHERE v = 'c'", "VALUES 1");
        assertUpdate("DROP TABLE deleted");
    }

    private static GenericRow keyed(long id, String v)
    {
        return GenericRow.of(id, BinaryString.fromString(v));
    }
}
