package io.paimon.realtime.trino;

import io.trino.Session;
import io.trino.spi.type.TimeZoneKey;
import io.trino.testing.DistributedQueryRunner;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.fs.Path;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

final class TestPaimonTypes extends AbstractQueryTest
{
    private Catalog catalog;

    @Override
    protected DistributedQueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder().build();
        java.nio.file.Path warehouse = queryRunner.getCoordinator().getBaseDataDir().resolve("paimon_warehouse");
        catalog = closeAfterClass(CatalogFactory.createCatalog(CatalogContext.create(new Path(warehouse.toUri()))));
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc", "avro"})
    void trinoWritesAndPaimonReads(String format)
            throws Exception
    {
        String table = "written_by_trino_" + format;
        assertUpdate(
                ("""
                        CREATE TABLE %s WITH (file_format = '%s') AS SELECT * FROM (VALUES
                        (1, true, TINYINT '-128', SMALLINT '32767', BIGINT '-9223372036854775808', REAL '1.5', DOUBLE '-0.0', DECIMAL '123.45', DECIMAL '12345678901234567890.123456789',
                         CAST('ab' AS char(5)), CAST('naïve €' AS varchar(20)), 'unbounded', X'00FF', DATE '1969-12-31', TIME '10:11:12.345',
                         TIMESTAMP '2024-01-02 10:04:05', TIMESTAMP '2024-01-02 10:04:05.123', TIMESTAMP '2024-01-02 10:04:05.123456', TIMESTAMP '2024-01-02 10:04:05.123456789',
                         TIMESTAMP '2023-11-14 22:13:20.123 UTC', TIMESTAMP '2023-11-15 06:13:20.123456 Asia/Shanghai', TIMESTAMP '2023-11-14 22:13:20.123456789 UTC',
                         ARRAY[1, NULL, 3], MAP(ARRAY['a', 'b'], ARRAY[1, NULL]), CAST(ROW('x', ARRAY[ROW(7)]) AS row(n varchar, l array(row(v integer))))),
                        (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                        (3, false, TINYINT '127', SMALLINT '-32768', BIGINT '9223372036854775807', REAL '-1.5', nan(), DECIMAL '-999.99', DECIMAL '-12345678901234567890.123456789',
                         CAST('' AS char(5)), CAST('' AS varchar(20)), '', X'', DATE '9999-12-31', TIME '00:00:00.000',
                         TIMESTAMP '1969-12-31 23:59:58', TIMESTAMP '1969-12-31 23:59:57.999', TIMESTAMP '1969-12-01 05:06:07.234567', TIMESTAMP '1969-12-01 05:06:07.234567891',
                         TIMESTAMP '1969-12-01 05:06:07.234 UTC', TIMESTAMP '1969-12-01 05:06:07.234567 UTC', TIMESTAMP '1969-12-01 05:06:07.234567891 UTC',
                         ARRAY[], MAP(), CAST(ROW(NULL, ARRAY[]) AS row(n varchar, l array(row(v integer))))))
                        t(id, b, t, s, l, r, d, short, long, c, v, u, bin, dt, tm, ts0, ts3, ts6, ts9, tz3, tz6, tz9, a, m, n)""")
                        .formatted(table, format)
                        .replaceAll(nanos(format), "$1"),
                3);
        Table paimon = catalog.getTable(new Identifier("tpch", table));
        assertThat(PaimonRows.render(computeActual("SELECT * FROM " + table)))
                .hasSize(3)
                .containsExactlyElementsOf(PaimonRows.read(paimon));
        assertThat(PaimonRows.read(paimon).getFirst()).isEqualTo(
                ("[1, true, -128, 32767, -9223372036854775808, 1.5, -0.0, 123.45, 12345678901234567890.123456789, ab   , naïve €, unbounded, 00ff, 1969-12-31, 10:11:12.345, "
                        +
                        "2024-01-02T10:04:05, 2024-01-02T10:04:05.123, 2024-01-02T10:04:05.123456, 2024-01-02T10:04:05.123456789, " +
                        "2023-11-14T22:13:20.123Z, 2023-11-14T22:13:20.123456Z, 2023-11-14T22:13:20.123456789Z, [1, null, 3], {a=1, b=null}, [x, [[7]]]]")
                        .replaceAll(nanos(format), "$1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc", "avro"})
    void paimonWritesAndTrinoReads(String format)
            throws Exception
    {
        String name = "written_by_paimon_" + format;
        write(name, Schema.newBuilder()
                .column("Id", DataTypes.INT())
                .column("x", DataTypes.TIME(3))
                .column("p", DataTypes.CHAR(10))
                .column("ts", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
                .column("ts9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(format.equals("avro") ? 6 : 9))
                .column("local", DataTypes.TIMESTAMP(6))
                .column("bag", DataTypes.MULTISET(DataTypes.STRING()))
                .column("fixed", DataTypes.BINARY(2))
                .column("n", DataTypes.ROW(DataTypes.FIELD(20, "n", DataTypes.STRING()), DataTypes.FIELD(21, "p", DataTypes.DECIMAL(20, 2))))
                .option("file.format", format)
                .option("orc.timestamp-ltz.legacy.type", "false")
                .build(),
                GenericRow.of(1, 36672345, BinaryString.fromString("abc"), Timestamp.fromEpochMillis(1700000000123L),
                        Timestamp.fromEpochMillis(1700000000123L, 456789),
                        Timestamp.fromLocalDateTime(LocalDateTime.parse("2024-01-02T10:04:05.123456")),
                        new GenericMap(Map.of(BinaryString.fromString("k"), 2)),
                        new byte[]{1, 2}, GenericRow.of(BinaryString.fromString("x"), Decimal.fromBigDecimal(new BigDecimal("1.25"), 20, 2))),
                GenericRow.of(2, null, BinaryString.fromString("abc       "), null, null, null, null, null, null),
                GenericRow.of(3, 0, null, Timestamp.fromEpochMillis(-1234), Timestamp.fromEpochMillis(-1234, 1),
                        Timestamp.fromLocalDateTime(LocalDate.of(1969, 12, 1).atTime(5, 6, 7, 234567000)), new GenericMap(Map.of()), new byte[0],
                        GenericRow.of(null, null)));
        assertThat(query("SELECT id, x FROM " + name)).matches("VALUES (1, TIME '10:11:12.345'), (2, NULL), (3, TIME '00:00:00.000')");
        assertQuery("SELECT id FROM " + name + " WHERE x > TIME '09:00:00'", "VALUES 1");
        assertQuery("SELECT id FROM " + name + " WHERE p = 'abc'", "VALUES 1, 2");
        assertQuery("SELECT id FROM " + name + " WHERE p = CAST('abc' AS char(10)) AND id > 1", "VALUES 2");
        for (String zone : new String[]{"UTC", "Asia/Shanghai", "America/New_York"}) {
            Session session = Session.builder(getSession()).setTimeZoneKey(TimeZoneKey.getTimeZoneKey(zone)).build();
            assertQuery(session, "SELECT id FROM " + name + " WHERE ts = TIMESTAMP '2023-11-14 22:13:20.123 UTC'", "VALUES 1");
            assertQuery(session, "SELECT id FROM " + name + " WHERE ts = TIMESTAMP '2023-11-15 06:13:20.123 Asia/Shanghai'", "VALUES 1");
            assertQuery(session,
                    "SELECT id FROM " + name + " WHERE ts9 = TIMESTAMP '2023-11-14 22:13:20.123456789 UTC'".replaceAll(nanos(format), "$1"),
                    "VALUES 1");
            assertQueryReturnsEmptyResult(session, "SELECT id FROM " + name + " WHERE ts9 = TIMESTAMP '2023-11-14 22:13:20.123457788 UTC'");
        }
        assertThat(query("SELECT local FROM " + name + " WHERE id <> 2"))
                .matches("VALUES TIMESTAMP '2024-01-02 10:04:05.123456', TIMESTAMP '1969-12-01 05:06:07.234567'");
        assertThat(query("SELECT id, bag FROM " + name)).matches("VALUES (1, MAP(ARRAY[VARCHAR 'k'], ARRAY[2])), (2, NULL), (3, MAP())");
        assertThat(query("SELECT id, n.n, n.p, n IS NULL FROM " + name))
                .matches("VALUES (1, VARCHAR 'x', CAST(1.25 AS decimal(20, 2)), false), (2, NULL, NULL, true), (3, NULL, NULL, false)");
        assertThat(query("SELECT id, fixed FROM " + name)).matches("VALUES (1, X'0102'), (2, NULL), (3, X'')");
    }

    /** Paimon's own reader of ORC drops such rows when the JVM's time zone is not UTC. */
    @Test
    void filtersOnInstantsInOrcFilesWrittenWithPaimonsDefaults()
            throws Exception
    {
        write("orc_instants", Schema.newBuilder().column("id", DataTypes.INT()).column("ts", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
                .option("file.format", "orc").build(),
                GenericRow.of(1, Timestamp.fromEpochMillis(1700000000123L)), GenericRow.of(2, Timestamp.fromEpochMillis(1700000000124L)),
                GenericRow.of(3, null));
        assertQuery("SELECT id FROM orc_instants WHERE ts = TIMESTAMP '2023-11-14 22:13:20.123 UTC'", "VALUES 1");
        assertQuery("SELECT id FROM orc_instants WHERE ts <= TIMESTAMP '2023-11-14 22:13:20.123 UTC'", "VALUES 1");
        assertQuery("SELECT id FROM orc_instants WHERE ts >= TIMESTAMP '2023-11-14 22:13:20.124 UTC'", "VALUES 2");
        assertQuery("SELECT id FROM orc_instants WHERE ts IS NULL", "VALUES 3");
    }

    @Test
    void floatsWithNansAndNegativeZeros()
    {
        for (String format : new String[]{"parquet", "orc", "avro"}) {
            assertUpdate("CREATE TABLE floats (id integer, d double, f real) WITH (file_format = '%s')".formatted(format));
            assertUpdate(
                    "INSERT INTO floats VALUES (1, nan(), CAST(nan() AS real)), (2, 1.0, 1.0), (3, -0.0, -0.0), (4, 0.0, 0.0), (5, NULL, NULL), (6, infinity(), infinity())",
                    6);
            for (String column : new String[]{"d", "f"}) {
                assertQuery("SELECT id FROM floats WHERE %s = 0.0".formatted(column), "VALUES 3, 4");
                assertQuery("SELECT id FROM floats WHERE %s > 0.5".formatted(column), "VALUES 2, 6");
                assertQuery("SELECT id FROM floats WHERE is_nan(%s)".formatted(column), "VALUES 1");
                assertQuery("SELECT id FROM floats WHERE %s IS NOT NULL".formatted(column), "VALUES 1, 2, 3, 4, 6");
            }
            assertUpdate("DROP TABLE floats");
        }
    }

    @Test
    void columnsThatTrinoCannotShowMakeOneTableUnreadable()
            throws Exception
    {
        catalog.createTable(new Identifier("tpch", "odd"), Schema.newBuilder().column("id", DataTypes.INT()).column("v", DataTypes.VARIANT()).build(),
                false);
        catalog.createTable(new Identifier("tpch", "twins"),
                Schema.newBuilder().column("body", DataTypes.INT()).column("Body", DataTypes.INT()).build(), false);
        assertQueryFails("SELECT * FROM odd", "Column 'v' of tpch.odd has type VARIANT, which is not supported");
        assertQueryFails("SELECT * FROM twins",
                "Columns 'body' and 'Body' of tpch.twins differ in case only, so that they cannot be told apart in SQL");
        assertUpdate("CREATE TABLE good (id integer)");
        assertThat(computeActual("SELECT table_name FROM information_schema.columns WHERE table_schema = 'tpch'").getOnlyColumnAsSet())
                .contains("good").doesNotContain("odd", "twins");
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).contains("good", "odd", "twins");
        assertUpdate("DROP TABLE odd");
        assertUpdate("DROP TABLE twins");
        assertUpdate("DROP TABLE good");
    }

    private void write(String name, Schema schema, GenericRow... rows)
            throws Exception
    {
        Identifier identifier = new Identifier("tpch", name);
        catalog.createTable(identifier, schema, false);
        BatchWriteBuilder builder = catalog.getTable(identifier).newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** Avro holds microseconds: what is beyond is taken away from every literal. */
    private static String nanos(String format)
    {
        return format.equals("avro") ? "(:\\d\\d\\.\\d{6})\\d{3}" : "(?!)()";
    }
}
