package io.paimon.realtime.tools.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.tools.flight.FlightTable;
import io.paimon.realtime.tools.flight.Upload;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import sqlline.SqlLine;

/** The real server process with one worker, the plugin in its own class loader, and the clients that people use. The last tests stop it. */
@EnabledIfSystemProperty(named = "project.root", matches = ".+", disabledReason = "runs after package, in the execution 'server' of Surefire")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class ServerSmoke
{
    private static final int REALTIME_UNAVAILABLE = 0x0521_0007;
    private static final int ROWS = 1_000;

    private RealServer server;

    /** What the nodes said, if a test fails. */
    @RegisterExtension
    private final AfterTestExecutionCallback logs = context -> {
        if (context.getExecutionException().isPresent()) {
            System.err.println(server.logs());
        }
    };

    @BeforeAll
    @Timeout(value = 25, unit = TimeUnit.MINUTES)
    void start() throws Exception
    {
        server = new RealServer();
        server.start();
        try (Connection connection = server.connect("smoke")) {
            execute(connection, "CREATE SCHEMA paimon.smoke");
            execute(connection, "CREATE TABLE events (id bigint, name varchar) WITH (realtime = true, bucket = 4, bucket_key = ARRAY['id'])");
        }
    }

    @AfterAll
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void stop() throws Exception
    {
        if (server != null) {
            server.close();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException
    {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<List<Object>> query(Connection connection, String sql) throws SQLException
    {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            return rows(result);
        }
    }

    private static List<List<Object>> rows(ResultSet result) throws SQLException
    {
        int columns = result.getMetaData().getColumnCount();
        List<List<Object>> rows = new ArrayList<>();
        while (result.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                row.add(result.getObject(i));
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<Object> column(ResultSet result, String name) throws SQLException
    {
        List<Object> values = new ArrayList<>();
        while (result.next()) {
            values.add(result.getObject(name));
        }
        return values;
    }

    @Test
    @Order(1)
    void rowsSentOverFlightAreSeenByTheCommandLineAndByJdbc() throws Exception
    {
        try (RootAllocator allocator = new RootAllocator();
                FlightTable table = FlightTable.connect(allocator, server.flightAddress(), "smoke", "events", Optional.empty(), Optional.empty());
                VectorSchemaRoot root = VectorSchemaRoot.create(table.schema(), allocator)) {
            BigIntVector ids = (BigIntVector) root.getVector("id");
            VarCharVector names = (VarCharVector) root.getVector("name");
            for (int i = 0; i < ROWS; i++) {
                ids.setSafe(i, i);
                names.setSafe(i, ("event " + i).getBytes(UTF_8));
            }
            root.setRowCount(ROWS);
            try (Upload upload = table.upload(root, 1)) {
                upload.send(Optional.empty());
                upload.finish();
                assertThat(upload.acknowledgedRows()).isEqualTo(ROWS);
            }
        }
        try (Connection connection = server.connect("smoke")) {
            assertThat(query(connection, "SELECT count(*), sum(id), max(name) FROM events")).containsExactly(List.of(1_000L, 499_500L, "event 999"));
            execute(connection, "SET SESSION paimon.realtime_read_mode = 'COMMITTED'");
            assertThat(query(connection, "SELECT count(*) FROM events")).containsExactly(List.of(0L));
        }
        assertThat(server.script("sql", "--data", server.data().toString(), "-e", "SHOW TABLES FROM smoke; SELECT count(*) FROM smoke.events"))
                .contains("\"events\"").contains("\"1000\"");
    }

    @Test
    @Order(2)
    void theWorkerReadsRowsInMemoryOverFlight() throws Exception
    {
        try (Connection connection = server.connect("smoke")) {
            assertThat(query(connection, "SELECT coordinator, state FROM system.runtime.nodes ORDER BY coordinator"))
                    .containsExactly(List.of(false, "active"), List.of(true, "active"));
            assertThat(query(connection, "EXPLAIN ANALYZE VERBOSE SELECT sum(id) FROM events").toString())
                    .containsPattern("Rows from memory, over Flight'? = LongCount\\{total=1000\\}");
        }
    }

    @Test
    @Order(3)
    void stateIsTold() throws Exception
    {
        try (Connection connection = server.connect("smoke")) {
            assertThat(query(connection,
                    "SELECT count(*), sum(memory_rows), min(memory_bytes) > 0, max(committed_offset), max(last_error) FROM \"events$realtime\""))
                    .containsExactly(List.of(4L, 1_000L, true, 0L, ""));
            assertThat(query(connection,
                    "SELECT address, phase, tables, memory_bytes BETWEEN 1 AND memory_limit_bytes, last_error FROM paimon.system.realtime_writers"))
                    .containsExactly(List.of(server.flightAddress(), "RUNNING", 1L, true, ""));
        }
    }

    @Test
    @Order(4)
    void flushesOfBothKinds() throws Exception
    {
        try (Connection connection = server.connect("smoke"); Connection committed = server.connect("smoke")) {
            execute(committed, "SET SESSION paimon.realtime_read_mode = 'COMMITTED'");
            execute(connection, "CREATE TABLE flushed (id bigint) WITH (realtime = true, bucket = -1)");
            execute(connection, "INSERT INTO flushed VALUES 1, 2");
            assertThat(query(committed, "SELECT count(*) FROM flushed")).containsExactly(List.of(0L));
            execute(connection, "ALTER TABLE flushed EXECUTE flush");
            assertThat(query(committed, "SELECT count(*) FROM flushed")).containsExactly(List.of(2L));
            execute(connection, "INSERT INTO flushed VALUES 3");
            assertThat(query(connection, "SELECT count(*) FROM flushed")).containsExactly(List.of(3L));
            assertThat(query(committed, "SELECT count(*) FROM flushed")).containsExactly(List.of(2L));
            execute(connection, "CALL paimon.system.flush(schema_name => 'smoke', table_name => 'flushed')");
            assertThat(query(committed, "SELECT count(*) FROM flushed")).containsExactly(List.of(3L));
            assertThat(query(connection, "SELECT coalesce(sum(memory_rows), 0) FROM \"flushed$realtime\"")).containsExactly(List.of(0L));
        }
    }

    @Test
    @Order(5)
    void metadata() throws Exception
    {
        try (Connection connection = server.connect("smoke")) {
            DatabaseMetaData metadata = connection.getMetaData();
            try (ResultSet result = metadata.getCatalogs()) {
                assertThat(column(result, "TABLE_CAT")).contains("paimon", "tpch");
            }
            try (ResultSet result = metadata.getSchemas("paimon", null)) {
                assertThat(column(result, "TABLE_SCHEM")).contains("smoke", "information_schema");
            }
            try (ResultSet result = metadata.getTables("paimon", "smoke", "%", null)) {
                assertThat(column(result, "TABLE_NAME")).contains("events");
            }
            try (ResultSet result = metadata.getTables("paimon", "smoke", "events", new String[]{"TABLE"})) {
                assertThat(column(result, "TABLE_TYPE")).containsExactly("TABLE");
            }
            try (ResultSet result = metadata.getColumns("paimon", "smoke", "events", "%")) {
                assertThat(column(result, "COLUMN_NAME")).containsExactly("id", "name");
            }
            try (ResultSet result = metadata.getTypeInfo()) {
                assertThat(column(result, "TYPE_NAME")).contains("bigint", "varchar", "timestamp");
            }
            try (ResultSet result = metadata.getTableTypes()) {
                assertThat(column(result, "TABLE_TYPE")).contains("TABLE", "VIEW");
            }
            try (ResultSet result = metadata.getPrimaryKeys("paimon", "smoke", "events")) {
                assertThat(result.next()).isFalse();
            }
            assertThat(metadata.getDatabaseProductName()).isEqualTo("Trino");
        }
    }

    @Test
    @Order(6)
    void parametersOfEveryTypeComeBackFromMemoryAndFromDisk() throws Exception
    {
        try (Connection connection = server.connect("smoke")) {
            execute(connection,
                    "CREATE TABLE types (a boolean, b tinyint, c smallint, d integer, e bigint, f real, g double, h decimal(10,2), i decimal(30,5), j char(5), "
                            + "k varchar, l varbinary, m date, n timestamp(3), o timestamp(6), p timestamp(9), q timestamp(3) with time zone, r array(integer), "
                            + "s map(varchar, bigint), t row(x integer, y varchar), u time(3)) WITH (realtime = true, bucket = -1)");
            try (PreparedStatement insert = connection
                    .prepareStatement("INSERT INTO types VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS char(5)), ?, ?, ?, ?, "
                            + "CAST(? AS timestamp(6)), CAST(? AS timestamp(9)), CAST(? AS timestamp(3) with time zone), ARRAY[?, NULL], MAP(ARRAY[?], ARRAY[CAST(? AS bigint)]), "
                            + "CAST(ROW(?, ?) AS row(x integer, y varchar)), CAST(? AS time(3)))")) {
                insert.setBoolean(1, true);
                insert.setByte(2, (byte) -1);
                insert.setShort(3, (short) -2);
                insert.setInt(4, Integer.MIN_VALUE);
                insert.setLong(5, Long.MAX_VALUE);
                insert.setFloat(6, 1.5f);
                insert.setDouble(7, -2.25);
                insert.setBigDecimal(8, new BigDecimal("12345678.90"));
                insert.setBigDecimal(9, new BigDecimal("1234567890123456789012345.67890"));
                insert.setString(10, "ab");
                insert.setString(11, "it's \u00fc\u4e2d");
                insert.setBytes(12, new byte[]{0, 1, -1});
                insert.setDate(13, Date.valueOf("1969-12-31"));
                insert.setTimestamp(14, Timestamp.valueOf(LocalDateTime.of(2024, 1, 2, 3, 4, 5, 678_000_000)));
                insert.setString(15, "2024-01-02 03:04:05.123456");
                insert.setString(16, "2024-01-02 03:04:05.123456789");
                insert.setString(17, "2024-01-02 03:04:05.123 UTC");
                insert.setInt(18, 7);
                insert.setString(19, "key");
                insert.setLong(20, 9);
                insert.setInt(21, 3);
                insert.setString(22, "y");
                insert.setString(23, "23:59:59.999");
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
            execute(connection,
                    "INSERT INTO types VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
            List<String> memory = typeRows(connection);
            assertThat(memory).hasSize(2);
            assertThat(memory.getFirst()).contains("9223372036854775807", "1234567890123456789012345.67890", "it's \u00fc\u4e2d", "1969-12-31",
                    "05.123456789", "23:59:59.999");
            checkParameters(connection);
            execute(connection, "CALL paimon.system.flush(schema_name => 'smoke', table_name => 'types')");
            assertThat(typeRows(connection)).isEqualTo(memory);
            checkParameters(connection);
        }
    }

    private static List<String> typeRows(Connection connection) throws SQLException
    {
        return query(connection,
                "SELECT a, b, c, d, e, f, g, h, i, j, k, to_hex(l), m, n, CAST(o AS varchar), CAST(p AS varchar), q, CAST(r AS json), CAST(s AS json), "
                        + "CAST(t AS json), CAST(u AS varchar) FROM types ORDER BY e")
                .stream().map(Object::toString).toList();
    }

    private static void checkParameters(Connection connection) throws SQLException
    {
        try (PreparedStatement select = connection
                .prepareStatement("SELECT e FROM types WHERE a = ? AND b = ? AND d = ? AND e = ? AND f = ? AND g = ? AND h = ? AND i = ? "
                        + "AND k = ? AND l = ? AND m = ? AND n = ? AND r[1] = ? AND s['key'] = ? AND t.y = ?")) {
            select.setBoolean(1, true);
            select.setByte(2, (byte) -1);
            select.setInt(3, Integer.MIN_VALUE);
            select.setLong(4, Long.MAX_VALUE);
            select.setFloat(5, 1.5f);
            select.setDouble(6, -2.25);
            select.setBigDecimal(7, new BigDecimal("12345678.90"));
            select.setBigDecimal(8, new BigDecimal("1234567890123456789012345.67890"));
            select.setString(9, "it's \u00fc\u4e2d");
            select.setBytes(10, new byte[]{0, 1, -1});
            select.setDate(11, Date.valueOf("1969-12-31"));
            select.setTimestamp(12, Timestamp.valueOf(LocalDateTime.of(2024, 1, 2, 3, 4, 5, 678_000_000)));
            select.setInt(13, 7);
            select.setLong(14, 9);
            select.setString(15, "y");
            assertThat(select.getMetaData().getColumnCount()).isEqualTo(1);
            try (ResultSet result = select.executeQuery()) {
                assertThat(rows(result)).containsExactly(List.of(Long.MAX_VALUE));
            }
        }
    }

    @Test
    @Order(7)
    void whatReportingToolsAsk() throws Exception
    {
        try (Connection connection = server.connect("smoke"); Statement statement = connection.createStatement()) {
            for (String sql : List.of("SELECT * FROM events WHERE 1 = 0", "SELECT * FROM (SELECT * FROM events) \"t\" LIMIT 0")) {
                try (ResultSet result = statement.executeQuery(sql)) {
                    ResultSetMetaData metadata = result.getMetaData();
                    assertThat(List.of(metadata.getColumnLabel(1), metadata.getColumnTypeName(1), metadata.getColumnLabel(2))).containsExactly("id",
                            "bigint", "name");
                    assertThat(result.next()).isFalse();
                }
            }
            assertThat(query(connection,
                    "SELECT \"x\".\"Events Id\" AS \"Min\" FROM (SELECT min(\"y\".\"id\") AS \"Events Id\" FROM (SELECT * FROM \"paimon\".\"smoke\".\"events\") \"y\" "
                            + "WHERE \"y\".\"name\" LIKE 'event%' GROUP BY 1 = 1) \"x\""))
                    .containsExactly(List.of(0L));
            connection.setAutoCommit(false);
            assertThat(query(connection, "SELECT count(*) FROM events")).containsExactly(List.of((long) ROWS));
            assertThat(query(connection, "SELECT count(*) FROM events")).containsExactly(List.of((long) ROWS));
            connection.commit();
        }
    }

    @Test
    @Order(8)
    void jdbcClientOfOthers() throws Exception
    {
        Path script = Files.writeString(server.data().resolve("sqlline.sql"),
                "!tables\n!describe events\nSELECT count(*) AS n, max(name) AS last FROM events;\n", UTF_8);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        SqlLine client = new SqlLine();
        client.setOutputStream(new PrintStream(output, true, UTF_8));
        client.setErrorStream(new PrintStream(output, true, UTF_8));
        SqlLine.Status status = client.begin(
                new String[]{"-u", server.url() + "/smoke", "-n", "test", "-p", "", "--run=" + script, "--outputformat=csv", "--maxWidth=200"},
                null, false);
        assertThat(output.toString(UTF_8)).contains("'1000','event 999'").contains("events").doesNotContain("Error:");
        assertThat(status).isEqualTo(SqlLine.Status.OK);
    }

    @Test
    @Order(9)
    void cancelledQueryHoldsNothing() throws Exception
    {
        try (Connection connection = server.connect("smoke");
                Connection other = server.connect("smoke");
                Statement statement = connection.createStatement()) {
            CompletableFuture<SQLException> failure = CompletableFuture.supplyAsync(() -> catchThrowableOfType(SQLException.class,
                    () -> query(statement)));
            RealServer.eventually(() -> {
                assertThat(pins(other)).isEqualTo(1);
                return null;
            });
            statement.cancel();
            assertThat(failure.get(60, TimeUnit.SECONDS) != null).describedAs("the client is told").isTrue();
            RealServer.eventually(() -> {
                assertThat(pins(other)).isZero();
                return null;
            });
        }
    }

    /** Takes for ever. */
    private static void query(Statement statement) throws SQLException
    {
        try (ResultSet result = statement
                .executeQuery("SELECT count(*) FROM events a, events b, events c, events d WHERE a.id + b.id + c.id <> d.id")) {
            while (result.next()) {
                // no row comes
            }
        }
    }

    private static long pins(Connection connection) throws SQLException
    {
        return ((Number) query(connection, "SELECT coalesce(max(pins), 0) FROM \"events$realtime\"").getFirst().getFirst()).longValue();
    }

    @Test
    @Order(10)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void coordinatorKilledInMidQueryComesBackWithWhatWasCommitted() throws Exception
    {
        try (Connection connection = server.connect("smoke");
                Connection other = server.connect("smoke");
                Statement statement = connection.createStatement()) {
            execute(other, "CALL paimon.system.flush()");
            execute(other, "INSERT INTO events VALUES (-1, 'in memory only')");
            assertThat(query(other, "SELECT count(*) FROM events")).containsExactly(List.of(1_001L));
            CompletableFuture<SQLException> failure = CompletableFuture.supplyAsync(() -> catchThrowableOfType(SQLException.class,
                    () -> query(statement)));
            RealServer.eventually(() -> {
                assertThat(pins(other)).isEqualTo(1);
                return null;
            });
            server.killCoordinator();
            // a client asks for two minutes where nobody answers; the next coordinator does not know the query
            server.restartCoordinator();
            assertThat(failure.get(120, TimeUnit.SECONDS) != null).describedAs("the client is told").isTrue();
        }

        try (Connection connection = server.connect("smoke")) {
            RealServer.eventually(() -> {
                assertThat(query(connection, "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'")).containsExactly(List.of(2L));
                return null;
            });
            // rows in memory went with the process; the worker that has lived on reads what there is
            assertThat(query(connection, "SELECT count(*), sum(id) FROM events")).containsExactly(List.of(1_000L, 499_500L));
            execute(connection, "INSERT INTO events SELECT id + 1000, name FROM events");
            assertThat(query(connection, "SELECT count(*), sum(id) FROM events")).containsExactly(List.of(2_000L, 1_999_000L));
            assertThat(query(connection, "EXPLAIN ANALYZE VERBOSE SELECT sum(id) FROM events").toString())
                    .containsPattern("Rows from memory, over Flight'? = LongCount\\{total=1000\\}");
            RealServer.eventually(() -> {
                assertThat(pins(connection)).isZero();
                return null;
            });
        }
    }

    @Test
    @Order(11)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void stopCommitsWhatIsInMemoryAndWithoutTheFlagCommittedRowsAreRead() throws Exception
    {
        try (Connection connection = server.connect("smoke")) {
            assertThat(query(connection, "SELECT sum(memory_rows) FROM \"events$realtime\"")).containsExactly(List.of((long) ROWS));
        }
        long start = System.nanoTime();
        server.stop();
        // the shutdown timeout, and what the script allows on top
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)).isLessThan(60);

        server.startCoordinatorWithoutArrowFlag();
        try (Connection connection = server.connect("smoke")) {
            RealServer.eventually(() -> query(connection, "SHOW SCHEMAS FROM paimon"));
            // a SELECT may tell that it failed only while its rows are taken
            assertUnavailable(catchThrowableOfType(SQLException.class, () -> query(connection, "SELECT count(*) FROM events")));
            assertUnavailable(catchThrowableOfType(SQLException.class, () -> execute(connection, "INSERT INTO events VALUES (1, 'no')")));
            assertThat(query(connection, "SELECT phase FROM paimon.system.realtime_writers")).containsExactly(List.of("UNAVAILABLE"));
            execute(connection, "SET SESSION paimon.realtime_read_mode = 'COMMITTED'");
            assertThat(query(connection, "SELECT count(*), sum(id) FROM events")).containsExactly(List.of(2_000L, 1_999_000L));
        }
    }

    private static void assertUnavailable(SQLException failure)
    {
        assertThat(failure != null).describedAs("the statement fails").isTrue();
        assertThat(failure.getErrorCode()).describedAs(failure.getMessage()).isEqualTo(REALTIME_UNAVAILABLE);
        assertThat(failure.getMessage()).contains("--add-opens=java.base/java.nio=ALL-UNNAMED");
    }
}
