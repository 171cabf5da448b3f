package io.paimon.realtime.service;

import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.WriterStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/**
 * Writes several times the memory limit into tables of five hundred partition-buckets, from several threads, while rounds of all tables run: alone in a small JVM. Prints what it measured; exits
 * with an error if a row is missing or the limit was crossed.
 */
final class BoundedMemoryProgram
{
    private static final long LIMIT = 64L << 20;
    private static final int TABLES = 3;
    private static final int BATCHES = 20;
    private static final int BATCH_ROWS = 20_000;
    private static final RowType ROW_TYPE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.INT()}, new String[]{"id", "v", "dt"});

    private BoundedMemoryProgram()
    {}

    public static void main(String[] args) throws Exception
    {
        AtomicLong highest = new AtomicLong();
        AtomicLong waits = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        try (RealtimeTester tester = new RealtimeTester(); ExecutorService threads = Executors.newFixedThreadPool(TABLES + 1)) {
            tester.restart(tester.options().withMemoryLimit(LIMIT).withFlushThreads(2).withCommitInterval(Duration.ofSeconds(5))
                    .withAppendTimeout(Duration.ofSeconds(2)));
            Future<?> watch = threads.submit(() -> {
                while (!done.get()) {
                    WriterStatus status = tester.service().status();
                    highest.accumulateAndGet(status.memoryBytes(), Math::max);
                    Thread.onSpinWait();
                }
            });
            List<Identifier> tables = new ArrayList<>();
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < TABLES; i++) {
                // fifty partitions of ten buckets
                Identifier table = tester.createTable("t" + i, ROW_TYPE, List.of("dt"), Map.of("bucket", "10", "bucket-key", "id"));
                tables.add(table);
                writers.add(threads.submit((Callable<Void>) () -> {
                    write(tester.service(), table, waits);
                    return null;
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            tester.service().flush(Optional.empty());
            done.set(true);
            watch.get();
            for (Identifier table : tables) {
                long rows = rowCount(tester.table(table));
                if (rows != (long) BATCHES * BATCH_ROWS) {
                    throw new IllegalStateException("Table %s holds %s rows".formatted(table, rows));
                }
            }
        }
        if (highest.get() > LIMIT) {
            throw new IllegalStateException("%s bytes were held, the limit is %s".formatted(highest, LIMIT));
        }
        System.out.printf("rows=%d highest=%d limit=%d refused=%d%n", (long) TABLES * BATCHES * BATCH_ROWS, highest.get(), LIMIT, waits.get());
    }

    private static void write(EmbeddedRealtimeService service, Identifier table, AtomicLong waits)
    {
        long id = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            try (ArrowRowWriter writer = new ArrowRowWriter(ROW_TYPE, service.transferAllocator())) {
                for (int i = 0; i < BATCH_ROWS; i++) {
                    id++;
                    writer.append(GenericRow.of(id, BinaryString.fromString("a value of some length, so that memory fills " + id), (int) (id % 50)));
                }
                try (VectorSchemaRoot rows = writer.finish()) {
                    while (!append(service, table, rows)) {
                        waits.incrementAndGet();
                    }
                }
            }
        }
    }

    private static boolean append(EmbeddedRealtimeService service, Identifier table, VectorSchemaRoot rows)
    {
        try {
            service.append(table, rows);
            return true;
        }
        catch (RealtimeException e) {
            if (e.code() == RealtimeException.Code.RESOURCE_EXHAUSTED) {
                return false;
            }
            throw e;
        }
    }

    private static long rowCount(FileStoreTable table)
    {
        long rows = 0;
        for (Split split : table.newReadBuilder().newScan().plan().splits()) {
            rows += ((DataSplit) split).rowCount();
        }
        return rows;
    }
}
