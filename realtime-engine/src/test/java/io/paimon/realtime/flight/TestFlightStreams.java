package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.await;
import static io.paimon.realtime.flight.FlightFixture.failure;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.RealtimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of rows in and out, many at once, slow, cut off, or never ended. */
final class TestFlightStreams
{
    private static final Identifier OTHER = Identifier.create("s", "other");

    private FlightFixture flight;

    private void open(FlightServerOptions options)
    {
        flight = new FlightFixture(options);
        flight.service.createTable(OTHER, FlightFixture.ROW_TYPE);
    }

    private void open()
    {
        open(FlightServerOptions.loopback());
    }

    @AfterEach
    void close()
    {
        flight.close();
    }

    @Test
    void cancelledStreamsLeaveOthersAlone()
            throws Exception
    {
        open();
        try (VectorSchemaRoot root = flight.rows(0, 5);
                FlightPut other = flight.client.openAppend(OTHER, root)) {
            other.write();
            other.awaitAcknowledged();

            CountDownLatch appending = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            flight.service.beforeAppend(table -> {
                if (table.equals(TABLE)) {
                    appending.countDown();
                    awaitLatch(go);
                }
            });
            try (FlightPut cancelled = flight.client.openAppend(TABLE, root)) {
                cancelled.write();
                cancelled.write();
                assertThat(appending.await(30, TimeUnit.SECONDS)).isTrue();
            }
            other.write();
            other.awaitAcknowledged();
            go.countDown();
            other.write();
            assertThat(other.finish()).isEqualTo(15);
        }
        // the batch that was being appended is whole; the one behind it may have been read before the cancellation came
        await("the put has ended", () -> flight.service.batchCount(TABLE) >= 1);
        assertThat(flight.service.rowCount(TABLE) % 5).isZero();
        flight.service.beforeAppend(_ -> {
        });
        flight.append(0, 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 50, 200, 500, 2_000, 100_000, 1_500_000})
    void cutConnectionsLeaveNoPartOfABatch(long bytes)
            throws Exception
    {
        open();
        int batchRows = 10_000;
        try (VectorSchemaRoot root = flight.rows(0, batchRows);
                FlightPut other = flight.client.openAppend(OTHER, root)) {
            other.write();
            other.awaitAcknowledged();
            try (CuttingProxy proxy = new CuttingProxy(flight.server.port(), bytes);
                    RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, proxy.address());
                    FlightPut put = client.openAppend(TABLE, root)) {
                RealtimeException failure = catchThrowableOfType(RealtimeException.class, () -> {
                    for (int i = 0; i < 100; i++) {
                        put.write();
                    }
                    put.finish();
                });
                assertThat(failure.code()).isEqualTo(Code.UNAVAILABLE);
                assertThat(flight.service.rowCount(TABLE)).isGreaterThanOrEqualTo(put.acknowledgedRows());
            }
            other.write();
            assertThat(other.finish()).isEqualTo(2L * batchRows);
        }
        assertThat(flight.service.rowCount(TABLE) % batchRows).isZero();
        assertThat(flight.service.rowCount(TABLE)).isLessThan(100L * batchRows);
    }

    @Test
    void manyClientsAppendAndReadAtOnce()
            throws Exception
    {
        open();
        int threads = 8;
        int batches = 40;
        int rows = 50;
        AtomicInteger acknowledged = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads + 2)) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                long first = (long) thread * batches * rows;
                boolean streaming = thread % 2 == 0;
                running.add(executor.submit(() -> {
                    try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, flight.server.address())) {
                        if (streaming) {
                            for (int batch = 0; batch < batches; batch += 10) {
                                try (VectorSchemaRoot root = flight.rows(0, 0); FlightPut put = client.openAppend(TABLE, root)) {
                                    for (int i = 0; i < 10; i++) {
                                        refill(root, first + (long) (batch + i) * rows, rows);
                                        put.write();
                                    }
                                    acknowledged.addAndGet((int) put.finish());
                                }
                            }
                        }
                        else {
                            for (int batch = 0; batch < batches; batch++) {
                                try (VectorSchemaRoot root = flight.rows(first + (long) batch * rows, rows)) {
                                    acknowledged.addAndGet((int) client.append(TABLE, root).rows());
                                }
                            }
                        }
                    }
                }));
            }
            for (int thread = 0; thread < 2; thread++) {
                running.add(executor.submit(() -> {
                    int seen = 0;
                    while (seen < threads * batches * rows) {
                        int before = acknowledged.get();
                        int now = flight.read(ticket()).size();
                        assertThat(now).isGreaterThanOrEqualTo(Math.max(before, seen));
                        assertThat(now % rows).isZero();
                        seen = now;
                    }
                }));
            }
            for (Future<?> future : running) {
                future.get(120, TimeUnit.SECONDS);
            }
        }
        Set<String> all = new HashSet<>(flight.read(ticket()));
        assertThat(all).hasSize(threads * batches * rows);
    }

    private static void refill(VectorSchemaRoot root, long start, int rows)
    {
        root.clear();
        BigIntVector ids = (BigIntVector) root.getVector("id");
        VarCharVector names = (VarCharVector) root.getVector("name");
        for (int i = 0; i < rows; i++) {
            ids.setSafe(i, start + i);
            names.setSafe(i, ("row " + (start + i)).getBytes(UTF_8));
        }
        root.setRowCount(rows);
    }

    @Test
    void slowReadersBlockNobodyAndFreeEverything()
    {
        open();
        String value = "v".repeat(1000);
        for (int i = 0; i < 4; i++) {
            try (VectorSchemaRoot rows = flight.rows(i * 10_000L, 10_000, _ -> value)) {
                flight.client.append(TABLE, rows);
            }
        }
        List<MemBatchReader> slow = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            MemBatchReader reader = flight.reader(ticket());
            slow.add(reader);
            reader.next().orElseThrow().close();
        }
        await("the server waits with batches in hand", () -> flight.service.openBatches() > 0);
        flight.append(40_000, 10);
        assertThat(flight.read(ticket())).hasSize(40_010);
        slow.forEach(MemBatchReader::close);
        await("cancelled reads are freed", () -> flight.service.openReaders() == 0 && flight.service.openBatches() == 0);
    }

    @Test
    void closingTheServerEndsOpenStreams()
    {
        open();
        flight.append(0, 10);
        try (VectorSchemaRoot root = flight.rows(0, 1);
                FlightPut put = flight.client.openAppend(TABLE, root);
                MemBatchReader reader = flight.reader(ticket())) {
            put.write();
            put.awaitAcknowledged();
            reader.next().orElseThrow().close();
            flight.server.close();
            assertThat(catchThrowableOfType(RealtimeException.class, put::finish).code().isRetryable()).isTrue();
        }
    }

    @Test
    void unfinishedClientStreamsDoNotLeak()
    {
        open();
        for (int i = 0; i < 200; i++) {
            try (VectorSchemaRoot root = flight.rows(0, 1); FlightPut put = flight.client.openAppend(TABLE, root)) {
                if (i % 2 == 0) {
                    put.write();
                }
            }
        }
        flight.append(0, 1);
    }

    @Test
    void rowsOfOtherRootAllocatorsAreSent()
    {
        open();
        try (var other = new RootAllocator();
                ArrowRowWriter writer = new ArrowRowWriter(FlightFixture.ROW_TYPE, other)) {
            writer.append(GenericRow.of(1L, BinaryString.fromString("one")));
            try (VectorSchemaRoot root = writer.finish()) {
                flight.client.append(TABLE, root);
            }
        }
        try (var other = new RootAllocator();
                MemBatchReader reader = flight.client.read(ticket(), new MemQueryContext(other))) {
            reader.next().orElseThrow().close();
        }
    }

    private static void awaitLatch(CountDownLatch latch)
    {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("never let go");
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
