package io.paimon.realtime.trino;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_REALTIME_CUT_EXPIRED;
import static io.trino.spi.transaction.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.trino.Session;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.TestingConnectorSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.Test;

/** Rows in the writer's memory through SQL, on one coordinator and two workers: memory splits are read in place on the one and over Flight on the others. */
final class TestRealtimeQueries extends AbstractQueryTest
{
    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(2)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", data.toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    private Session committed()
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "realtime_read_mode", "COMMITTED").build();
    }

    @Test
    void insertIsVisibleBeforeASnapshotHoldsItAndAfterTheFlush()
    {
        for (String kind : new String[]{"bucket = -1", "bucket = 3, bucket_key = ARRAY['orderkey']",
                "bucket = 2, bucket_key = ARRAY['orderkey'], partitioned_by = ARRAY['orderstatus']"}) {
            assertUpdate(
                    ("CREATE TABLE t (orderkey bigint, custkey bigint, orderstatus varchar(1), totalprice double, orderdate date, orderpriority varchar(15), clerk varchar(15), "
                            + "shippriority integer, comment varchar(79)) WITH (realtime = true, %s)").formatted(kind));
            assertUpdate("INSERT INTO t SELECT * FROM tpch.tiny.orders WHERE orderkey % 2 = 0", "SELECT count(*) FROM orders WHERE orderkey % 2 = 0");
            assertQuery("SELECT * FROM t", "SELECT * FROM orders WHERE orderkey % 2 = 0");
            assertThat(computeActual(committed(), "SELECT * FROM t").getRowCount()).isZero();
            assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 't')");
            assertQuery(committed(), "SELECT * FROM t", "SELECT * FROM orders WHERE orderkey % 2 = 0");
            assertUpdate("INSERT INTO t SELECT * FROM tpch.tiny.orders WHERE orderkey % 2 = 1", "SELECT count(*) FROM orders WHERE orderkey % 2 = 1");
            assertQuery("SELECT * FROM t", "SELECT * FROM orders");
            assertQuery("SELECT count(*), sum(totalprice) FROM t WHERE orderstatus = 'F' AND orderkey < 1000",
                    "SELECT count(*), sum(totalprice) FROM orders WHERE orderstatus = 'F' AND orderkey < 1000");
            assertQuery("SELECT count(*) FROM t a JOIN t b ON a.orderkey = b.orderkey", "SELECT count(*) FROM orders");
            assertUpdate("DROP TABLE t");
        }
    }

    @Test
    void everyTypeComesBackFromMemoryAsFromDisk()
    {
        assertUpdate(
                "CREATE TABLE types (a boolean, b tinyint, c smallint, d integer, e bigint, f real, g double, h decimal(10,2), i decimal(30,5), j char(5), k varchar, "
                        + "l varbinary, m date, n timestamp(3), o timestamp(6), p timestamp(9), q timestamp(3) with time zone, r array(integer), s map(varchar, bigint), "
                        + "u row(x integer, y varchar)) WITH (realtime = true, bucket = -1)");
        assertUpdate(
                "INSERT INTO types VALUES (true, 1, 2, 3, 4, 5.5, 6.5, 7.25, 8.00001, 'ab', 'text', X'0102', DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999', "
                        + "TIMESTAMP '2024-01-02 10:04:05.123456', TIMESTAMP '0001-01-01 00:00:00.123456789', TIMESTAMP '2024-01-02 10:04:05.123 UTC', ARRAY[1, NULL, 3], "
                        + "MAP(ARRAY['k'], ARRAY[9]), ROW(1, NULL)), "
                        + "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
                2);
        String memory = computeActual("SELECT * FROM types ORDER BY e").getMaterializedRows().toString();
        assertUpdate("CALL paimon.system.flush()");
        assertThat(computeActual(committed(), "SELECT * FROM types ORDER BY e").getMaterializedRows().toString()).isEqualTo(memory);
        assertUpdate("DROP TABLE types");
    }

    @Test
    void planShowsTheModeAndTheSnapshot()
    {
        assertUpdate("CREATE TABLE explained (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO explained VALUES 1, 2, 3", 3);
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM explained")).contains("mode=UNION").contains("memoryRows=3");
        assertUpdate("DROP TABLE explained");
    }

    @Test
    void statementsTheWriterDoesNotKnowAreRefusedAndWorkOnceRealtimeIsOff()
    {
        assertUpdate("CREATE TABLE off (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO off VALUES 1, 2, 3", 3);
        assertQueryFails("TRUNCATE TABLE off", "TRUNCATE of real-time table .* is not supported.*realtime = false.*");
        assertQueryFails("ALTER TABLE off RENAME TO renamed", "RENAME of real-time table .* is not supported.*realtime = false.*");
        assertQuery("SELECT count(*) FROM off", "SELECT 3");
        assertUpdate("ALTER TABLE off SET PROPERTIES realtime = false");
        assertQuery("SELECT count(*) FROM off", "SELECT 3");
        assertUpdate("ALTER TABLE off RENAME TO renamed");
        assertUpdate("TRUNCATE TABLE renamed");
        assertQuery("SELECT count(*) FROM renamed", "SELECT 0");
        assertUpdate("DROP TABLE renamed");
    }

    @Test
    void stateOfTheWriterIsATable()
    {
        assertUpdate("CREATE TABLE state (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO state VALUES 1, 2, 3", 3);
        assertQuery("SELECT committed_offset, upper_offset, memory_rows FROM \"state$realtime\"", "SELECT 0, 3, 3");
        assertThat((String) computeScalar("SELECT address FROM paimon.system.realtime_writers")).startsWith("grpc://127.0.0.1:");
        assertUpdate("DROP TABLE state");
    }

    @Test
    void dropSchemaCascadeAlsoDropsWhatTheWriterHolds()
    {
        assertUpdate("CREATE SCHEMA doomed");
        for (long rows = 3; rows > 0; rows--) {
            assertUpdate("CREATE TABLE doomed.a (id bigint) WITH (realtime = true, bucket = -1)");
            assertUpdate("CREATE TABLE doomed.b (id bigint) WITH (realtime = true, bucket = -1)");
            assertUpdate("INSERT INTO doomed.a SELECT n FROM UNNEST(sequence(1, %s)) t (n)".formatted(rows), rows);
            assertUpdate("INSERT INTO doomed.b VALUES 1", 1);
            assertThat(computeScalar("SELECT count(*) FROM doomed.a")).isEqualTo(rows);
            assertQueryFails("DROP SCHEMA doomed RESTRICT", ".*non-empty schema.*");
            assertThat(computeScalar("SELECT count(*) FROM doomed.a")).isEqualTo(rows);
            assertUpdate("DROP SCHEMA doomed CASCADE");
            assertThat(service().tableStatus(new Identifier("doomed", "a")).buckets()).isEmpty();
            assertThat(service().tableStatus(new Identifier("doomed", "b")).buckets()).isEmpty();
            assertThat(computeActual("SHOW SCHEMAS").getOnlyColumnAsSet()).doesNotContain("doomed");
            assertUpdate("CREATE SCHEMA doomed");
        }
        assertUpdate("DROP SCHEMA doomed");
    }

    /** A query that has no cut of a table any more can do everything with it but read its rows. */
    @Test
    void tableWithoutACutHasAHandle() throws Exception
    {
        RealtimeInternals internals = new RealtimeInternals(getDistributedQueryRunner(), "paimon");
        assertUpdate("CREATE TABLE other (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("CREATE TABLE expired (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO expired VALUES 1", 1);
        assertUpdate("ALTER TABLE expired EXECUTE flush");
        FileStoreTable table = (FileStoreTable) internals.catalog().load(new Identifier("tpch", "expired")).orElseThrow();
        long fitting = table.snapshotManager().latestSnapshotId();

        Connector connector = getDistributedQueryRunner().getCoordinator().getConnector("paimon");
        ConnectorSession session = TestingConnectorSession.builder().setPropertyMetadata(connector.getSessionProperties()).build();
        ConnectorTransactionHandle transaction = connector.beginTransaction(READ_UNCOMMITTED, false, true);
        ConnectorMetadata metadata = connector.getMetadata(session, transaction);
        // the query begins with another table; meanwhile the snapshot that fits its cut of this one goes
        assertThat(metadata.getTableHandle(session, new SchemaTableName("tpch", "other"), Optional.empty(), Optional.empty())).isNotNull();
        assertUpdate("INSERT INTO expired VALUES 2", 1);
        assertUpdate("ALTER TABLE expired EXECUTE flush");
        assertThat(table.fileIO().delete(table.snapshotManager().snapshotPath(fitting), false)).isTrue();

        ConnectorTableHandle handle = metadata.getTableHandle(session, new SchemaTableName("tpch", "expired"), Optional.empty(), Optional.empty());
        assertThat(metadata.getTableMetadata(session, handle).getColumns()).filteredOn(column -> !column.isHidden()).hasSize(1);
        assertThatThrownBy(() -> connector.getSplitManager().getSplits(transaction, session, handle, Set.of(), Constraint.alwaysTrue()))
                .isInstanceOfSatisfying(TrinoException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(PAIMON_REALTIME_CUT_EXPIRED.toErrorCode()))
                .hasMessageContaining("run the query again");
        metadata.dropTable(session, handle);
        metadata.cleanupQuery(session);
        connector.commit(transaction);
        assertQueryFails("SELECT * FROM expired", ".*Table 'paimon.tpch.expired' does not exist");
        assertUpdate("DROP TABLE other");
    }

    private EmbeddedRealtimeService service()
    {
        return new RealtimeInternals(getDistributedQueryRunner(), "paimon").service();
    }
}
