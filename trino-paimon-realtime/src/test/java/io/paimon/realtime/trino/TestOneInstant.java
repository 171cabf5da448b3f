package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.flight.RealtimeFlightClient;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

/**
 * All scans of all real-time tables in one query see one instant. A client writes pairs over Flight, the same batch first into table a, then into table b, and waits for each acknowledgement: at
 * every instant a is ahead of b by one batch, or by none. Commit rounds of either table, and of both, run beside it.
 */
final class TestOneInstant extends AbstractQueryTest
{
    private static final Identifier A = Identifier.create("tpch", "a");
    private static final Identifier B = Identifier.create("tpch", "b");
    /** Over all buckets, so that a batch that is seen in part is noticed. */
    private static final int BATCH_ROWS = 6;
    private static final int REPETITIONS = 4;
    /** Written while one query is planned and runs. */
    private static final int PAIRS_PER_QUERY = 60;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        Path data = Files.createTempDirectory("realtime");
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", data.toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "5s")
                .build();
        queryRunner.registerResource(() -> MoreFiles.deleteRecursively(data, RecursiveDeleteOption.ALLOW_INSECURE));
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    @Test
    void allScansOfAllTablesOfAQueryShareOneInstant() throws Exception
    {
        assertUpdate("CREATE TABLE a (n bigint, part bigint) WITH (realtime = true, bucket = 3, bucket_key = ARRAY['part'])");
        assertUpdate("CREATE TABLE b (n bigint, part bigint) WITH (realtime = true, bucket = -1)");
        RealtimeInternals internals = new RealtimeInternals(getDistributedQueryRunner(), "paimon");
        EmbeddedRealtimeService service = internals.service();
        String address = (String) computeScalar("SELECT address FROM paimon.system.realtime_writers");
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong pairs = new AtomicLong();
        AtomicLong allowed = new AtomicLong();
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(64 << 20);
                RealtimeFlightClient client = RealtimeFlightClient.connect(allocator, address);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            appendPair(client, allocator, service, pairs);
            Future<?> appender = threads.submit(() -> {
                while (!done.get()) {
                    if (pairs.get() < allowed.get()) {
                        appendPair(client, allocator, service, pairs);
                    }
                    else {
                        LockSupport.parkNanos(100_000);
                    }
                }
            });
            Future<?> rounds = threads.submit(() -> {
                List<Optional<Identifier>> targets = List.of(Optional.of(A), Optional.of(B), Optional.empty());
                long last = 0;
                for (int i = 0; !done.get(); i++) {
                    // rounds of some rows: every file is a split
                    if (awaitPairs(pairs, last + PAIRS_PER_QUERY, done)) {
                        last = pairs.get();
                        service.flush(targets.get(i % targets.size()));
                    }
                }
            });
            try {
                for (int i = 0; i < REPETITIONS; i++) {
                    for (LongConsumer check : List.<LongConsumer>of(this::checkCounts, this::checkOtherOrder, this::checkJoin, this::checkSelfJoin)) {
                        long before = pairs.get();
                        allowed.set(before + PAIRS_PER_QUERY);
                        check.accept(before);
                        assertThat(pairs.get()).describedAs("pairs written meanwhile").isGreaterThan(before);
                    }
                }
            }
            finally {
                done.set(true);
            }
            appender.get();
            rounds.get();
        }
        long rows = pairs.get() * BATCH_ROWS;
        assertQuery("SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)", "SELECT %s, %s".formatted(rows, rows));
        for (String table : List.of("a", "b")) {
            assertThat((long) computeScalar("SELECT count(*) FROM \"%s$snapshots\" WHERE total_record_count > 0".formatted(table)))
                    .describedAs("rounds of %s", table).isGreaterThan(2);
            assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => '%s')".formatted(table));
        }
        internals.assertReleased();
    }

    private static void appendPair(RealtimeFlightClient client, BufferAllocator allocator, EmbeddedRealtimeService service, AtomicLong pairs)
    {
        long n = pairs.get();
        for (Identifier table : List.of(A, B)) {
            RowType rowType = service.rowType(table);
            try (ArrowRowWriter writer = new ArrowRowWriter(rowType, allocator)) {
                for (long part = 0; part < BATCH_ROWS; part++) {
                    writer.append(GenericRow.of(n, part));
                }
                try (VectorSchemaRoot batch = writer.finish()) {
                    assertThat(client.append(table, batch).rows()).isEqualTo(BATCH_ROWS);
                }
            }
        }
        pairs.incrementAndGet();
    }

    private static boolean awaitPairs(AtomicLong pairs, long count, AtomicBoolean done)
    {
        while (pairs.get() < count && !done.get()) {
            LockSupport.parkNanos(1_000_000);
        }
        return !done.get();
    }

    private List<Long> row(String sql)
    {
        MaterializedRow row = computeActual(sql).getMaterializedRows().getFirst();
        return row.getFields().stream().map(value -> (Long) value).toList();
    }

    /** @param acknowledged pairs that were in both tables before the query was sent */
    private static void assertOneInstant(String sql, long acknowledged, long rowsOfA, long rowsOfB)
    {
        assertThat(rowsOfA % BATCH_ROWS).describedAs("%s: rows of a beyond whole batches", sql).isZero();
        assertThat(rowsOfB % BATCH_ROWS).describedAs("%s: rows of b beyond whole batches", sql).isZero();
        assertThat(rowsOfA - rowsOfB).describedAs("%s: rows by which a is ahead of b", sql).isIn(0L, (long) BATCH_ROWS);
        assertThat(rowsOfB).describedAs("%s: rows of b", sql).isGreaterThanOrEqualTo(acknowledged * BATCH_ROWS);
    }

    private void checkCounts(long acknowledged)
    {
        String sql = "SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT max(n) FROM a), (SELECT max(n) FROM b), (SELECT count(*) FROM a WHERE part = 4)";
        List<Long> row = row(sql);
        assertOneInstant(sql, acknowledged, row.get(0), row.get(1));
        assertThat(row.subList(2, 5)).describedAs(sql)
                .containsExactly(row.get(0) / BATCH_ROWS - 1, row.get(1) / BATCH_ROWS - 1, row.get(0) / BATCH_ROWS);
    }

    private void checkOtherOrder(long acknowledged)
    {
        String sql = """
                SELECT count_if(t = 'b'), count_if(t = 'a'), count_if(t = 'c')
                FROM (SELECT 'b' t FROM b UNION ALL SELECT 'a' FROM a UNION ALL SELECT 'c' FROM b WHERE n >= 0)""";
        List<Long> row = row(sql);
        assertOneInstant(sql, acknowledged, row.get(1), row.get(0));
        assertThat(row.get(2)).describedAs(sql).isEqualTo(row.get(0));
    }

    private void checkJoin(long acknowledged)
    {
        String sql = "SELECT count(a.n), count(b.n), count(*) FROM a FULL JOIN b ON a.n = b.n AND a.part = b.part";
        List<Long> row = row(sql);
        assertOneInstant(sql, acknowledged, row.get(0), row.get(1));
        assertThat(row.get(2)).describedAs("%s: each row of b has its partner", sql).isEqualTo(row.get(0));
    }

    private void checkSelfJoin(long acknowledged)
    {
        String sql = "SELECT count(x.n), count(y.n), count(*), (SELECT count(*) FROM b) FROM a x FULL JOIN a y ON x.n = y.n AND x.part = y.part";
        List<Long> row = row(sql);
        assertOneInstant(sql, acknowledged, row.get(0), row.get(3));
        assertThat(row.subList(1, 3)).describedAs(sql).containsOnly(row.get(0));
    }
}
