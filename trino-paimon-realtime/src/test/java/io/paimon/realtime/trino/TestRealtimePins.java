package io.paimon.realtime.trino;

import static io.paimon.realtime.trino.RealtimeInternals.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.trino.spi.TrinoException;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * However a query ends, it gives back what it held of the writer: its lease, its rows, its batches on the way. Every query here is ended while it runs, and after its rows were committed, so
 * that nothing but the query holds them.
 */
@Execution(ExecutionMode.SAME_THREAD)
final class TestRealtimePins extends AbstractQueryTest
{
    private static final int LEASE_SECONDS = 5;
    private static final long ROWS = 15_000;

    private RealtimeInternals internals;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        DistributedQueryRunner queryRunner = queryRunner(data, "5m");
        queryRunner.registerResource(() -> deleteRecursively(data));
        internals = new RealtimeInternals(queryRunner, "paimon");
        return queryRunner;
    }

    private static DistributedQueryRunner queryRunner(Path data, String clientTimeout) throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(2)
                // a client that takes nothing stops the scans soon
                .addExtraProperty("sink.max-buffer-size", "1MB")
                .addCoordinatorProperty("query.client.timeout", clientTimeout)
                .addCoordinatorProperty("query.remote-task.max-error-duration", "10s")
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", data.toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .addConnectorProperty("paimon.realtime.read-lease-timeout", LEASE_SECONDS + "s")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    private static void deleteRecursively(Path directory) throws Exception
    {
        MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }

    /** 22 MB in 32 buckets: neither do the buffers between scans and client hold all of it, nor are all splits opened at once. */
    @BeforeEach
    void createTable()
    {
        createTable(getDistributedQueryRunner());
    }

    private static void createTable(QueryRunner queryRunner)
    {
        queryRunner.execute(
                "CREATE TABLE paimon.tpch.big (orderkey bigint, text varchar) WITH (realtime = true, bucket = 32, bucket_key = ARRAY['orderkey'])");
        queryRunner.execute("INSERT INTO paimon.tpch.big SELECT orderkey, rpad(comment, 1500, 'x') FROM tpch.tiny.orders");
    }

    @AfterEach
    void dropTable()
    {
        assertUpdate("DROP TABLE big");
    }

    private StreamingQuery start(String sql) throws Exception
    {
        return new StreamingQuery(getDistributedQueryRunner().getCoordinator().getBaseUrl(), "paimon", "tpch", sql);
    }

    /** What is in memory after this is held by queries alone. */
    private void flush()
    {
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'big')");
    }

    private void flushAndAssertHeldBy(StreamingQuery query)
    {
        flush();
        assertThat(internals.service().pinnedQueries()).describedAs(query.queryId()).isEqualTo(1);
        assertThat(internals.service().allocator().getAllocatedMemory()).describedAs(query.queryId()).isPositive();
    }

    private void flushAndAssertReleased()
    {
        flush();
        internals.assertReleased();
    }

    @Test
    void success() throws Exception
    {
        try (StreamingQuery query = start("SELECT a.text, b.orderkey FROM big a JOIN big b ON a.orderkey = b.orderkey")) {
            query.awaitRows();
            flushAndAssertHeldBy(query);
            query.drain();
            assertThat(query.errorName()).isEmpty();
            assertThat(query.rows()).isEqualTo(ROWS);
        }
        internals.assertReleased();
    }

    @Test
    void failureInMidQuery() throws Exception
    {
        // one row makes it fail, while a scan is at it; whether the client has seen rows by then is a matter of timing
        try (StreamingQuery query = start("SELECT text, 1 / (orderkey - 59975) FROM big")) {
            query.drain();
            assertThat(query.errorName()).contains("DIVISION_BY_ZERO");
            assertThat(query.rows()).isLessThan(ROWS);
        }
        flushAndAssertReleased();
    }

    @Test
    void failureInAnalysisAndPlansThatAreOnlyShown()
    {
        assertQueryFails("SELECT nothing FROM big", ".*Column 'nothing' cannot be resolved");
        computeActual("EXPLAIN SELECT count(*) FROM big");
        computeActual("SHOW COLUMNS FROM big");
        computeActual("SELECT column_name FROM information_schema.columns WHERE table_schema = 'tpch'");
        assertQueryFails("INSERT INTO big SELECT orderkey, fail('no') FROM tpch.tiny.orders", ".*");
        flushAndAssertReleased();
    }

    @Test
    void cancel() throws Exception
    {
        try (StreamingQuery query = start("SELECT * FROM big")) {
            query.awaitRows();
            flushAndAssertHeldBy(query);
            query.cancel();
        }
        internals.assertReleased();
    }

    @Test
    void limitThatStopsEarly()
    {
        assertThat(computeActual("SELECT * FROM big LIMIT 10").getRowCount()).isEqualTo(10);
        assertThat(computeActual("SELECT * FROM big WHERE text LIKE '%x' LIMIT 3000").getRowCount()).isEqualTo(3000);
        flushAndAssertReleased();
    }

    @Test
    void splitsOpenedLaterThanTheLeaseTimeAreReadForTheCoordinatorRenews() throws Exception
    {
        try (StreamingQuery query = start("SELECT * FROM big")) {
            query.awaitRows();
            flush();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2 * LEASE_SECONDS + 1);
            assertEventually(() -> assertThat(System.nanoTime()).isGreaterThan(end));
            assertThat(query.advance()).isTrue();
            assertThat(query.statistic("queuedSplits")).describedAs("splits that are not opened yet").isPositive();
            query.drain();
            assertThat(query.errorName()).isEmpty();
            assertThat(query.rows()).isEqualTo(ROWS);
        }
        internals.assertReleased();
    }

    @Test
    void splitsOpenedAfterTheEndOfTheLeaseFailAndNoRowIsMissingSilently() throws Exception
    {
        try (StreamingQuery query = start("SELECT * FROM big")) {
            query.awaitRows();
            // as if the coordinator had not renewed
            internals.service().release(query.queryId());
            query.drain();
            assertThat(query.errorName()).contains("PAIMON_REALTIME_CUT_EXPIRED");
            assertThat(query.rows()).isLessThan(ROWS);
        }
        flushAndAssertReleased();
    }

    @Test
    void clientThatGoesAwayAndWorkerThatIsKilled() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        try (DistributedQueryRunner queryRunner = queryRunner(data, "5s"); ExecutorService executor = Executors.newSingleThreadExecutor()) {
            RealtimeInternals others = new RealtimeInternals(queryRunner, "paimon");
            createTable(queryRunner);
            String queryId;
            try (StreamingQuery query = new StreamingQuery(queryRunner.getCoordinator().getBaseUrl(), "paimon", "tpch", "SELECT * FROM big")) {
                query.awaitRows();
                queryId = query.queryId();
            }
            assertEventually(() -> assertThat(
                    queryRunner.execute("SELECT error_code FROM system.runtime.queries WHERE query_id = '%s'".formatted(queryId)).getOnlyValue())
                    .isEqualTo("ABANDONED_QUERY"));
            queryRunner.execute("CALL paimon.system.flush()");
            others.assertReleased();

            queryRunner.execute("DROP TABLE paimon.tpch.big");
            createTable(queryRunner);
            try (StreamingQuery query = new StreamingQuery(queryRunner.getCoordinator().getBaseUrl(), "paimon", "tpch", "SELECT * FROM big")) {
                query.awaitRows();
                Future<?> removal = executor.submit(() -> {
                    queryRunner.removeWorker();
                    return null;
                });
                while (!removal.isDone()) {
                    query.repeat();
                }
                removal.get();
                query.drain();
                assertThat(query.errorName()).isPresent();
                assertThat(query.errorName()).isNotEqualTo(Optional.of("ABANDONED_QUERY"));
                assertThat(query.rows()).isLessThan(ROWS);
            }
            queryRunner.execute("CALL paimon.system.flush()");
            others.assertReleased();
        }
        finally {
            deleteRecursively(data);
        }
    }

    @Test
    void cutTakenAfterTheQueryWasCleanedUpIsRefused() throws Exception
    {
        // the engine cleans up a cancelled query while another thread may still be in its analysis
        Identifier identifier = Identifier.create("tpch", "big");
        FileStoreTable table = (FileStoreTable) internals.catalog().load(identifier).orElseThrow();
        internals.queries().release("cancelled");
        assertThatThrownBy(() -> internals.queries().point("cancelled", identifier, table))
                .isInstanceOfSatisfying(TrinoException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(PaimonErrorCode.PAIMON_REALTIME_CUT_EXPIRED.toErrorCode()));
        flushAndAssertReleased();
    }

    /** As a client does that switches auto-commit off. */
    @Test
    void queriesOfOneTransactionSeeTheirOwnInstant() throws Exception
    {
        String url = "jdbc:trino://%s/paimon/tpch".formatted(getDistributedQueryRunner().getCoordinator().getAddress());
        try (Connection connection = DriverManager.getConnection(url, "test", null); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(count(statement)).isEqualTo(ROWS);
            assertUpdate("INSERT INTO big VALUES (-1, 'new')", 1);
            assertThat(count(statement)).isEqualTo(ROWS + 1);
            flush();
            assertThat(count(statement)).isEqualTo(ROWS + 1);
            statement.execute("SET SESSION paimon.realtime_read_mode = 'COMMITTED'");
            assertThat(count(statement)).isEqualTo(ROWS + 1);
            internals.assertReleased();
            connection.commit();
        }
        flushAndAssertReleased();
    }

    private static long count(Statement statement) throws SQLException
    {
        try (ResultSet result = statement.executeQuery("SELECT count(*) FROM big")) {
            assertThat(result.next()).isTrue();
            return result.getLong(1);
        }
    }
}
