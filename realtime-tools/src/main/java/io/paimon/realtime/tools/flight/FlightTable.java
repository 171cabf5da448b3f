package io.paimon.realtime.tools.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Optional;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.auth2.BearerCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** One table behind a writer's Flight endpoint. Close it after its uploads. */
public final class FlightTable implements AutoCloseable
{
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final FlightClient client;
    private final String schema;
    private final String table;
    private final CallOption[] options;

    private FlightTable(FlightClient client, String schema, String table, CallOption... options)
    {
        this.client = requireNonNull(client, "client is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.table = requireNonNull(table, "table is null");
        this.options = options;
    }

    /**
     * @param uri {@code grpc://host:port} or {@code grpc+tls://host:port}
     * @param token sent with every call
     * @param certificate PEM file of a certificate to trust with TLS; without it those of the system
     */
    public static FlightTable connect(BufferAllocator allocator, String uri, String schema, String table, Optional<String> token,
            Optional<Path> certificate)
            throws IOException
    {
        FlightClient.Builder builder = FlightClient.builder(allocator, location(uri));
        CallOption[] options = token
                .map(text -> new CallOption[]{new CredentialCallOption(new BearerCredentialWriter(text))})
                .orElseGet(() -> new CallOption[0]);
        if (certificate.isEmpty()) {
            return new FlightTable(builder.build(), schema, table, options);
        }
        try (InputStream stream = Files.newInputStream(certificate.get())) {
            return new FlightTable(builder.trustedCertificates(stream).build(), schema, table, options);
        }
    }

    private static Location location(String uri)
    {
        try {
            URI parsed = new URI(uri);
            String scheme = parsed.getScheme();
            if (parsed.getHost() != null && parsed.getPort() > 0
                    && ("grpc".equals(scheme) || "grpc+tls".equals(scheme) || "grpc+tcp".equals(scheme))) {
                return new Location(parsed);
            }
        }
        catch (URISyntaxException e) {
            throw new IllegalArgumentException("not an address as grpc://host:port: " + uri, e);
        }
        throw new IllegalArgumentException("not an address as grpc://host:port: " + uri);
    }

    /** The columns that an upload may have. */
    public Schema schema()
    {
        try {
            return client.getSchema(descriptor(), options).getSchema();
        }
        catch (FlightRuntimeException e) {
            throw new WriterException("%s.%s".formatted(schema, table), e);
        }
    }

    /**
     * Starts a stream of batches.
     *
     * @param root its vectors are what each batch sends; stays the caller's
     * @param window batches sent ahead of their acknowledgements, at least 1
     */
    public Upload upload(VectorSchemaRoot root, int window)
    {
        SyncPutListener acknowledgements = new SyncPutListener();
        return new Upload(client.startPut(descriptor(), root, acknowledgements, options), acknowledgements, root, window);
    }

    /** Returns when everything accepted before is in a snapshot. */
    public void flush()
    {
        act("flush", body());
    }

    /** The number of the first row of the producer that the writer does not have; 0 if it has none. */
    public long producerOffset(String producer)
    {
        JsonNode answer = act("producer-offset", body().put("producer", producer));
        return answer.path("producer_offset").asLong(0);
    }

    private JsonNode act(String type, ObjectNode body)
    {
        try {
            Iterator<Result> results = client.doAction(new Action(type, body.toString().getBytes(UTF_8)), options);
            byte[] answer = results.hasNext() ? results.next().getBody() : new byte[0];
            results.forEachRemaining(_ -> {
            });
            return answer.length == 0 ? MAPPER.createObjectNode() : MAPPER.readTree(answer);
        }
        catch (FlightRuntimeException e) {
            throw new WriterException(type, e);
        }
        catch (IOException e) {
            throw new WriterException(type + ": the answer is no JSON", e);
        }
    }

    private ObjectNode body()
    {
        return MAPPER.createObjectNode().put("schema", schema).put("table", table);
    }

    private FlightDescriptor descriptor()
    {
        return FlightDescriptor.path(schema, table);
    }

    @Override
    public void close()
            throws InterruptedException
    {
        client.close();
    }
}
