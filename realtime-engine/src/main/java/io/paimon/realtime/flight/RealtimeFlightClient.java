package io.paimon.realtime.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.ThreadSafe;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.model.AppendResult;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.model.WriterStatus;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.grpc.NettyClientBuilder;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.catalog.Identifier;

/**
 * Calls of a writer in another process. Connects when first used and again after the connection broke; every error is a
 * {@link RealtimeException} with the code the writer gave.
 */
@ThreadSafe
public final class RealtimeFlightClient implements AutoCloseable
{
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final FlightClientOptions options;
    private final BufferAllocator allocator;
    private final FlightClient client;
    private final AtomicInteger openReaders = new AtomicInteger();

    private RealtimeFlightClient(FlightClientOptions options, BufferAllocator allocator, FlightClient client)
    {
        this.options = options;
        this.allocator = allocator;
        this.client = client;
    }

    /**
     * A client without a token that trusts what the JVM trusts.
     *
     * @param allocator parent of what the client takes; not closed by it
     */
    public static RealtimeFlightClient connect(BufferAllocator allocator, String uri)
    {
        return connect(allocator, FlightClientOptions.of(uri));
    }

    /**
     * @param allocator parent of what the client takes; not closed by it
     * @throws RealtimeException INVALID_ARGUMENT if the URI or the certificate cannot be used
     */
    public static RealtimeFlightClient connect(BufferAllocator allocator, FlightClientOptions options)
    {
        requireNonNull(allocator, "allocator is null");
        NettyChannelBuilder channel = channelBuilder(allocator, options)
                .intercept(new ClientCallShaping(options.token()))
                // gRPC would keep and resend messages whose vectors the caller has changed since
                .disableRetry()
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(20, TimeUnit.SECONDS);
        ManagedChannel managed = channel.build();
        boolean done = false;
        try {
            FlightClient client = FlightGrpcUtils.createFlightClient(allocator, managed);
            done = true;
            return new RealtimeFlightClient(options, allocator, client);
        }
        finally {
            if (!done) {
                managed.shutdownNow();
            }
        }
    }

    private static NettyChannelBuilder channelBuilder(BufferAllocator allocator, FlightClientOptions options)
    {
        NettyClientBuilder builder = new NettyClientBuilder(allocator, location(options.uri())).maxInboundMessageSize(Integer.MAX_VALUE);
        if (options.trustCertificate().isEmpty()) {
            return builder.build();
        }
        try (InputStream certificate = Files.newInputStream(options.trustCertificate().get())) {
            return builder.trustedCertificates(certificate).build();
        }
        catch (IOException | IllegalArgumentException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "Cannot use the certificate %s: %s".formatted(options.trustCertificate().get(), e.getMessage()),
                    e);
        }
    }

    private static Location location(String uri)
    {
        try {
            URI parsed = new URI(uri);
            boolean known = "grpc".equals(parsed.getScheme()) || "grpc+tls".equals(parsed.getScheme());
            if (known && parsed.getHost() != null && parsed.getPort() > 0) {
                return new Location(parsed);
            }
        }
        catch (URISyntaxException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a URI: " + uri, e);
        }
        throw new RealtimeException(Code.INVALID_ARGUMENT, "Not grpc://host:port or grpc+tls://host:port: " + uri);
    }

    /** The schema rows for the table should be sent in. */
    public Schema schema(Identifier table)
    {
        FlightDescriptor descriptor = new PutTarget.Append(table).descriptor();
        return call(() -> client.getSchema(descriptor, timeout()).getSchema());
    }

    /** Appends one batch atomically; see {@code RealtimeService.append}. The rows stay the caller's. */
    public AppendResult append(Identifier table, VectorSchemaRoot rows)
    {
        return put(new PutTarget.Append(table), rows);
    }

    /** A stream of appends; see {@link FlightPut}. The caller closes it, then the root. */
    public FlightPut openAppend(Identifier table, VectorSchemaRoot root)
    {
        return openPut(new PutTarget.Append(table), root);
    }

    /** Stages one batch for a statement. The rows stay the caller's. */
    public void stage(Identifier table, String statement, String part, VectorSchemaRoot rows)
    {
        put(new PutTarget.Stage(table, statement, part), rows);
    }

    /** A stream of batches staged for a statement; only a stream that was finished is wholly staged. The caller closes it, then the root. */
    public FlightPut openStage(Identifier table, String statement, String part, VectorSchemaRoot root)
    {
        return openPut(new PutTarget.Stage(table, statement, part), root);
    }

    private AppendResult put(PutTarget target, VectorSchemaRoot rows)
    {
        try (FlightPut put = openPut(target, rows)) {
            put.write();
            return new AppendResult(put.finish());
        }
    }

    private FlightPut openPut(PutTarget target, VectorSchemaRoot root)
    {
        return new FlightPut(client, options, target, root);
    }

    /**
     * Opens a reader over rows of a pinned cut. Its batches take their memory from the context, if that is of the same root allocator as the client, else from
     * the client's own parent. Errors, CUT_EXPIRED too, come from {@link MemBatchReader#next}.
     */
    public MemBatchReader read(FlightTicket ticket, MemQueryContext context)
    {
        BufferAllocator target = context.allocator().getRoot() == allocator.getRoot() ? context.allocator() : allocator;
        Schema schema = ArrowSchemas.toArrowSchema(ticket.request().readType());
        openReaders.incrementAndGet();
        boolean done = false;
        try {
            MemBatchReader reader = new FlightBatchReader(call(() -> client.getStream(ticket.toTicket())), schema, target, options.uri(),
                    openReaders::decrementAndGet);
            done = true;
            return reader;
        }
        finally {
            if (!done) {
                openReaders.decrementAndGet();
            }
        }
    }

    /** See {@code RealtimeService.flush}; waits as long as the writer takes. */
    public void flush(Optional<Identifier> table)
    {
        ObjectNode request = MAPPER.createObjectNode();
        table.ifPresent(identifier -> putTable(request, identifier));
        action(FlightActions.FLUSH, request);
    }

    public WriterStatus status()
    {
        return convert(action(FlightActions.STATUS, MAPPER.createObjectNode(), timeout()).path("writer"), WriterStatus.class);
    }

    public TableStatus tableStatus(Identifier table)
    {
        ObjectNode request = MAPPER.createObjectNode();
        putTable(request, table);
        return convert(action(FlightActions.STATUS, request, timeout()).path("table"), TableStatus.class);
    }

    /** See {@code RealtimeService.publish}. */
    public AppendResult publish(Identifier table, String statement, Set<String> parts)
    {
        ObjectNode request = MAPPER.createObjectNode().put("statement", statement);
        putTable(request, table);
        ArrayNode names = request.putArray("parts");
        parts.forEach(names::add);
        return new AppendResult(action(FlightActions.PUBLISH, request).path("rows").asLong());
    }

    /** See {@code RealtimeService.abandon}. */
    public void abandon(Identifier table, String statement)
    {
        ObjectNode request = MAPPER.createObjectNode().put("statement", statement);
        putTable(request, table);
        action(FlightActions.ABANDON, request, timeout());
    }

    /** Readers that are not closed. */
    int openReaders()
    {
        return openReaders.get();
    }

    private JsonNode action(String type, ObjectNode request, CallOption... callOptions)
    {
        return call(() -> {
            Iterator<Result> results = client.doAction(new Action(type, request.toString().getBytes(UTF_8)), callOptions);
            JsonNode answer = MAPPER.createObjectNode();
            while (results.hasNext()) {
                answer = parse(results.next().getBody());
            }
            return answer;
        });
    }

    private JsonNode parse(byte[] json)
    {
        try {
            return MAPPER.readTree(json);
        }
        catch (IOException e) {
            throw new RealtimeException(Code.INTERNAL, "The answer of %s is not JSON".formatted(options.uri()), e);
        }
    }

    private <T> T convert(JsonNode node, Class<T> type)
    {
        try {
            return requireNonNull(MAPPER.convertValue(node, type), "no answer");
        }
        catch (IllegalArgumentException | NullPointerException e) {
            throw new RealtimeException(Code.INTERNAL, "The answer of %s is not a %s".formatted(options.uri(), type.getSimpleName()), e);
        }
    }

    private static void putTable(ObjectNode request, Identifier table)
    {
        request.put("schema", table.getDatabaseName()).put("table", table.getObjectName());
    }

    private CallOption timeout()
    {
        return CallOptions.timeout(options.timeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    private <T> T call(Supplier<T> call)
    {
        try {
            return call.get();
        }
        catch (FlightRuntimeException e) {
            throw FlightErrors.fromFlight(e, options.uri());
        }
    }

    /** Ends the connection; batches already read stay valid. Readers must have been closed. */
    @Override
    public void close()
    {
        try {
            client.close();
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.UNAVAILABLE, "Interrupted while closing the connection to " + options.uri(), e);
        }
    }
}
