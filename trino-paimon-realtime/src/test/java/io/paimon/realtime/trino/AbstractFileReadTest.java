package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;

/** Reads of committed tables in the schema {@code tpch}: what they yield, and what they tell of how they were done. */
abstract class AbstractFileReadTest extends AbstractQueryTest
{
    RealtimeInternals internals;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder().setWorkerCount(0).build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        internals = new RealtimeInternals(queryRunner, "paimon");
        return queryRunner;
    }

    final Table table(String name)
    {
        return internals.catalog().load(new Identifier("tpch", name)).orElseThrow();
    }

    /** The query's rows are those of Paimon's reader. */
    final void assertWhole(String name)
    {
        assertWhole(getSession(), name);
    }

    final void assertWhole(Session session, String name)
    {
        assertThat(PaimonRows.render(computeActual(session, "SELECT * FROM " + name))).isEqualTo(PaimonRows.read(table(name)));
    }

    final void assertReaders(String sql, long nativeRows, long paimonRows)
    {
        assertReaders(getSession(), sql, nativeRows, paimonRows);
    }

    final void assertReaders(Session session, String sql, long nativeRows, long paimonRows)
    {
        String plan = (String) computeScalar(session, "EXPLAIN ANALYZE VERBOSE " + sql);
        assertThat(metric(plan, ScanMetrics.DISK_NATIVE)).describedAs(plan).isEqualTo(nativeRows);
        assertThat(metric(plan, ScanMetrics.DISK_COLUMNS) + metric(plan, ScanMetrics.DISK_ROWS)).describedAs(plan).isEqualTo(paimonRows);
    }

    static long metric(String plan, String name)
    {
        Matcher matcher = Pattern.compile(Pattern.quote(name) + "'? = LongCount\\{total=(\\d+)\\}").matcher(plan);
        long total = 0;
        while (matcher.find()) {
            total += Long.parseLong(matcher.group(1));
        }
        return total;
    }

    final void append(String name, List<? extends InternalRow> rows) throws Exception
    {
        BatchWriteBuilder builder = table(name).newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (InternalRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /** Writes to the only bucket of an unpartitioned table, and compacts it. */
    final void writeAndCompact(String name, List<GenericRow> rows, boolean full) throws Exception
    {
        Path temporary = Files.createTempDirectory("compaction");
        BatchWriteBuilder builder = table(name).copy(Map.of("write-only", "false")).newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit();
                IOManager ioManager = IOManager.create(temporary.toString())) {
            write.withIOManager(ioManager);
            for (GenericRow row : rows) {
                write.write(row);
            }
            write.compact(BinaryRow.EMPTY_ROW, 0, full);
            commit.commit(write.prepareCommit());
        }
    }
}
