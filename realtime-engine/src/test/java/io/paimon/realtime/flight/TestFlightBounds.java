package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.await;
import static io.paimon.realtime.flight.FlightFixture.failure;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.RealtimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients can take of the server: calls, bytes, time. */
final class TestFlightBounds
{
    private FlightFixture flight;

    private void open(FlightServerOptions options)
    {
        flight = new FlightFixture(options);
    }

    @AfterEach
    void close()
    {
        flight.close();
    }

    @Test
    void readersThatTakeNothingAreGivenUp()
    {
        open(FlightServerOptions.loopback().withReaderTimeout(Duration.ofMillis(200)));
        String value = "v".repeat(10_000);
        try (VectorSchemaRoot rows = flight.rows(0, 8_000, _ -> value)) {
            flight.client.append(TABLE, rows);
        }
        try (MemBatchReader reader = flight.reader(ticket())) {
            reader.next().orElseThrow().close();
            await("the server gives up", () -> flight.service.openReaders() == 0);
            failure(Code.UNAVAILABLE, () -> {
                while (reader.next().map(batch -> {
                    batch.close();
                    return true;
                }).isPresent()) {
                    // to the end of what was sent
                }
            });
        }
    }

    @Test
    void streamsAreBounded()
            throws Exception
    {
        open(FlightServerOptions.loopback().withStreamLimits(2, 1, 1));
        try (VectorSchemaRoot root = flight.rows(0, 1)) {
            try (FlightPut first = flight.client.openAppend(TABLE, root); FlightPut second = flight.client.openAppend(TABLE, root)) {
                first.write();
                first.awaitAcknowledged();
                second.write();
                second.awaitAcknowledged();
                failure(Code.RESOURCE_EXHAUSTED, () -> flight.client.append(TABLE, root));
                // other kinds of calls have places of their own
                assertThat(flight.read(ticket())).hasSize(2);
                assertThat(flight.client.tableStatus(TABLE).buckets()).hasSize(1);
                first.finish();
            }
            await("places are given back", () -> {
                try {
                    flight.client.append(TABLE, root);
                    return true;
                }
                catch (RealtimeException e) {
                    assertThat(e.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
                    return false;
                }
            });
        }
    }

    @Test
    void bytesInFlightAreBounded()
            throws Exception
    {
        int limit = 8 << 20;
        open(FlightServerOptions.loopback().withMessageLimits(4 << 20, limit));
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger waiting = new AtomicInteger();
        flight.service.beforeAppend(_ -> {
            waiting.incrementAndGet();
            awaitLatch(go);
        });
        String value = "w".repeat(1000);
        int threads = 6;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(executor.submit(() -> {
                    try (VectorSchemaRoot root = flight.rows(0, 2_000, _ -> value); FlightPut put = flight.client.openAppend(TABLE, root)) {
                        for (int batch = 0; batch < 10; batch++) {
                            put.write();
                        }
                        return put.finish();
                    }
                }));
            }
            await("some appends wait", () -> waiting.get() >= 2);
            go.countDown();
            for (Future<Long> future : running) {
                assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo(20_000);
            }
        }
        assertThat(flight.service.rowCount(TABLE)).isEqualTo(120_000);
        assertThat(flight.server.peakInboundBytes()).isLessThanOrEqualTo(2L * limit);
    }

    @Test
    void acknowledgementsNeedNoMemoryOnceTheRowsAreTaken()
    {
        open(FlightServerOptions.loopback().withMessageLimits(1 << 20, 1 << 20));
        List<ArrowBuf> hogs = new ArrayList<>();
        flight.service.afterAppend(rows -> {
            // not even the batch's own memory comes back
            rows.getFieldVectors().forEach(vector -> hogs.addAll(List.of(vector.getBuffers(false))));
            hogs.forEach(buffer -> buffer.getReferenceManager().retain());
            takeAll(rows.getVector(0).getAllocator(), hogs);
        });
        try {
            flight.append(0, 10);
        }
        finally {
            hogs.forEach(ArrowBuf::close);
        }
        assertThat(hogs).isNotEmpty();
        assertThat(flight.service.batchCount(TABLE)).isEqualTo(1);
    }

    private static void takeAll(BufferAllocator allocator, List<ArrowBuf> buffers)
    {
        long size = 1 << 20;
        while (size > 0) {
            try {
                buffers.add(allocator.buffer(size));
            }
            catch (OutOfMemoryException e) {
                size /= 2;
            }
        }
    }

    @Test
    void tooLargeMessagesAreRefused()
    {
        open(FlightServerOptions.loopback().withMessageLimits(1 << 20, 4 << 20));
        String value = "w".repeat(1000);
        try (VectorSchemaRoot rows = flight.rows(0, 2_000, _ -> value)) {
            RealtimeException refused = catchThrowableOfType(RealtimeException.class, () -> flight.client.append(TABLE, rows));
            assertThat(refused).isNotNull();
            try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator,
                    FlightClientOptions.of(flight.server.address()).withMaxMessageBytes(1 << 20))) {
                failure(Code.INVALID_ARGUMENT, () -> client.append(TABLE, rows));
            }
        }
        assertThat(flight.service.batchCount(TABLE)).isZero();
        flight.append(0, 1);
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
