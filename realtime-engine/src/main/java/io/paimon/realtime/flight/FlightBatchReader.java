package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.Optional;
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
 */
final class FlightBatchReader implements MemBatchReader
{
    private final FlightStream stream;
    private final Schema schema;
    private final BufferAllocator allocator;
    private final String address;
    private final Runnable onClose;
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
        catch (RealtimeException e) {
            throw e;
        }
        catch (RuntimeException e) {
            if (e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
                throw new RealtimeException(Code.UNAVAILABLE, "Interrupted while reading from " + address, e);
            }
            throw new RealtimeException(Code.INTERNAL, "Reading from %s failed: %s".formatted(address, e), e);
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

    /** Cancels what was not read. */
    @Override
    public void close()
    {
        if (closed) {
            return;
        }
        closed = true;
        try {
            stream.close();
        }
        catch (Exception e) {
            if (e instanceof InterruptedException || e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new RealtimeException(Code.INTERNAL, "Closing the stream from %s failed: %s".formatted(address, e), e);
        }
        finally {
            onClose.run();
        }
    }
}
