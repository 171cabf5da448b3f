package io.paimon.realtime.trino.writer;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.paimon.realtime.flight.FlightClientOptions;
import io.paimon.realtime.flight.FlightTicket;
import io.paimon.realtime.flight.RealtimeFlightClients;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.trino.config.RealtimeConfig;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.RealtimeSplit;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;

/**
 * How this node reaches a writer: in place where it is in this JVM, over Flight anywhere else.
 */
public class RealtimeCarrier
{
    private static final long MAX_CLIENT_BYTES = 1L << 30;

    private final RealtimeWriter writer;
    private final RealtimeConfig config;
    private BufferAllocator allocator;
    private RealtimeFlightClients clients;

    @Inject
    public RealtimeCarrier(RealtimeWriter writer, RealtimeConfig config)
    {
        this.writer = requireNonNull(writer, "writer is null");
        this.config = requireNonNull(config, "config is null");
    }

    /** The writer of that incarnation, if it is in this JVM. */
    private Optional<EmbeddedRealtimeService> local(String incarnation)
    {
        return writer.local().filter(service -> service.incarnation().equals(incarnation));
    }

    /**
     * Rows on their way to a page source.
     *
     * @param readers hold their memory until they are closed
     * @param context what the readers count, if they are in this JVM
     * @param inPlace whether the rows are read in the memory of the writer
     */
    public record OpenRead(List<MemBatchReader> readers, MemQueryContext context, boolean inPlace)
    {}

    /**
     * The rows of a split; the readers are closed by the caller.
     *
     * @throws io.trino.spi.TrinoException as {@link PaimonErrorCode#of} says, if the writer refuses or cannot be reached
     */
    public OpenRead read(RealtimeSplit split, Identifier table, MemReadRequest request)
    {
        try {
            Optional<EmbeddedRealtimeService> local = local(split.incarnation());
            if (local.isPresent()) {
                MemQueryContext context = new MemQueryContext(local.get().allocator());
                return new OpenRead(local.get().read(split.queryId(), table, split.partitionBucket(), request, context), context, true);
            }
            FlightTicket ticket = new FlightTicket(split.incarnation(), split.queryId(), table, split.partitionBucket(), request);
            MemQueryContext context = new MemQueryContext(allocator());
            return new OpenRead(List.of(clients().get(split.address()).read(ticket, context)), context, false);
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }

    /** Stages rows of a statement, which stay the caller's. Errors are those of {@link #read}. */
    public void stage(String address, String incarnation, Identifier table, String statement, String part, VectorSchemaRoot rows)
    {
        try {
            Optional<EmbeddedRealtimeService> local = local(incarnation);
            if (local.isPresent()) {
                local.get().stage(table, statement, part, rows);
            }
            else {
                clients().get(address).stage(table, statement, part, rows);
            }
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }

    /** Memory for rows that this node sends or receives. */
    public synchronized BufferAllocator allocator()
    {
        if (allocator == null) {
            ArrowMemory.problem().ifPresent(problem -> {
                throw new RealtimeException(Code.UNAVAILABLE, "This node cannot reach the writer: " + problem);
            });
            allocator = ArrowMemory.newRootAllocator(MAX_CLIENT_BYTES);
        }
        return allocator;
    }

    /** Bytes of rows on their way from or to a writer in another JVM. */
    public synchronized long allocatedBytes()
    {
        return allocator == null ? 0 : allocator.getAllocatedMemory();
    }

    private synchronized RealtimeFlightClients clients()
    {
        if (clients == null) {
            FlightClientOptions options = FlightClientOptions.of("grpc://127.0.0.1:1");
            try {
                Optional<String> token = RealtimeWriter.token(config);
                if (token.isPresent()) {
                    options = options.withToken(token.get());
                }
            }
            catch (IOException e) {
                throw new RealtimeException(Code.UNAVAILABLE, "paimon.realtime.flight.token-file cannot be read: " + e.getMessage(),
                        e);
            }
            if (config.getFlightTlsTrustCertificate().isPresent()) {
                options = options.withTrustCertificate(Path.of(config.getFlightTlsTrustCertificate().get()));
            }
            clients = new RealtimeFlightClients(allocator(), options);
        }
        return clients;
    }

    @PreDestroy
    public synchronized void close()
    {
        if (clients != null) {
            clients.close();
        }
        if (allocator != null && allocator.getAllocatedMemory() == 0) {
            allocator.close();
        }
    }
}
