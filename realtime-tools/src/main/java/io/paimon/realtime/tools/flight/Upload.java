package io.paimon.realtime.tools.flight;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * A stream of batches to one table, each acknowledged by itself. A batch's vectors must not be overwritten in place before its acknowledgement: clear them, and
 * let them have new buffers. Not thread-safe.
 */
public final class Upload implements AutoCloseable
{
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final ClientStreamListener stream;
    private final SyncPutListener acknowledgements;
    private final BufferAllocator allocator;
    private final int window;
    private int outstanding;
    private long acknowledged;
    private boolean ended;

    Upload(ClientStreamListener stream, SyncPutListener acknowledgements, VectorSchemaRoot root, int window)
    {
        this.stream = stream;
        this.acknowledgements = acknowledgements;
        this.allocator = root.getFieldVectors().stream().findFirst().map(FieldVector::getAllocator)
                .orElseThrow(() -> new IllegalArgumentException("no column to send"));
        this.window = window;
    }

    /**
     * Sends what the vectors hold as one atomic append. With a window of 1 it returns when the batch is acknowledged.
     *
     * @param metadata JSON beside the batch
     * @throws WriterException if this batch or one sent earlier was refused: the stream has ended
     */
    public void send(Optional<String> metadata)
            throws InterruptedException
    {
        if (metadata.isPresent()) {
            byte[] bytes = metadata.get().getBytes(UTF_8);
            ArrowBuf buffer = allocator.buffer(bytes.length);
            buffer.writeBytes(bytes);
            // the stream releases the buffer
            stream.putNext(buffer);
        }
        else {
            stream.putNext();
        }
        outstanding++;
        while (outstanding >= window) {
            awaitAcknowledgement();
        }
    }

    /** Rows of acknowledged batches. */
    public long acknowledgedRows()
    {
        return acknowledged;
    }

    /** Waits for the outstanding acknowledgements and ends the stream. */
    public void finish()
            throws InterruptedException
    {
        while (outstanding > 0) {
            awaitAcknowledgement();
        }
        ended = true;
        stream.completed();
        try {
            stream.getResult();
        }
        catch (FlightRuntimeException e) {
            throw new WriterException("the writer ended the stream", e);
        }
    }

    private void awaitAcknowledgement()
            throws InterruptedException
    {
        try (PutResult result = acknowledgements.read()) {
            if (result == null) {
                ended = true;
                // a refusal ends the stream with its reason
                stream.getResult();
                throw new WriterException("the writer ended the stream before it had acknowledged every batch",
                        CallStatus.INTERNAL.toRuntimeException());
            }
            outstanding--;
            acknowledged = parse(result).path("acknowledged").asLong();
        }
        catch (ExecutionException e) {
            ended = true;
            throw e.getCause() instanceof FlightRuntimeException refusal
                    ? new WriterException("a batch was refused", refusal)
                    : new WriterException("the stream failed: " + e.getCause(), e);
        }
        catch (FlightRuntimeException e) {
            throw new WriterException("a batch was refused", e);
        }
    }

    private static JsonNode parse(PutResult result)
    {
        ArrowBuf buffer = result.getApplicationMetadata();
        byte[] bytes = new byte[Math.toIntExact(buffer.readableBytes())];
        buffer.getBytes(buffer.readerIndex(), bytes);
        try {
            return MAPPER.readTree(bytes);
        }
        catch (IOException e) {
            throw new WriterException("an acknowledgement is no JSON", e);
        }
    }

    /** Cancels the stream unless it is finished; batches without an acknowledgement may or may not be in. */
    @Override
    public void close()
    {
        if (!ended) {
            ended = true;
            stream.error(CallStatus.CANCELLED.withDescription("the client gave up").toRuntimeException());
        }
        acknowledgements.close();
    }
}
