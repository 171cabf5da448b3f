package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.TimestampType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Isolated;

/** Timestamps of ORC depend on the time zone of the process, which is another one here. */
@Isolated
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestOrcTimestamps extends AbstractFileReadTest
{
    private static final TimeZone UTC = TimeZone.getTimeZone("UTC");
    private static final TimeZone ELSEWHERE = TimeZone.getTimeZone("America/Bahia_Banderas");
    private static final String PRECISIONS = "t0 timestamp(0), t1 timestamp(1), t3 timestamp(3), t5 timestamp(5), t6 timestamp(6), t7 timestamp(7), t9 timestamp(9)";

    private final TimeZone before = TimeZone.getDefault();

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        TimeZone.setDefault(UTC);
        return super.createQueryRunner();
    }

    @AfterAll
    void restoreTimeZone()
    {
        TimeZone.setDefault(before);
    }

    private void write(String table, List<LocalDateTime> values) throws Exception
    {
        List<GenericRow> rows = new ArrayList<>();
        List<DataField> fields = table(table).rowType().getFields();
        for (LocalDateTime value : values) {
            GenericRow row = new GenericRow(fields.size());
            for (int i = 0; i < fields.size(); i++) {
                row.setField(i,
                        fields.get(i).type() instanceof TimestampType type ? cut(value, type.getPrecision()) : BinaryString.fromString("v" + value));
            }
            rows.add(row);
        }
        append(table, rows);
    }

    private static Timestamp cut(LocalDateTime value, int precision)
    {
        return value == null
                ? null
                : Timestamp.fromLocalDateTime(value.withNano(value.getNano() - value.getNano() % (int) Math.pow(10, 9 - precision)));
    }

    /** Around the beginnings of seconds before and after 1970, at changes of calendars, and anywhere. */
    private static List<LocalDateTime> values(Random random, int count)
    {
        List<LocalDateTime> values = new ArrayList<>();
        values.add(null);
        LocalDateTime epoch = LocalDateTime.of(1970, 1, 1, 0, 0);
        for (LocalDateTime base : List.of(epoch, epoch.plusSeconds(1), epoch.minusSeconds(1), epoch.minusSeconds(2), epoch.minusYears(1),
                LocalDateTime.of(1582, 10, 4, 12, 0),
                LocalDateTime.of(1582, 10, 15, 0, 0), LocalDateTime.of(1, 1, 3, 0, 0), LocalDateTime.of(9999, 12, 31, 23, 59, 59),
                LocalDateTime.of(2024, 3, 31, 2, 30),
                LocalDateTime.of(290_000, 1, 1, 0, 0))) {
            for (int nanos : List.of(0, 1, 999, 1_000, 999_999, 1_000_000, 1_000_001, 123_456_789, 500_000_000, 999_999_999)) {
                values.add(base.plusNanos(nanos));
            }
        }
        while (values.size() < count) {
            values.add(LocalDateTime.of(1600 + random.nextInt(800), 1, 1, 0, 0).plusSeconds(random.nextInt(31_536_000))
                    .plusNanos(random.nextInt(1_000_000_000)));
        }
        return values;
    }

    @Test
    void filesWrittenInUtcAreReadByTrinosReader() throws Exception
    {
        long seed = System.nanoTime();
        List<LocalDateTime> values = values(new Random(seed), 1_000);
        assertUpdate("CREATE TABLE utc (%s) WITH (file_format = 'orc')".formatted(PRECISIONS));
        write("utc", values);
        assertReaders("SELECT * FROM utc", values.size(), 0);
        assertThat(PaimonRows.render(computeActual("SELECT * FROM utc"))).describedAs("seed %s", seed).isEqualTo(PaimonRows.read(table("utc")));
        for (String column : List.of("t0", "t3", "t5", "t6", "t9")) {
            for (String condition : List.of("< TIMESTAMP '1969-12-31 23:59:59'", "= TIMESTAMP '1969-12-31 23:59:58.001'",
                    "> TIMESTAMP '9999-01-01 00:00:00'", "IS NULL",
                    "BETWEEN TIMESTAMP '1582-10-04 00:00:00' AND TIMESTAMP '1582-10-15 00:00:00.5'")) {
                assertThat(PaimonRows.render(computeActual("SELECT * FROM utc WHERE %s %s".formatted(column, condition))))
                        .describedAs("seed %s: %s", seed, condition)
                        .isEqualTo(PaimonRows.render(computeActual("SELECT * FROM utc WHERE IF(random() >= 0, %s) %s".formatted(column, condition))));
            }
        }
        TimeZone.setDefault(ELSEWHERE);
        try {
            assertReaders("SELECT * FROM utc", 0, values.size());
        }
        finally {
            TimeZone.setDefault(UTC);
        }
        assertUpdate("DROP TABLE utc");
    }

    /** Found only when the file is opened, by each part of it. */
    @Test
    void filesWrittenElsewhereAreReadByPaimon() throws Exception
    {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        assertUpdate(
                "CREATE TABLE elsewhere (%s, v varchar) WITH (file_format = 'orc', extra_properties = MAP(ARRAY['orc.stripe.size', 'target-file-size'], ARRAY['300000', '1 GB']))"
                        .formatted(PRECISIONS));
        List<LocalDateTime> values = values(random, 30_000);
        TimeZone.setDefault(ELSEWHERE);
        try {
            write("elsewhere", values);
        }
        finally {
            TimeZone.setDefault(UTC);
        }
        write("elsewhere", values.subList(0, 1_000));
        Session divided = Session.builder(getSession()).setCatalogSessionProperty("paimon", "max_split_size", "1MB").build();
        String plan = (String) computeScalar(divided, "EXPLAIN ANALYZE VERBOSE SELECT * FROM elsewhere");
        assertThat(metric(plan, ScanMetrics.DISK_SPLITS)).describedAs("parts of two files: %s", plan).isGreaterThan(2);
        assertReaders(divided, "SELECT * FROM elsewhere", 1_000, values.size());
        assertReaders("SELECT * FROM elsewhere", 1_000, values.size());
        assertReaders(divided, "SELECT v FROM elsewhere", values.size() + 1_000L, 0);
        assertThat(PaimonRows.render(computeActual(divided, "SELECT * FROM elsewhere"))).describedAs("seed %s", seed)
                .isEqualTo(PaimonRows.read(table("elsewhere")));
        assertUpdate("DROP TABLE elsewhere");
    }

    /** Statistics in the file are of the values that were stored, not of what Trino's reader makes of them before they are corrected. */
    @Test
    void groupsOfRowsAreSkippedByTheValuesThatAreShown() throws Exception
    {
        assertUpdate("CREATE TABLE grouped (t6 timestamp(6)) WITH (file_format = 'orc')");
        LocalDateTime old = LocalDateTime.of(1969, 12, 31, 23, 59, 55, 500_000);
        List<LocalDateTime> values = new ArrayList<>(Collections.nCopies(10_000, old));
        values.addAll(Collections.nCopies(10_000, LocalDateTime.of(1980, 1, 1, 0, 0)));
        write("grouped", values);
        assertThat(computeScalar("SELECT min(t6) FROM grouped")).isEqualTo(old);
        assertThat(computeScalar(
                "SELECT count(*) FROM grouped WHERE t6 BETWEEN TIMESTAMP '1969-12-31 23:59:55' AND TIMESTAMP '1969-12-31 23:59:55.001'"))
                .isEqualTo(10_000L);
        assertThat(computeScalar("SELECT count(*) FROM grouped WHERE t6 < TIMESTAMP '1969-12-31 23:59:55'")).isEqualTo(0L);
        assertReaders("SELECT * FROM grouped WHERE t6 > TIMESTAMP '1975-01-01 00:00:00'", 10_000, 0);
        assertUpdate("DROP TABLE grouped");
    }

    @Test
    void timestampsOutOfRangeAreErrors() throws Exception
    {
        assertUpdate("CREATE TABLE far (t3 timestamp(3), v varchar) WITH (file_format = 'orc')");
        write("far", List.of(LocalDateTime.of(300_000, 1, 1, 0, 0)));
        assertQueryFails("SELECT t3 FROM far", ".* milliseconds since 1970 are out of the range of timestamp");
        assertReaders("SELECT v FROM far", 1, 0);
        assertUpdate("DROP TABLE far");
    }
}
