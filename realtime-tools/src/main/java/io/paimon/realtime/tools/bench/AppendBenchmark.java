package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.flight.FlightPut;
import io.paimon.realtime.flight.FlightServerOptions;
import io.paimon.realtime.flight.RealtimeFlightClient;
import io.paimon.realtime.flight.RealtimeFlightServer;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.tools.Allocators;
import io.paimon.realtime.tools.bench.Measurement.Aim;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;

/**
 * Rows appended per second, by one thread, to a table of four buckets: in process and over Arrow Flight (server and client in this JVM, over TCP). <i>Burst</i>: into memory only.
 * <i>Sustained</i>: with commit rounds, all rows committed at the end. Beside it Paimon's own TableWrite on the same rows.
 */
final class AppendBenchmark implements Benchmark
{
    private static final int BUCKETS = 4;
    private static final int LARGE = 65_536;
    private static final int SMALL = 1_000;
    private static final long SEED = 483;
    private static final String PAIMON = "Paimon's TableWrite, data files written and committed";

    /** Sends the i-th batch of those that repeat. */
    private interface Sink
    {
        void send(int batch) throws Exception;
    }

    @Override
    public String name()
    {
        return "append";
    }

    @Override
    public String description()
    {
        return "rows appended per second, in process and over Flight, burst and sustained, beside Paimon's TableWrite";
    }

    @Override
    public boolean needsServer()
    {
        return false;
    }

    @Override
    public List<Measurement> run(BenchContext context) throws Exception
    {
        List<List<InternalRow>> rows = BenchRows.rows(8, context.scale(LARGE, SMALL), SEED);
        try (BufferAllocator allocator = Allocators.create();
                BenchWarehouse warehouse = new BenchWarehouse(context.directory());
                Batches large = Batches.of(rows, allocator);
                Batches small = Batches.of(BenchRows.rows(64, SMALL, SEED), allocator)) {
            List<Measurement> measurements = new ArrayList<>(burst(context, warehouse, rows, large, small, allocator));
            measurements.addAll(sustained(context, warehouse, rows, large, allocator));
            return measurements;
        }
    }

    private static List<Measurement> burst(BenchContext context, BenchWarehouse warehouse, List<List<InternalRow>> rows, Batches large, Batches small,
            BufferAllocator allocator) throws Exception
    {
        int warmUps = context.scale(2, 0);
        int rounds = context.scale(5, 1);
        context.progress().step("bursts, %s rounds of warm-up, %s measured", warmUps, rounds);
        try (EmbeddedRealtimeService service = warehouse.start(6L << 30, Duration.ofHours(1));
                RealtimeFlightServer server = RealtimeFlightServer.start(service, service.allocator(), FlightServerOptions.loopback());
                RealtimeFlightClient client = RealtimeFlightClient.connect(allocator, server.address())) {
            int largeCount = context.scale(128, 8);
            int smallCount = context.scale(2_000, 16);
            List<Double> perCore = new ArrayList<>();
            Map<String, Samples> samples = Samples.interleaved(warmUps, rounds, ImmutableMap.of(
                    "process", () -> inProcess(warehouse, service, large, largeCount, perCore),
                    "process-small", () -> inProcess(warehouse, service, small, smallCount, new ArrayList<>()),
                    "flight", () -> overFlight(warehouse, service, client, large, largeCount, allocator),
                    "flight-small", () -> overFlight(warehouse, service, client, small, smallCount, allocator),
                    "paimon", () -> {
                        context.progress().step("a round is done");
                        return paimon(warehouse, rows, context.scale(2, 1));
                    }));
            Samples paimon = samples.get("paimon");
            return List.of(
                    Measurement.of("burst_in_process", samples.get("process"), "rows/s").against(PAIMON, paimon),
                    Measurement.of("burst_in_process_per_core", Samples.of(perCore.subList(warmUps, perCore.size())), "rows/CPU s")
                            .withAim(Aim.atLeast(5_000_000)),
                    Measurement.of("burst_in_process_1000_row_batches", samples.get("process-small"), "rows/s").against(PAIMON, paimon),
                    Measurement.of("burst_flight", samples.get("flight"), "rows/s").against(PAIMON, paimon),
                    Measurement.of("burst_flight_1000_row_batches", samples.get("flight-small"), "rows/s").against(PAIMON, paimon));
        }
    }

    private static List<Measurement> sustained(BenchContext context, BenchWarehouse warehouse, List<List<InternalRow>> rows, Batches batches,
            BufferAllocator allocator) throws Exception
    {
        Duration length = context.quick() ? Duration.ofMillis(300) : Duration.ofSeconds(60);
        Duration interval = context.quick() ? Duration.ofMillis(100) : Duration.ofSeconds(5);
        List<Double> paimon = new ArrayList<>();
        int passes = context.scale(8, 1);
        paimon.add(paimon(warehouse, rows, passes));
        double process;
        context.progress().step("%s s of appends in process, a commit round every %s s", length.toSeconds(), interval.toSeconds());
        try (EmbeddedRealtimeService service = warehouse.start(1L << 30, interval)) {
            Identifier table = warehouse.createRealtimeTable(BUCKETS);
            process = sustain(service, table, batches, length, batch -> service.append(table, batches.get(batch)));
            service.drop(table);
            warehouse.dropTable(table);
        }
        paimon.add(paimon(warehouse, rows, passes));
        double flight;
        context.progress().step("%s s of appends over Flight", length.toSeconds());
        try (EmbeddedRealtimeService service = warehouse.start(1L << 30, interval);
                RealtimeFlightServer server = RealtimeFlightServer.start(service, service.allocator(), FlightServerOptions.loopback());
                RealtimeFlightClient client = RealtimeFlightClient.connect(allocator, server.address())) {
            Identifier table = warehouse.createRealtimeTable(BUCKETS);
            try (VectorSchemaRoot root = VectorSchemaRoot.create(batches.get(0).getSchema(), allocator);
                    FlightPut put = client.openAppend(table, root)) {
                flight = sustain(service, table, batches, length, batch -> {
                    batches.load(batch, root);
                    put.write();
                    put.awaitAcknowledged();
                });
                put.finish();
            }
            service.drop(table);
            warehouse.dropTable(table);
        }
        paimon.add(paimon(warehouse, rows, passes));
        return List.of(
                Measurement.of("sustained_in_process", Samples.of(process), "rows/s").against(PAIMON, Samples.of(paimon))
                        .withAim(Aim.atLeast(500_000)),
                Measurement.of("sustained_flight", Samples.of(flight), "rows/s").against(PAIMON, Samples.of(paimon)));
    }

    /** Sends for so long, then flushes; the rate counts the flush. */
    private static double sustain(EmbeddedRealtimeService service, Identifier table, Batches batches, Duration length, Sink sink) throws Exception
    {
        long start = System.nanoTime();
        long rows = 0;
        for (int i = 0; System.nanoTime() - start < length.toNanos(); i++) {
            sink.send(i % batches.count());
            rows += batches.batchRows();
        }
        service.flush(Optional.of(table));
        return rows * 1e9 / (System.nanoTime() - start);
    }

    /** @param perCore takes the rows per second of CPU time of this thread, which other programs on the machine disturb less */
    private static double inProcess(BenchWarehouse warehouse, EmbeddedRealtimeService service, Batches batches, int count, List<Double> perCore)
    {
        Identifier table = warehouse.createRealtimeTable(BUCKETS);
        // the first append claims the table, which is a commit
        service.append(table, batches.get(0));
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpuStart = threads.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            service.append(table, batches.get(i % batches.count()));
        }
        perCore.add((double) count * batches.batchRows() * 1e9 / (threads.getCurrentThreadCpuTime() - cpuStart));
        double rate = (double) count * batches.batchRows() * 1e9 / (System.nanoTime() - start);
        service.drop(table);
        warehouse.dropTable(table);
        return rate;
    }

    private static double overFlight(BenchWarehouse warehouse, EmbeddedRealtimeService service, RealtimeFlightClient client, Batches batches,
            int count,
            BufferAllocator allocator)
    {
        Identifier table = warehouse.createRealtimeTable(BUCKETS);
        double rate;
        try (VectorSchemaRoot root = VectorSchemaRoot.create(batches.get(0).getSchema(), allocator);
                FlightPut put = client.openAppend(table, root)) {
            batches.load(0, root);
            put.write();
            put.awaitAcknowledged();
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                batches.load(i % batches.count(), root);
                put.write();
            }
            put.finish();
            rate = (double) count * batches.batchRows() * 1e9 / (System.nanoTime() - start);
        }
        service.drop(table);
        warehouse.dropTable(table);
        return rate;
    }

    private static double paimon(BenchWarehouse warehouse, List<List<InternalRow>> rows, int passes) throws Exception
    {
        Identifier identifier = warehouse.createTable(BUCKETS, Map.of("write-only", "true"));
        FileStoreTable table = warehouse.load(identifier);
        long count = 0;
        long start = System.nanoTime();
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (int pass = 0; pass < passes; pass++) {
                for (List<InternalRow> batch : rows) {
                    for (InternalRow row : batch) {
                        write.write(row);
                    }
                    count += batch.size();
                }
            }
            commit.commit(write.prepareCommit());
        }
        double rate = count * 1e9 / (System.nanoTime() - start);
        warehouse.dropTable(identifier);
        return rate;
    }

    /** Batches as a client has them, and the same in the form in which they are loaded into another root without copying. */
    private record Batches(List<VectorSchemaRoot> roots, List<ArrowRecordBatch> records) implements AutoCloseable
    {
        static Batches of(List<List<InternalRow>> rows, BufferAllocator allocator)
        {
            List<VectorSchemaRoot> roots = rows.stream().map(batch -> BenchRows.vectors(batch, allocator)).toList();
            return new Batches(roots, roots.stream().map(root -> new VectorUnloader(root).getRecordBatch()).toList());
        }

        VectorSchemaRoot get(int i)
        {
            return roots.get(i);
        }

        void load(int i, VectorSchemaRoot target)
        {
            new VectorLoader(target).load(records.get(i));
        }

        int count()
        {
            return roots.size();
        }

        int batchRows()
        {
            return roots.getFirst().getRowCount();
        }

        @Override
        public void close()
        {
            records.forEach(ArrowRecordBatch::close);
            roots.forEach(VectorSchemaRoot::close);
        }
    }
}
