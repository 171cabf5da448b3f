package io.paimon.realtime.tools.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.tools.Allocators;
import io.paimon.realtime.tools.TrinoConnection;
import io.paimon.realtime.tools.bench.Measurement.Aim;
import io.paimon.realtime.tools.flight.FlightTable;
import io.paimon.realtime.tools.flight.Upload;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * How long after the acknowledgement of a batch a query's answer shows it: 10,000 rows a second come over Flight in batches of 100, one client asks again and again for what it has not seen yet, a commit round is
 * made every ten seconds. In the end, while the rows still come, the same question is asked of a small table of Trino's memory connector: what Trino takes for any answer on this machine.
 */
final class FreshnessBenchmark implements Benchmark
{
    private static final int BATCH_ROWS = 100;
    private static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration ROUND_INTERVAL = Duration.ofSeconds(10);
    private static final String TABLE = "paimon.bench.freshness";
    private static final String QUERY = "SELECT count(*), max(batch) FROM ";
    private static final String MEMORY_CONNECTOR = "Trino's memory connector, 15,000 rows";
    private static final String BASELINE_TABLE = "memory.default.bench_freshness";
    private static final long SEED = 483;

    @Override
    public String name()
    {
        return "freshness";
    }

    @Override
    public String description()
    {
        return "time from acknowledgement to the first answer that shows the rows, at 10,000 rows/s";
    }

    @Override
    public boolean needsServer()
    {
        return true;
    }

    @Override
    public List<Measurement> run(BenchContext context) throws Exception
    {
        int warmUpSeconds = context.scale(150, 0);
        int seconds = context.scale(40, 2);
        int baselineSeconds = context.scale(20, 1);
        try (TrinoConnection trino = context.connect();
                TrinoConnection flusher = context.connect();
                BufferAllocator allocator = Allocators.create()) {
            trino.execute("CREATE SCHEMA IF NOT EXISTS paimon.bench");
            trino.execute("DROP TABLE IF EXISTS " + TABLE);
            trino.execute("CREATE TABLE " + TABLE
                    + " (batch bigint NOT NULL, id bigint NOT NULL, amount double, discount double, name varchar) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['id'])");
            trino.execute("DROP TABLE IF EXISTS " + BASELINE_TABLE);
            trino.execute("CREATE TABLE %s AS SELECT orderkey AS batch FROM tpch.tiny.orders".formatted(BASELINE_TABLE));
            context.progress().step("%s s of warm-up, %s s measured", warmUpSeconds, seconds);
            try (FlightTable table = FlightTable.connect(allocator, context.trino().flight(), "bench", "freshness", Optional.empty(),
                    Optional.empty());
                    Feed feed = new Feed(table, allocator,
                            (int) ((warmUpSeconds + seconds + baselineSeconds) * TimeUnit.SECONDS.toNanos(1) / BATCH_NANOS))) {
                Thread feeder = Thread.ofPlatform().name("feed").daemon().start(feed);
                Thread rounds = Thread.ofPlatform().name("rounds").daemon().start(() -> flush(flusher, feeder, feed));
                try {
                    return poll(trino, feed, feeder, TimeUnit.SECONDS.toNanos(warmUpSeconds), TimeUnit.SECONDS.toNanos(seconds));
                }
                finally {
                    feeder.interrupt();
                    feeder.join();
                    // its last round is waited for, not cut off
                    rounds.join();
                }
            }
            finally {
                trino.execute("DROP TABLE IF EXISTS " + TABLE);
                trino.execute("DROP TABLE IF EXISTS " + BASELINE_TABLE);
            }
        }
    }

    private static void flush(TrinoConnection trino, Thread feeder, Feed feed)
    {
        try {
            while (!feeder.join(ROUND_INTERVAL)) {
                trino.execute("CALL paimon.system.flush(schema_name => 'bench', table_name => 'freshness')");
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        catch (SQLException e) {
            feed.failure.set(e);
        }
    }

    private static List<Measurement> poll(TrinoConnection trino, Feed feed, Thread feeder, long warmUpNanos, long nanos) throws SQLException
    {
        List<Double> freshness = new ArrayList<>();
        List<Double> queries = new ArrayList<>();
        long start = System.nanoTime();
        int seen = 0;
        int measuredFrom = 0;
        long measuredStart = start;
        while (feeder.isAlive() && System.nanoTime() - start < warmUpNanos + nanos) {
            int acknowledged = feed.acknowledged();
            long asked = System.nanoTime();
            List<Object> row = trino.query(QUERY + TABLE + " WHERE batch >= " + seen).getFirst();
            long answered = System.nanoTime();
            int batches = seen + Math.toIntExact(((Number) row.get(0)).longValue() / BATCH_ROWS);
            if (batches < acknowledged || (batches > seen && ((Number) row.get(1)).longValue() != batches - 1)) {
                throw new IllegalStateException(
                        "%s batches were acknowledged and %s seen, then a query saw %s".formatted(acknowledged, seen, row));
            }
            if (answered - start > warmUpNanos) {
                if (queries.isEmpty()) {
                    measuredFrom = batches;
                    measuredStart = answered;
                    seen = batches;
                }
                queries.add((answered - asked) / 1e6);
                for (int batch = seen; batch < batches; batch++) {
                    // what was seen before its acknowledgement was fresh at once
                    long acknowledgedAt = feed.acknowledgedAt(batch);
                    freshness.add(acknowledgedAt == 0 ? 0 : Math.max(0, answered - acknowledgedAt) / 1e6);
                }
            }
            seen = batches;
        }
        double rate = (seen - measuredFrom) * (double) BATCH_ROWS * 1e9 / (System.nanoTime() - measuredStart);
        List<Double> whole = new ArrayList<>();
        List<Double> baseline = new ArrayList<>();
        while (feeder.isAlive()) {
            baseline.add(Lineitem.time(trino, QUERY + "%s", BASELINE_TABLE));
            whole.add(Lineitem.time(trino, QUERY + "%s", TABLE));
        }
        feed.throwIfFailed();
        Samples samples = Samples.of(freshness);
        Samples floor = Samples.of(baseline);
        return ImmutableList.of(
                Measurement.of("freshness_p50", samples, "ms").withAim(Aim.atMost(100)),
                Measurement.of("freshness_p99", Samples.of(samples.percentile(99)), "ms").withAim(Aim.atMost(500)),
                Measurement.of("query", Samples.of(queries), "ms").against(MEMORY_CONNECTOR, floor),
                Measurement.of("query_of_all_rows", Samples.of(whole), "ms").against(MEMORY_CONNECTOR, floor),
                Measurement.of("rows_per_second", Samples.of(rate), "rows/s"));
    }

    /** Sends batches by the clock, made up for when one was late. */
    private static final class Feed implements Runnable, AutoCloseable
    {
        private final VectorSchemaRoot root;
        private final Upload upload;
        private final AtomicLongArray acknowledgements;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Random random = new Random(SEED);
        private volatile int acknowledged;

        private Feed(FlightTable table, BufferAllocator allocator, int batches)
        {
            Schema schema = table.schema();
            this.root = VectorSchemaRoot.create(schema, allocator);
            this.upload = table.upload(root, 1);
            this.acknowledgements = new AtomicLongArray(batches);
        }

        int acknowledged()
        {
            return acknowledged;
        }

        /** 0 if it is not acknowledged yet. */
        long acknowledgedAt(int batch)
        {
            return acknowledgements.get(batch);
        }

        void throwIfFailed()
        {
            if (failure.get() != null) {
                throw new IllegalStateException("The feed failed", failure.get());
            }
        }

        @Override
        public void run()
        {
            try {
                long start = System.nanoTime();
                for (int batch = 0; batch < acknowledgements.length(); batch++) {
                    TimeUnit.NANOSECONDS.sleep(start + batch * BATCH_NANOS - System.nanoTime());
                    fill(batch);
                    upload.send(Optional.empty());
                    acknowledgements.set(batch, System.nanoTime());
                    acknowledged = batch + 1;
                }
                upload.finish();
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            catch (RuntimeException e) {
                failure.set(e);
            }
        }

        private void fill(int batch)
        {
            root.getFieldVectors().forEach(vector -> vector.clear());
            BigIntVector batches = (BigIntVector) root.getVector("batch");
            BigIntVector ids = (BigIntVector) root.getVector("id");
            Float8Vector amounts = (Float8Vector) root.getVector("amount");
            Float8Vector discounts = (Float8Vector) root.getVector("discount");
            VarCharVector names = (VarCharVector) root.getVector("name");
            for (int row = 0; row < BATCH_ROWS; row++) {
                batches.setSafe(row, batch);
                ids.setSafe(row, random.nextLong());
                amounts.setSafe(row, random.nextDouble());
                discounts.setSafe(row, random.nextDouble());
                names.setSafe(row, Long.toString(random.nextInt(1_000_000)).getBytes(US_ASCII));
            }
            root.setRowCount(BATCH_ROWS);
        }

        @Override
        public void close()
        {
            upload.close();
            root.close();
        }
    }
}
