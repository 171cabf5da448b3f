package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.Status;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightClient.PutListener;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * A stream of batches to the writer, sent from one root that the caller fills again and again. Each batch is taken atomically, in order. Used by one thread.
 *
 * <p>After an error the batches acknowledged so far ({@link #acknowledgedRows}) are in, the one refused and those behind it are not; the stream is of no more use.
 */
public final class FlightPut implements AutoCloseable
{
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long READY_POLL_NANOS = 50_000;

    private final String address;
    private final FlightClientOptions options;
    private final VectorSchemaRoot root;
    private final Results results = new Results();
    private final ClientStreamListener stream;
    private long sent;
    private boolean finished;

    FlightPut(FlightClient client, FlightClientOptions options, PutTarget target, VectorSchemaRoot root)
    {
        this.address = options.uri();
        this.options = options;
        this.root = requireNonNull(root, "root is null");
        try {
            this.stream = client.startPut(target.descriptor(), root, results);
        }
        catch (FlightRuntimeException e) {
            throw FlightErrors.fromFlight(e, address);
        }
    }

    /**
     * Sends what the root holds now; the root may be changed when this returns. Waits while too many batches are unacknowledged.
     *
     * @throws RealtimeException of this batch or of an earlier one that the writer refused
     */
    public void write()
    {
        long bytes = root.getFieldVectors().stream().mapToLong(vector -> vector.getBufferSize()).sum();
        if (bytes > options.maxMessageBytes()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "A batch of %s bytes, more than the %s that are allowed: send smaller batches".formatted(bytes,
                            options.maxMessageBytes()));
        }
        results.awaitBatches(sent - options.maxUnacknowledged() + 1);
        awaitReady();
        stream.putNext();
        sent++;
    }

    /**
     * Returns when every batch is acknowledged.
     *
     * @return rows accepted, of all batches
     * @throws RealtimeException of the batch that was refused
     */
    public long finish()
    {
        finished = true;
        stream.completed();
        results.awaitEnd();
        if (results.batches() != sent) {
            throw new RealtimeException(Code.INTERNAL, "Writer at %s acknowledged %s of %s batches".formatted(address, results.batches(), sent));
        }
        return acknowledgedRows();
    }

    /** Rows acknowledged up to now. */
    public long acknowledgedRows()
    {
        return results.rows();
    }

    /** Waits until every batch written up to now is acknowledged. */
    public void awaitAcknowledged()
    {
        results.awaitBatches(sent);
    }

    /** Cancels the stream unless it was finished: batches not yet acknowledged may be in or not. The root stays the caller's. */
    @Override
    public void close()
    {
        if (!finished) {
            finished = true;
            stream.error(Status.CANCELLED.withDescription("Closed by the client").asRuntimeException());
        }
    }

    /** Arrow's own wait burns a core. */
    private void awaitReady()
    {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        while (!stream.isReady() && !results.isCancelled()) {
            if (System.nanoTime() - deadline > 0) {
                throw results.timeout();
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new RealtimeException(Code.UNAVAILABLE, "Interrupted while sending to " + address);
            }
            LockSupport.parkNanos(READY_POLL_NANOS);
        }
        results.throwIfFailed();
    }

    private final class Results implements PutListener
    {
        @GuardedBy("this")
        private long batches;
        @GuardedBy("this")
        private long rows;
        @GuardedBy("this")
        private boolean done;
        @GuardedBy("this")
        private RealtimeException failure;

        @Override
        public void onNext(PutResult result)
        {
            long acknowledged = acknowledged(result);
            synchronized (this) {
                batches++;
                rows = acknowledged;
                notifyAll();
            }
        }

        private static long acknowledged(PutResult result)
        {
            ArrowBuf metadata = result.getApplicationMetadata();
            byte[] bytes = new byte[(int) metadata.readableBytes()];
            metadata.getBytes(metadata.readerIndex(), bytes);
            try {
                JsonNode json = MAPPER.readTree(bytes);
                return json.path("acknowledged").asLong();
            }
            catch (IOException e) {
                throw new IllegalStateException("The writer's answer is not JSON", e);
            }
        }

        @Override
        public synchronized void onError(Throwable error)
        {
            failure = error instanceof FlightRuntimeException e
                    ? FlightErrors.fromFlight(e, address)
                    : new RealtimeException(Code.INTERNAL, "Stream to %s failed: %s".formatted(address, error), error);
            done = true;
            notifyAll();
        }

        @Override
        public synchronized void onCompleted()
        {
            done = true;
            notifyAll();
        }

        @Override
        public void getResult()
        {
            awaitEnd();
        }

        @Override
        public synchronized boolean isCancelled()
        {
            return done;
        }

        synchronized long batches()
        {
            return batches;
        }

        synchronized long rows()
        {
            return rows;
        }

        synchronized void throwIfFailed()
        {
            if (failure != null) {
                throw new RealtimeException(failure.code(), failure.getMessage(), failure);
            }
            if (done && !finished) {
                throw new RealtimeException(Code.UNAVAILABLE, "Writer at %s ended the stream".formatted(address));
            }
        }

        synchronized void awaitBatches(long count)
        {
            long deadline = System.nanoTime() + options.timeout().toNanos();
            long seen = batches;
            while (!done && batches < count) {
                if (batches > seen) {
                    seen = batches;
                    deadline = System.nanoTime() + options.timeout().toNanos();
                }
                await(deadline);
            }
            throwIfFailed();
        }

        synchronized void awaitEnd()
        {
            long deadline = System.nanoTime() + options.timeout().toNanos();
            long seen = batches;
            while (!done) {
                if (batches > seen) {
                    seen = batches;
                    deadline = System.nanoTime() + options.timeout().toNanos();
                }
                await(deadline);
            }
            throwIfFailed();
        }

        @GuardedBy("this")
        private void await(long deadline)
        {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw timeout();
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RealtimeException(Code.UNAVAILABLE, "Interrupted while waiting for " + address, e);
            }
        }

        RealtimeException timeout()
        {
            return new RealtimeException(Code.UNAVAILABLE, "Writer at %s did not acknowledge a batch within %s s".formatted(address,
                    options.timeout().toSeconds()));
        }
    }
}
