package io.paimon.realtime.trino;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.execution.StageInfo;
import io.trino.execution.StagesInfo;
import io.trino.execution.TaskInfo;
import io.trino.operator.OperatorStats;
import io.trino.operator.PipelineStats;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.QueryId;
import io.trino.spi.metrics.Metrics;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who reads rows in memory, how many, and how little of the rest: told by the statistics of the queries. The coordinator holds the writer and runs no scan. */
final class TestRealtimeScans extends AbstractQueryTest
{
    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        DistributedQueryRunner queryRunner = queryRunner(data, 2);
        queryRunner.registerResource(() -> deleteRecursively(data));
        return queryRunner;
    }

    private static void deleteRecursively(Path data) throws Exception
    {
        MoreFiles.deleteRecursively(data, RecursiveDeleteOption.ALLOW_INSECURE);
    }

    private static DistributedQueryRunner queryRunner(Path data, int workers) throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(workers)
                .addCoordinatorProperty("node-scheduler.include-coordinator", Boolean.toString(workers == 0))
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", data.toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    /** Statistics of one query. */
    private record Run(DistributedQueryRunner queryRunner, QueryId queryId, Object value)
    {
        static Run of(DistributedQueryRunner queryRunner, String sql)
        {
            QueryRunner.MaterializedResultWithPlan result = queryRunner.executeWithPlan(queryRunner.getDefaultSession(), sql);
            return new Run(queryRunner, result.queryId(), result.result().getOnlyValue());
        }

        private List<StageInfo> stages()
        {
            return StagesInfo.getAllStages(queryRunner.getCoordinator().getFullQueryInfo(queryId).getStages());
        }

        private record NodeOperator(String node, OperatorStats operator)
        {}

        /** Every scan of every task. */
        private List<NodeOperator> scans()
        {
            List<NodeOperator> scans = new ArrayList<>();
            for (StageInfo stage : stages()) {
                for (TaskInfo task : stage.tasks()) {
                    for (PipelineStats pipeline : task.stats().pipelines()) {
                        for (OperatorStats operator : pipeline.getOperatorSummaries()) {
                            if (Set.of("TableScanOperator", "ScanFilterAndProjectOperator").contains(operator.getOperatorType())) {
                                scans.add(new NodeOperator(task.taskStatus().nodeId(), operator));
                            }
                        }
                    }
                }
            }
            assertThat(scans).describedAs("scans of %s", queryId).isNotEmpty();
            return scans;
        }

        Set<String> nodesWithScans()
        {
            return scans().stream().map(NodeOperator::node).collect(toImmutableSet());
        }

        /** Nodes whose scans have counted this. */
        Set<String> nodes(String metric)
        {
            return scans().stream().filter(scan -> value(scan.operator().getConnectorMetrics(), metric) > 0).map(NodeOperator::node)
                    .collect(toImmutableSet());
        }

        long metric(String name)
        {
            return scans().stream().mapToLong(scan -> value(scan.operator().getConnectorMetrics(), name)).sum();
        }

        long peakScanMemory()
        {
            return scans().stream().mapToLong(scan -> scan.operator().getPeakUserMemoryReservation().toBytes()).max().orElseThrow();
        }

        long splits(String name)
        {
            return stages().stream().flatMap(stage -> stage.stageStats().getSplitSourceMetrics().values().stream())
                    .mapToLong(metrics -> value(metrics, name)).sum();
        }

        private static long value(Metrics metrics, String name)
        {
            return metrics.getMetrics().get(name) instanceof LongCount count ? count.getTotal() : 0;
        }
    }

    private Run run(String sql)
    {
        return Run.of(getDistributedQueryRunner(), sql);
    }

    private Set<String> workers()
    {
        return getDistributedQueryRunner().getServers().stream().filter(server -> !server.isCoordinator())
                .map(server -> server.getCurrentNode().getNodeIdentifier()).collect(toImmutableSet());
    }

    @Test
    void workersReadOverFlightAndTheCoordinatorRunsNoScan()
    {
        assertUpdate("CREATE TABLE flight (orderkey bigint, comment varchar) WITH (realtime = true, bucket = 8, bucket_key = ARRAY['orderkey'])");
        assertUpdate("INSERT INTO flight SELECT orderkey, comment FROM tpch.tiny.orders", 15_000);
        Run run = run("SELECT sum(orderkey) + sum(length(comment)) FROM flight");
        assertThat(run.value()).isEqualTo(computeScalar("SELECT sum(orderkey) + sum(length(comment)) FROM tpch.tiny.orders"));
        assertThat(workers()).hasSize(2);
        assertThat(run.nodesWithScans()).isSubsetOf(workers());
        assertThat(run.nodes(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(workers());
        assertThat(run.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(15_000);
        assertThat(run.metric(ScanMetrics.MEMORY_IN_PLACE)).isZero();
        assertThat(run.splits(ScanMetrics.MEMORY_SPLITS)).isEqualTo(8);
        // the smallest of eight buckets has more than this, and a scan reads it in one batch
        assertThat(run.peakScanMemory()).isGreaterThan(50_000);
        assertThat((String) computeScalar("EXPLAIN ANALYZE VERBOSE SELECT sum(orderkey) FROM flight")).contains("Rows from memory, over Flight")
                .contains("Splits in memory");
        assertUpdate("DROP TABLE flight");
    }

    @Test
    void manyRowsAreCutByTheSizeOfTheCluster()
    {
        assertUpdate("CREATE TABLE cut (id bigint) WITH (realtime = true, bucket = -1)");
        long rows = 0;
        for (int i = 0; i < 6; i++) {
            rows += (long) getDistributedQueryRunner()
                    .execute("INSERT INTO cut SELECT orderkey FROM tpch.tiny.lineitem CROSS JOIN UNNEST(sequence(1, 4))")
                    .getUpdateCount().orElseThrow();
        }
        int cores = Runtime.getRuntime().availableProcessors() * workers().size();
        Run run = run("SELECT count(id) FROM cut");
        assertThat(run.value()).isEqualTo(rows);
        // two for each core, but none of much less than 131,072 rows
        assertThat(run.splits(ScanMetrics.MEMORY_SPLITS)).isBetween(Math.min(2L * cores, rows / 131_072), Math.min(2L * cores, rows / 131_072 + 1));
        assertUpdate("DROP TABLE cut");
    }

    @Test
    void oneNodeReadsInPlace() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        try (DistributedQueryRunner queryRunner = queryRunner(data, 0)) {
            queryRunner.execute(
                    "CREATE TABLE paimon.tpch.place (orderkey bigint, comment varchar) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['orderkey'])");
            queryRunner.execute("INSERT INTO paimon.tpch.place SELECT orderkey, comment FROM tpch.tiny.orders");
            Run run = Run.of(queryRunner, "SELECT sum(orderkey) + sum(length(comment)) FROM paimon.tpch.place");
            assertThat(run.metric(ScanMetrics.MEMORY_IN_PLACE)).isEqualTo(15_000);
            assertThat(run.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isZero();
            assertThat(run.peakScanMemory()).isGreaterThan(200_000);
            // one batch of each bucket has no row above the last key
            Run pruned = Run.of(queryRunner, "SELECT count(*) FROM paimon.tpch.place WHERE orderkey > 1000000");
            assertThat(pruned.value()).isEqualTo(0L);
            assertThat(pruned.metric(ScanMetrics.MEMORY_BATCHES_PRUNED)).isGreaterThanOrEqualTo(2);
            assertThat(pruned.metric(ScanMetrics.MEMORY_SCANNED)).isZero();
            new RealtimeInternals(queryRunner, "paimon").service().flush(Optional.empty());
            new RealtimeInternals(queryRunner, "paimon").assertReleased();
        }
        finally {
            deleteRecursively(data);
        }
    }

    @Test
    void rowsFromDiskAndFromMemoryAreCountedApart()
    {
        assertUpdate("CREATE TABLE mixed (orderkey bigint, comment varchar) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO mixed SELECT orderkey, comment FROM tpch.tiny.orders", 15_000);
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'mixed')");
        assertUpdate("INSERT INTO mixed SELECT orderkey + 100000, comment FROM tpch.tiny.orders WHERE orderkey < 100",
                "SELECT count(*) FROM orders WHERE orderkey < 100");
        long inMemory = (long) computeScalar("SELECT count(*) FROM tpch.tiny.orders WHERE orderkey < 100");
        Run run = run("SELECT sum(length(comment)) FROM mixed");
        assertThat(run.metric(ScanMetrics.DISK_NATIVE)).isEqualTo(15_000);
        assertThat(run.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(inMemory);
        Run count = run("SELECT count(*) FROM mixed");
        assertThat(count.value()).isEqualTo(15_000 + inMemory);
        assertThat(count.metric(ScanMetrics.DISK_COUNTED)).isEqualTo(15_000);
        assertThat(count.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(inMemory);
        // memory alone satisfies the limit
        Run limited = run("SELECT count(*) FROM (SELECT * FROM mixed LIMIT 3)");
        assertThat(limited.value()).isEqualTo(3L);
        assertThat(limited.splits(ScanMetrics.DISK_SPLITS)).isZero();
        assertUpdate("DROP TABLE mixed");
    }

    @Test
    void partitionsBucketsAndValuesArePruned()
    {
        assertUpdate("CREATE TABLE pruned (orderkey bigint, orderstatus varchar(1), totalprice double) "
                + "WITH (realtime = true, bucket = 4, bucket_key = ARRAY['orderkey'], partitioned_by = ARRAY['orderstatus'])");
        assertUpdate("INSERT INTO pruned SELECT orderkey, orderstatus, totalprice FROM tpch.tiny.orders", 15_000);

        Run everything = run("SELECT count(orderkey) FROM pruned");
        assertThat(everything.splits(ScanMetrics.MEMORY_SPLITS)).isEqualTo(12);
        assertThat(everything.splits(ScanMetrics.MEMORY_SPLITS_PRUNED)).isZero();

        Run partition = run("SELECT count(orderkey) FROM pruned WHERE orderstatus = 'F'");
        assertThat(partition.value()).isEqualTo(computeScalar("SELECT count(*) FROM tpch.tiny.orders WHERE orderstatus = 'F'"));
        assertThat(partition.splits(ScanMetrics.MEMORY_SPLITS)).isEqualTo(4);
        assertThat(partition.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(partition.value());

        for (long orderkey : new long[]{1, 2, 3, 32, 59_975}) {
            Run bucket = run("SELECT count(totalprice) FROM pruned WHERE orderkey = " + orderkey);
            assertThat(bucket.value()).isEqualTo(1L);
            assertThat(bucket.splits(ScanMetrics.MEMORY_SPLITS)).isEqualTo(3);
            assertThat(bucket.splits(ScanMetrics.MEMORY_SPLITS_PRUNED)).isEqualTo(9);
            assertThat(bucket.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(1);
        }
        Run both = run("SELECT count(*) FROM pruned WHERE orderkey IN (1, 32, 59975) AND orderstatus = 'O'");
        assertThat(both.value())
                .isEqualTo(computeScalar("SELECT count(*) FROM tpch.tiny.orders WHERE orderkey IN (1, 32, 59975) AND orderstatus = 'O'"));
        assertThat(both.splits(ScanMetrics.MEMORY_SPLITS)).isLessThanOrEqualTo(3);

        // the writer sends no row that does not match
        Run range = run("SELECT count(*) FROM pruned WHERE orderkey BETWEEN 100 AND 200");
        assertThat(range.value()).isEqualTo(computeScalar("SELECT count(*) FROM tpch.tiny.orders WHERE orderkey BETWEEN 100 AND 200"));
        assertThat(range.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(range.value());

        // by what a join finds out while the query runs
        Run dynamic = Run.of(getDistributedQueryRunner(), "SELECT count(*) FROM pruned p JOIN (VALUES 'F') s (status) ON p.orderstatus = s.status");
        assertThat(dynamic.value()).isEqualTo(partition.value());
        assertThat(dynamic.metric(ScanMetrics.MEMORY_OVER_FLIGHT)).isEqualTo(partition.value());

        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'pruned')");
        assertThat(run("SELECT count(totalprice) FROM pruned WHERE orderkey = 32").splits(ScanMetrics.DISK_SPLITS)).isLessThanOrEqualTo(3);
        assertUpdate("DROP TABLE pruned");
    }

    @Test
    void routingOfARealtimeTableIsFixed()
    {
        assertUpdate("CREATE TABLE routed (id bigint) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['id'])");
        assertUpdate("INSERT INTO routed VALUES 1, 2, 3", 3);
        assertQueryFails("ALTER TABLE routed SET PROPERTIES bucket = 3", "Option 'bucket' of a real-time table cannot be changed: .*");
        assertQuery("SELECT * FROM routed WHERE id = 2", "SELECT 2");
        assertUpdate("DROP TABLE routed");
    }

    @Test
    void fieldsOfRowsAreRead()
    {
        assertUpdate(
                "CREATE TABLE nested (id bigint, r row(a bigint, b varchar, c row(d double, e array(row(f integer, g varchar))))) WITH (realtime = true, bucket = -1)");
        assertUpdate(
                "INSERT INTO nested VALUES (1, ROW(10, 'x', ROW(1.5, ARRAY[ROW(7, 'p'), ROW(NULL, 'q')]))), (2, ROW(NULL, 'y', NULL)), (3, NULL)", 3);
        String sql = "SELECT id, r.b, r.c.d, r.c.e[1].g FROM nested WHERE r.a = 10 OR r.a IS NULL";
        String expected = "VALUES (1, 'x', 1.5, 'p'), (2, 'y', NULL, NULL), (3, NULL, NULL, NULL)";
        assertQuery(sql, expected);
        assertQuery("SELECT sum(r.a), max(r.c.d), count(r), count(r.c) FROM nested", "SELECT 10, 1.5, 2, 1");
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'nested')");
        assertQuery(sql, expected);
        assertUpdate("INSERT INTO nested VALUES (4, ROW(10, 'z', ROW(2.5, NULL)))", 1);
        assertQuery("SELECT id, r.c.d FROM nested WHERE r.a = 10", "VALUES (1, 1.5), (4, 2.5)");
        // a field that came later, and is missing in what was written before
        assertUpdate("ALTER TABLE nested ADD COLUMN r.h bigint");
        assertUpdate("INSERT INTO nested (id, r) VALUES (5, ROW(10, 'n', NULL, 99))", 1);
        assertQuery("SELECT id, r.h FROM nested WHERE r.a = 10", "VALUES (1, NULL), (4, NULL), (5, 99)");
        assertUpdate("DROP TABLE nested");
    }

    @Test
    void planShowsSnapshotAndMode()
    {
        assertUpdate("CREATE TABLE shown (id bigint) WITH (realtime = true, bucket = -1)");
        assertThat(explain("SELECT * FROM shown")).contains("snapshot=none mode=UNION memoryRows=0");
        assertUpdate("INSERT INTO shown VALUES 1, 2, 3", 3);
        assertThat(explain("SELECT * FROM shown")).contains("snapshot=").contains("mode=UNION memoryRows=3");
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'shown')");
        long snapshot = (long) computeScalar("SELECT max(snapshot_id) FROM \"shown$snapshots\"");
        assertThat(explain("SELECT * FROM shown")).contains("snapshot=%s mode=UNION memoryRows=0".formatted(snapshot));
        assertThat(explain("SELECT * FROM shown FOR VERSION AS OF " + snapshot)).contains("snapshot=%s mode=COMMITTED".formatted(snapshot));
        assertUpdate("DROP TABLE shown");
    }

    private String explain(String sql)
    {
        return (String) computeScalar("EXPLAIN " + sql);
    }

    @Test
    void rowsInMemoryAreEstimated()
    {
        assertUpdate("CREATE TABLE estimated (id bigint) WITH (realtime = true, bucket = -1)");
        assertUpdate("INSERT INTO estimated SELECT orderkey FROM tpch.tiny.orders", 15_000);
        assertThat(estimatedRows("estimated")).isEqualTo("15000.0");
        assertThat(explain("SELECT * FROM estimated")).contains("rows: 15000 ");
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'estimated')");
        assertThat(estimatedRows("estimated")).isEqualTo("15000.0");
        assertUpdate("INSERT INTO estimated VALUES 1, 2, 3", 3);
        assertThat(estimatedRows("estimated")).isEqualTo("15003.0");
        assertThat(explain("SELECT * FROM estimated")).contains("rows: 15003 ");
        assertUpdate("DROP TABLE estimated");
    }

    private String estimatedRows(String table)
    {
        return String.valueOf(computeActual("SHOW STATS FOR " + table).getMaterializedRows().getLast().getField(4));
    }
}
