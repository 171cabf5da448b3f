package io.paimon.realtime.flight;

import static com.google.common.util.concurrent.Uninterruptibles.getUninterruptibly;
import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Rows of a writer in another process. A batch owns its memory: it outlives the next one and the reader.
 *
 * <p>The stream is used by threads of this reader's own, one at a time, which nobody interrupts: an interrupt at the wrong moment makes Arrow lose the mark that ends its stream,
 * and the next look at it, that of its close, would wait for ever. Callers may be interrupted at any time.
 */
final class FlightBatchReader implements MemBatchReader
{
    private static final Logger log = Logger.get(FlightBatchReader.class);

    private final FlightStream stream;
    private final Schema schema;
    private final BufferAllocator allocator;
    private final String address;
    private final Runnable onClose;
    /** The batch that a caller waits for, or gave up waiting for. */
    @GuardedBy("this")
    private FutureTask<Optional<MemBatch>> receiving;
    @GuardedBy("this")
    private boolean closed;

    /**
     * @param schema the canonical one of the read type, which the writer must send
     * @param allocator owner of the batches; of the same root as the stream's
     */
    FlightBatchReader(FlightStream stream, Schema schema, BufferAllocator allocator, String address, Runnable onClose)
    {
        this.stream = requireNonNull(stream, "stream is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.allocator = requireNonNull(allocator, "allocator is null");
        this.address = requireNonNull(address, "address is null");
        this.onClose = requireNonNull(onClose, "onClose is null");
    }

    @Override
    public Optional<MemBatch> next()
    {
        FutureTask<Optional<MemBatch>> task;
        synchronized (this) {
            if (closed) {
                throw closedReader();
            }
            if (receiving == null) {
                receiving = start(this::receive);
            }
            task = receiving;
        }
        try {
            Optional<MemBatch> batch = task.get();
            synchronized (this) {
                if (closed) {
                    // whoever closed the reader gives up the batch
                    throw closedReader();
                }
                receiving = null;
                return batch;
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.UNAVAILABLE, "Interrupted while reading from " + address, e);
        }
        catch (ExecutionException e) {
            throw e.getCause() instanceof RealtimeException realtimeException
                    ? realtimeException
                    : new RealtimeException(Code.INTERNAL, "Reading from %s failed: %s".formatted(address, e.getCause()), e.getCause());
        }
    }

    private RealtimeException closedReader()
    {
        return new RealtimeException(Code.UNAVAILABLE, "The reader of rows from %s was closed".formatted(address));
    }

    private static <T> FutureTask<T> start(Callable<T> work)
    {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofVirtual().name("flight-read").start(task);
        return task;
    }

    private Optional<MemBatch> receive()
    {
        try {
            while (stream.next()) {
                VectorSchemaRoot received = stream.getRoot();
                if (!received.getSchema().equals(schema)) {
                    throw new RealtimeException(Code.INTERNAL,
                            "Writer at %s sent %s where %s was asked for".formatted(address, received.getSchema(), schema));
                }
                if (received.getRowCount() > 0) {
                    return Optional.of(take(received));
                }
            }
            return Optional.empty();
        }
        catch (FlightRuntimeException e) {
            throw FlightErrors.fromFlight(e, address);
        }
    }

    private MemBatch take(VectorSchemaRoot received)
    {
        VectorSchemaRoot batch = VectorSchemaRoot.create(schema, allocator);
        boolean done = false;
        try (ArrowRecordBatch buffers = new VectorUnloader(received).getRecordBatch()) {
            // no copy: the buffers get a second owner, then lose the first
            new VectorLoader(batch).load(buffers);
            done = true;
        }
        finally {
            received.clear();
            if (!done) {
                batch.close();
            }
        }
        return new MemBatch(batch.getFieldVectors(), null, 0, batch.getRowCount(), batch::close);
    }

    /** Cancels what was not read, also what another thread waits for, and returns when it is freed. */
    @Override
    public void close()
    {
        FutureTask<Optional<MemBatch>> pending;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            pending = receiving;
            receiving = null;
        }
        try {
            getUninterruptibly(start(() -> {
                if (pending != null) {
                    cancel(pending);
                }
                stream.close();
                return null;
            }));
        }
        catch (ExecutionException e) {
            throw new RealtimeException(Code.INTERNAL, "Closing the stream from %s failed: %s".formatted(address, e.getCause()), e.getCause());
        }
        finally {
            onClose.run();
        }
    }

    private void cancel(FutureTask<Optional<MemBatch>> pending) throws InterruptedException
    {
        stream.cancel("The reader was closed", null);
        try {
            pending.get().ifPresent(MemBatch::close);
        }
        catch (ExecutionException e) {
            // nobody waits for it any more
            log.debug(e.getCause(), "Reading from %s ended", address);
        }
    }
}
