package io.paimon.realtime.tools.bench;

import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.tools.Allocators;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;

/** Bytes that the writer holds for a row: outside the heap beside the bare Arrow buffers of the same rows, and on the heap. Batches of two sizes, four buckets. */
final class MemoryBenchmark implements Benchmark
{
    private static final int BUCKETS = 4;
    private static final long SEED = 483;

    @Override
    public String name()
    {
        return "memory";
    }

    @Override
    public String description()
    {
        return "heap and off-heap bytes the writer holds for a row";
    }

    @Override
    public boolean needsServer()
    {
        return false;
    }

    @Override
    public List<Measurement> run(BenchContext context) throws Exception
    {
        List<Measurement> measurements = new ArrayList<>();
        try (BufferAllocator allocator = Allocators.create(); BenchWarehouse warehouse = new BenchWarehouse(context.directory())) {
            measurements.addAll(measure(context, warehouse, allocator, "10000_row_batches", 10_000, context.scale(400, 2)));
            measurements.addAll(measure(context, warehouse, allocator, "100_row_batches", 100, context.scale(20_000, 50)));
        }
        return measurements;
    }

    private static List<Measurement> measure(BenchContext context, BenchWarehouse warehouse, BufferAllocator allocator, String kind, int batchRows,
            int batches) throws Exception
    {
        long rows = (long) batchRows * batches;
        context.progress().step("%,d rows in batches of %,d", rows, batchRows);
        try (EmbeddedRealtimeService service = warehouse.start(4L << 30, Duration.ofHours(1));
                VectorSchemaRoot batch = BenchRows.vectors(BenchRows.rows(1, batchRows, SEED).getFirst(), allocator)) {
            Identifier table = warehouse.createRealtimeTable(BUCKETS);
            // opens the table, and what it holds for good
            service.append(table, batch);
            long heapBefore = heap();
            long offHeapBefore = service.allocator().getAllocatedMemory();
            for (int i = 0; i < batches; i++) {
                service.append(table, batch);
            }
            double heap = (double) (heap() - heapBefore) / rows;
            double offHeap = (double) (service.allocator().getAllocatedMemory() - offHeapBefore) / rows;
            double payload = (double) payload(batch) / batchRows;
            service.drop(table);
            warehouse.dropTable(table);
            return List.of(
                    Measurement.of("off_heap_" + kind, Samples.of(offHeap), "bytes/row").against("Arrow buffers of the rows", Samples.of(payload)),
                    Measurement.of("heap_" + kind, Samples.of(Math.max(0, heap)), "bytes/row"));
        }
    }

    private static long payload(VectorSchemaRoot batch)
    {
        return batch.getFieldVectors().stream().flatMap(vector -> List.of(vector.getBuffers(false)).stream()).mapToLong(ArrowBuf::readableBytes)
                .sum();
    }

    /** Bytes of live objects. */
    private static long heap()
    {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
