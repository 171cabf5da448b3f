package io.paimon.realtime.trino;

import static io.airlift.json.JsonCodec.mapJsonCodec;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.json.JsonCodec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A query whose client takes pages only when told to, so that a test can look at it while it runs. */
final class StreamingQuery implements AutoCloseable
{
    private static final JsonCodec<Map<String, Object>> CODEC = mapJsonCodec(String.class, Object.class);

    private final HttpClient client = HttpClient.newHttpClient();
    private Map<String, Object> page;
    private URI last;
    private long rows;

    StreamingQuery(URI server, String catalog, String schema, String sql) throws IOException, InterruptedException
    {
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/v1/statement"))
                .header("X-Trino-User", "test")
                .header("X-Trino-Catalog", catalog)
                .header("X-Trino-Schema", schema)
                .POST(BodyPublishers.ofString(sql))
                .build();
        page = CODEC.fromJson(client.send(request, BodyHandlers.ofString()).body());
    }

    String queryId()
    {
        return (String) page.get("id");
    }

    private Optional<URI> next()
    {
        return Optional.ofNullable((String) page.get("nextUri")).map(URI::create);
    }

    /** Takes one page; false after the last one. */
    boolean advance() throws IOException, InterruptedException
    {
        Optional<URI> next = next();
        if (next.isEmpty()) {
            return false;
        }
        last = next.get();
        page = CODEC.fromJson(client.send(HttpRequest.newBuilder(last).header("X-Trino-User", "test").build(), BodyHandlers.ofString()).body());
        rows += page.get("data") instanceof List<?> data ? data.size() : 0;
        return true;
    }

    /** Takes the last page once more: the query learns that its client is there. */
    void repeat() throws IOException, InterruptedException
    {
        client.send(HttpRequest.newBuilder(last).header("X-Trino-User", "test").build(), BodyHandlers.discarding());
    }

    /** Takes pages until there are rows: the query runs, and its scans are open. */
    void awaitRows() throws IOException, InterruptedException
    {
        while (rows == 0) {
            assertThat(advance()).describedAs("query ended without rows: %s", page.get("error")).isTrue();
        }
    }

    /** Takes all pages that are left. */
    void drain() throws IOException, InterruptedException
    {
        while (advance()) {
            // counted there
        }
    }

    /** Rows that were taken. */
    long rows()
    {
        return rows;
    }

    /** A number of the query's statistics, as of the last page. */
    long statistic(String name)
    {
        return ((Number) ((Map<?, ?>) page.get("stats")).get(name)).longValue();
    }

    /** Name of the error, as of the last page; empty if there is none. */
    Optional<String> errorName()
    {
        return Optional.ofNullable((Map<?, ?>) page.get("error")).map(error -> (String) error.get("errorName"));
    }

    void cancel() throws IOException, InterruptedException
    {
        HttpRequest request = HttpRequest.newBuilder(next().orElseThrow()).header("X-Trino-User", "test").DELETE().build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(204);
    }

    /** The client goes away; the query is not told. */
    @Override
    public void close()
    {
        client.close();
    }
}
