package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.INCARNATION;
import static io.paimon.realtime.flight.FlightFixture.ROW_TYPE;
import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.await;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Engines cancel by interrupting the reading thread, at any moment. */
class TestFlightInterrupts
{
    private static final int ROUNDS = 1_500;

    private FlightFixture flight;

    @BeforeEach
    void open()
    {
        flight = new FlightFixture();
    }

    @AfterEach
    void close()
    {
        flight.close();
    }

    /** Readers of rows, and readers whose view is gone: there the end of the stream and the interrupt come at the same time, as when a query fails. */
    @Test
    void interruptedReadersAreClosedAndHoldNothing() throws Exception
    {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String value = "v".repeat(1000);
        for (int i = 0; i < 4; i++) {
            try (VectorSchemaRoot rows = flight.rows(i * 4_000L, 4_000, _ -> value)) {
                flight.client.append(TABLE, rows);
            }
        }
        FlightTicket gone = new FlightTicket(INCARNATION, "gone", TABLE, InMemoryRealtimeService.BUCKET,
                new MemReadRequest(new OffsetRange(0, OffsetRange.MAX_OFFSET), ROW_TYPE, ROW_TYPE, Optional.empty()));
        for (int round = 0; round < ROUNDS; round++) {
            FlightTicket ticket = random.nextInt(10) == 0 ? ticket() : gone;
            Thread thread = Thread.ofPlatform().start(() -> readAndClose(ticket));
            LockSupport.parkNanos(random.nextInt(2_000_000));
            thread.interrupt();
            assertThat(thread.join(Duration.ofSeconds(30))).as("round %s of seed %s ended", round, seed).isTrue();
        }
        await("everything is given back", () -> flight.service.openReaders() == 0 && flight.service.openBatches() == 0);
        assertThat(flight.client.openReaders()).isZero();
    }

    private void readAndClose(FlightTicket ticket)
    {
        MemBatchReader reader = flight.reader(ticket);
        try {
            for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                next.get().close();
            }
        }
        catch (RealtimeException e) {
            assertThat(e.code()).isIn(Code.UNAVAILABLE, Code.CUT_EXPIRED);
        }
        finally {
            // as engines do before they close what they were reading
            boolean _ = Thread.interrupted();
            reader.close();
        }
    }

    @Test
    void interruptedCallIsGoneOnWithAndNoRowIsLost() throws Exception
    {
        flight.append(0, 10);
        try (MemBatchReader reader = flight.reader(ticket())) {
            Thread.currentThread().interrupt();
            RealtimeException failure = FlightFixture.failure(Code.UNAVAILABLE, reader::next);
            assertThat(failure).hasMessageContaining("Interrupted");
            assertThat(Thread.interrupted()).isTrue();
            try (MemBatch batch = reader.next().orElseThrow()) {
                assertThat(batch.rowCount()).isEqualTo(10);
            }
            assertThat(reader.next()).isEmpty();
        }
        // closed while a batch is on its way, or has just come: then the call succeeds
        MemBatchReader reader = flight.reader(ticket());
        Thread.currentThread().interrupt();
        try {
            reader.next().ifPresent(MemBatch::close);
        }
        catch (RealtimeException e) {
            assertThat(e.code()).isEqualTo(Code.UNAVAILABLE);
        }
        assertThat(Thread.interrupted()).isTrue();
        await("the batch has come", () -> flight.service.openReaders() == 0);
        reader.close();
    }
}
