package io.paimon.realtime.trino;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_CANNOT_OPEN_SPLIT;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_REALTIME_CUT_EXPIRED;
import static io.trino.spi.transaction.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.read.PlainPaimon;
import io.trino.Session;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.TestingConnectorSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What queries see while snapshots come and go under them: compaction, expiry, rollback, statements that replace rows. */
@Execution(ExecutionMode.SAME_THREAD)
final class TestSnapshotsUnderQueries extends AbstractQueryTest
{
    private static final long ROWS = 15_000;

    private RealtimeInternals internals;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                // a client that takes nothing stops the scans soon
                .addExtraProperty("sink.max-buffer-size", "1MB")
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", data.toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.registerResource(() -> MoreFiles.deleteRecursively(data, RecursiveDeleteOption.ALLOW_INSECURE));
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        internals = new RealtimeInternals(queryRunner, "paimon");
        return queryRunner;
    }

    private Session committed()
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "realtime_read_mode", "COMMITTED").build();
    }

    private FileStoreTable table(String name)
    {
        return (FileStoreTable) internals.catalog().load(Identifier.create("tpch", name)).orElseThrow();
    }

    private void flush(String name)
    {
        assertUpdate("ALTER TABLE %s EXECUTE flush".formatted(name));
    }

    private long newestSnapshot(String name)
    {
        return table(name).snapshotManager().latestSnapshotIdFromFileSystem();
    }

    /** Leaves the newest snapshot only, and its files. */
    private void expire(String name)
    {
        table(name).newExpireSnapshots()
                .config(ExpireConfig.builder().snapshotRetainMin(1).snapshotRetainMax(1).snapshotTimeRetain(Duration.ZERO).build())
                .expire();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bucket = -1", "bucket = 1, bucket_key = ARRAY['id']"})
    void dedicatedCompactionShowsTheSameRowsBeforeDuringAndAfter(String buckets) throws Exception
    {
        assertUpdate("CREATE TABLE compacted (id bigint, v varchar) WITH (realtime = true, %s)".formatted(buckets));
        String rows = "SELECT count(*), count(DISTINCT id), sum(id), max(v) FROM compacted";
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            long next = 0;
            for (int file = 0; file < 4; file++) {
                assertUpdate("INSERT INTO compacted VALUES (%s, 'a'), (%s, 'b')".formatted(next++, next++), 2);
                flush("compacted");
            }
            assertUpdate("INSERT INTO compacted VALUES (%s, 'c')".formatted(next++), 1);
            String expected = "SELECT %s, %s, %s, 'c'".formatted(next, next, next * (next - 1) / 2);
            long before = (long) computeScalar("SELECT count(*) FROM \"compacted$files\"");
            assertQuery(rows, expected);
            Future<?> compaction = threads.submit(() -> {
                PlainPaimon.compact(table("compacted"));
                return null;
            });
            do {
                assertQuery(rows, expected);
            }
            while (!compaction.isDone());
            compaction.get();
            assertThat((long) computeScalar("SELECT count(*) FROM \"compacted$files\"")).isLessThan(before);
            assertQuery(rows, expected);
            flush("compacted");
            assertQuery(rows, expected);
            assertQuery(committed(), rows, expected);
        }
        assertUpdate("DROP TABLE compacted");
    }

    /** Of 32 files some are opened when they are deleted, others are not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void snapshotThatExpiresUnderAQueryMakesItFailClearly(boolean realtime) throws Exception
    {
        createLargeTable("expiring", realtime, 32);
        try (StreamingQuery query = start("SELECT * FROM expiring")) {
            query.awaitRows();
            replaceAndExpire("expiring", realtime);
            query.drain();
            assertThat(query.errorName()).contains("PAIMON_CANNOT_OPEN_SPLIT");
            assertThat(query.rows()).isLessThan(ROWS);
        }
        assertQuery("SELECT * FROM expiring", "SELECT 1, 'new'" + (realtime ? " UNION ALL SELECT 2, 'fresh'" : ""));
        assertUpdate("DROP TABLE expiring");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void snapshotThatExpiresUnderAQueryThatHasOpenedItIsReadToItsEnd(boolean realtime) throws Exception
    {
        createLargeTable("opened", realtime, 1);
        try (StreamingQuery query = start("SELECT * FROM opened")) {
            query.awaitRows();
            replaceAndExpire("opened", realtime);
            query.drain();
            assertThat(query.errorName()).isEmpty();
            assertThat(query.rows()).isEqualTo(ROWS);
        }
        assertUpdate("DROP TABLE opened");
    }

    private StreamingQuery start(String sql) throws Exception
    {
        return new StreamingQuery(getDistributedQueryRunner().getCoordinator().getBaseUrl(), "paimon", "tpch", sql);
    }

    /** 11 MB: more than the buffers between scans and client hold. */
    private void createLargeTable(String name, boolean realtime, int buckets)
    {
        assertUpdate("CREATE TABLE %s (orderkey bigint, text varchar) WITH (realtime = %s, bucket = %s, bucket_key = ARRAY['orderkey'])"
                .formatted(name, realtime, buckets));
        assertUpdate("INSERT INTO %s SELECT orderkey, rpad(comment, 750, 'x') FROM tpch.tiny.orders".formatted(name), ROWS);
        if (realtime) {
            flush(name);
        }
    }

    private void replaceAndExpire(String name, boolean realtime) throws Exception
    {
        long old = newestSnapshot(name);
        PlainPaimon.overwrite(table(name), List.of(GenericRow.of(1L, BinaryString.fromString("new"))));
        if (realtime) {
            // the writer keeps its newest snapshot from expiry: there must be a newer one
            assertUpdate("INSERT INTO %s VALUES (2, 'fresh')".formatted(name), 1);
            flush(name);
        }
        expire(name);
        assertThat(table(name).snapshotManager().snapshotExists(old)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void snapshotThatExpiresBeforeItsSplitsArePlanned(boolean realtime) throws Exception
    {
        assertUpdate("CREATE TABLE late (orderkey bigint, text varchar) WITH (realtime = %s, bucket = -1)".formatted(realtime));
        assertUpdate("INSERT INTO late VALUES (7, 'seven')", 1);
        if (realtime) {
            flush("late");
        }
        assertThatThrownBy(() -> planSplitsAfter("late", () -> {
            replaceAndExpire("late", realtime);
            return null;
        })).isInstanceOfSatisfying(TrinoException.class, e -> assertThat(e.getErrorCode()).isEqualTo(PAIMON_CANNOT_OPEN_SPLIT.toErrorCode()))
                .hasMessageContaining("Run the query again");
        assertUpdate("DROP TABLE late");
    }

    /** The query has chosen its snapshot; meanwhile the table is rolled back, and another snapshot with that id holds what the query would read from memory as well. */
    @Test
    void snapshotThatGotTheIdOfAnotherAfterARollbackIsNotTakenForIt() throws Exception
    {
        assertUpdate("CREATE TABLE reused (id bigint) WITH (realtime = true, bucket = 1, bucket_key = ARRAY['id'])");
        assertUpdate("INSERT INTO reused VALUES 1", 1);
        flush("reused");
        long first = newestSnapshot("reused");
        for (int id = 2; id < 4; id++) {
            assertUpdate("INSERT INTO reused VALUES %s".formatted(id), 1);
            flush("reused");
        }
        assertUpdate("INSERT INTO reused VALUES 4", 1);
        long chosen = newestSnapshot("reused");
        assertThatThrownBy(() -> planSplitsAfter("reused", () -> {
            table("reused").rollbackTo(first);
            flush("reused");
            assertThat(newestSnapshot("reused")).isEqualTo(chosen);
            return null;
        })).isInstanceOfSatisfying(TrinoException.class, e -> assertThat(e.getErrorCode()).isEqualTo(PAIMON_REALTIME_CUT_EXPIRED.toErrorCode()))
                .hasMessageContaining("run the query again");
        assertQuery("SELECT * FROM reused", "VALUES 1, 4");
        assertQuery(committed(), "SELECT * FROM reused", "VALUES 1, 4");
        assertUpdate("DROP TABLE reused");
    }

    /** As the engine does with a query whose scan begins late: what is called happens after the snapshot is chosen and before its files are looked for. */
    private void planSplitsAfter(String name, Callable<Void> meanwhile) throws Exception
    {
        Connector connector = getDistributedQueryRunner().getCoordinator().getConnector("paimon");
        ConnectorSession session = TestingConnectorSession.builder().setPropertyMetadata(connector.getSessionProperties()).build();
        ConnectorTransactionHandle transaction = connector.beginTransaction(READ_UNCOMMITTED, false, true);
        ConnectorMetadata metadata = connector.getMetadata(session, transaction);
        try {
            ConnectorTableHandle handle = metadata.getTableHandle(session, new SchemaTableName("tpch", name), Optional.empty(), Optional.empty());
            meanwhile.call();
            connector.getSplitManager().getSplits(transaction, session, handle, Set.of(), Constraint.alwaysTrue())
                    .getNextBatch(1_000, DynamicFilterSnapshot.EMPTY).get();
        }
        finally {
            metadata.cleanupQuery(session);
            connector.commit(transaction);
        }
    }

    @Test
    void ownTruncateOverwriteAndPartitionDropWithRowsInMemory()
    {
        assertUpdate("CREATE TABLE parts (id bigint, dt varchar) WITH (realtime = true, bucket = -1, partitioned_by = ARRAY['dt'])");
        assertUpdate("CREATE TABLE whole (id bigint, dt varchar) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['id'])");
        for (String name : List.of("parts", "whole")) {
            assertUpdate("INSERT INTO %s VALUES (1, 'a'), (2, 'a'), (3, 'b')".formatted(name), 3);
            flush(name);
            assertUpdate("INSERT INTO %s VALUES (4, 'a'), (5, 'b'), (6, 'c')".formatted(name), 3);
            // refused, with the way out
            assertQueryFails("TRUNCATE TABLE " + name,
                    "TRUNCATE of real-time table .* is not supported: ALTER TABLE .* SET PROPERTIES realtime = false commits its rows.*");
            assertQueryFails("DELETE FROM %s WHERE dt = 'a'".formatted(name), "This connector does not support modifying table rows");
            assertQueryFails(replacing("REALTIME"), "INSERT INTO %s VALUES (7, 'a')".formatted(name), ".*insert_existing_partitions_behavior.*");
            assertQuery("SELECT id FROM " + name, "VALUES 1, 2, 3, 4, 5, 6");
            assertQuery(committed(), "SELECT id FROM " + name, "VALUES 1, 2, 3");
        }
        // committed rows of the partitions are replaced, rows in memory stay
        assertUpdate(replacing("COMMITTED"), "INSERT INTO parts VALUES (10, 'a'), (11, 'c')", 2);
        assertBeforeAndAfterFlush("parts", "VALUES 3, 10, 11", "VALUES 3, 10, 11, 4, 5, 6");
        assertUpdate(replacing("COMMITTED"), "INSERT INTO whole VALUES (10, 'a')", 1);
        assertBeforeAndAfterFlush("whole", "VALUES 10", "VALUES 10, 4, 5, 6");
        // the way out
        assertUpdate("INSERT INTO whole VALUES (12, 'a')", 1);
        assertUpdate("ALTER TABLE whole SET PROPERTIES realtime = false");
        assertQuery("SELECT id FROM whole", "VALUES 10, 4, 5, 6, 12");
        assertUpdate("TRUNCATE TABLE whole");
        assertUpdate("ALTER TABLE whole SET PROPERTIES realtime = true");
        assertUpdate("INSERT INTO whole VALUES (13, 'a')", 1);
        assertBeforeAndAfterFlush("whole", "SELECT 1 WHERE false", "VALUES 13");
        assertUpdate("DROP TABLE parts");
        assertUpdate("DROP TABLE whole");
    }

    private Session replacing(String writeMode)
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "realtime_write_mode", writeMode)
                .setCatalogSessionProperty("paimon", "insert_existing_partitions_behavior", "OVERWRITE").build();
    }

    private void assertBeforeAndAfterFlush(String name, String committedRows, String rows)
    {
        assertQuery(committed(), "SELECT id FROM " + name, committedRows);
        assertQuery("SELECT id FROM " + name, rows);
        flush(name);
        assertQuery("SELECT id FROM " + name, rows);
        assertQuery(committed(), "SELECT id FROM " + name, rows);
    }
}
