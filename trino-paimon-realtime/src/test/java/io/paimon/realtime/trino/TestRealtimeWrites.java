package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** SQL writes of a worker through a writer with little memory. */
final class TestRealtimeWrites extends AbstractQueryTest
{
    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                .addCoordinatorProperty("node-scheduler.include-coordinator", "false")
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", Files.createTempDirectory("realtime").toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .addConnectorProperty("paimon.realtime.memory-limit", "4MB")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    private Session committed()
    {
        return Session.builder(getSession()).setCatalogSessionProperty("paimon", "realtime_read_mode", "COMMITTED").build();
    }

    @Test
    void insertTenTimesTheMemoryLimit()
    {
        assertUpdate(
                "CREATE TABLE big WITH (realtime = true, bucket = 4, bucket_key = ARRAY['orderkey']) AS SELECT * FROM tpch.sf1.lineitem WITH NO DATA",
                0);
        assertUpdate("INSERT INTO big SELECT * FROM tpch.tiny.lineitem LIMIT 10", 10);
        // about 45 MB of vectors
        String selected = "SELECT * FROM tpch.\"sf0.1\".lineitem WHERE orderkey < 300000";
        long rows = (long) computeScalar("SELECT count(*) FROM (" + selected + ")");
        assertUpdate("INSERT INTO big " + selected, rows);
        assertThat(computeScalar("SELECT count(*) FROM big")).isEqualTo(rows + 10);
        assertThat(
                computeActual("SELECT sum(extendedprice), sum(length(comment)), min(shipdate) FROM big WHERE orderkey < 300000 AND orderkey NOT IN "
                        + "(SELECT orderkey FROM tpch.tiny.lineitem)").getMaterializedRows())
                .isEqualTo(
                        computeActual("SELECT sum(extendedprice), sum(length(comment)), min(shipdate) FROM (" + selected + ") WHERE orderkey NOT IN "
                                + "(SELECT orderkey FROM tpch.tiny.lineitem)").getMaterializedRows());
        // one that fails late leaves nothing
        assertQueryFails(
                "INSERT INTO big SELECT orderkey / (orderkey - 299776), partkey, suppkey, linenumber, quantity, extendedprice, discount, tax, returnflag, linestatus, shipdate, "
                        + "commitdate, receiptdate, shipinstruct, shipmode, comment FROM (" + selected + ")",
                "Division by zero");
        assertThat(computeScalar("SELECT count(*) FROM big")).isEqualTo(rows + 10);
        assertUpdate("DROP TABLE big");
    }

    /** Fewer rows than end a batch, for one writing driver of a worker: as one batch they would be larger than a message may be. */
    @Test
    void insertWideRows()
    {
        assertUpdate("CREATE TABLE wide (id bigint, v varchar, a array(varbinary)) WITH (realtime = true, bucket = 1, bucket_key = ARRAY['id'])");
        assertUpdate("INSERT INTO wide SELECT orderkey, v, ARRAY[a] FROM tpch.tiny.orders "
                + "CROSS JOIN (VALUES (rpad('v', 25000, 'x'), to_utf8(rpad('a', 10000, 'x')))) t (v, a) WHERE orderkey <= 32000", 8_000);
        assertQuery("SELECT count(*), sum(length(v)), sum(length(a[1])) FROM wide", "VALUES (8000, 200000000, 80000000)");
        assertUpdate("DROP TABLE wide");
    }

    @Test
    void memoryIsFoundByName() throws Exception
    {
        createCatalog("missing", "nothing");
        assertUpdate("CREATE SCHEMA missing.s");
        assertUpdate("CREATE TABLE missing.s.t (id bigint) WITH (realtime = true, bucket = -1)");
        assertQueryFails("INSERT INTO missing.s.t VALUES 1", ".*paimon.realtime.mem-indexer: there is no 'nothing'.*");
    }

    private void createCatalog(String name, String memIndexer) throws Exception
    {
        getDistributedQueryRunner().createCatalog(name, "paimon", Map.of(
                "paimon.warehouse", Files.createTempDirectory("warehouse").toUri().toString(),
                "paimon.realtime.enabled", "true",
                "paimon.realtime.mem-indexer", memIndexer,
                "paimon.realtime.data-directory", Files.createTempDirectory("realtime").toString()));
    }

    @Test
    void flushIsAlsoATableProcedure()
    {
        assertUpdate("CREATE TABLE flushed (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO flushed VALUES 1, 2, 3", 3);
        assertQuery(committed(), "SELECT count(*) FROM flushed", "SELECT 0");
        assertUpdate("ALTER TABLE flushed EXECUTE flush");
        assertQuery(committed(), "SELECT count(*) FROM flushed", "SELECT 3");
        assertUpdate("CREATE TABLE plain (id bigint)");
        assertQueryFails("ALTER TABLE plain EXECUTE flush", "tpch.plain is not a real-time table: there is nothing to flush");
        assertUpdate("DROP TABLE plain");
        assertUpdate("DROP TABLE flushed");
    }

    @Test
    void offsetColumnIsFilled()
    {
        assertUpdate("CREATE TABLE numbered (id bigint) WITH (realtime = true, bucket = 1, bucket_key = ARRAY['id'], realtime_offset_column = true)");
        assertUpdate("INSERT INTO numbered (id) VALUES 10, 20", 2);
        assertUpdate("INSERT INTO numbered (id) VALUES 30", 1);
        assertQuery("SELECT id, _offset FROM numbered ORDER BY id", "VALUES (10, 0), (20, 1), (30, 2)");
        assertQueryFails("INSERT INTO numbered (id, _offset) VALUES (40, 7)", ".*Insert column name does not exist in target table: _offset");
        assertUpdate("ALTER TABLE numbered EXECUTE flush");
        assertUpdate("INSERT INTO numbered (id) VALUES 40", 1);
        assertQuery("SELECT id, _offset FROM numbered ORDER BY id", "VALUES (10, 0), (20, 1), (30, 2), (40, 3)");
        assertUpdate("DROP TABLE numbered");
    }
}
