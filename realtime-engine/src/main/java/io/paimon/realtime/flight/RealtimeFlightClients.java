package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;

/**
 * One client per writer, kept until {@link #close}. Few in practice: a catalog has one writer, which comes back under another port after a restart.
 */
@ThreadSafe
public final class RealtimeFlightClients implements AutoCloseable
{
    private static final int MAX_CLIENTS = 64;

    private final BufferAllocator allocator;
    private final FlightClientOptions options;

    @GuardedBy("this")
    private final Map<String, RealtimeFlightClient> clients = new LinkedHashMap<>(16, 0.75f, true);
    @GuardedBy("this")
    private boolean closed;

    /**
     * @param allocator parent of what the clients take; not closed
     * @param options of every client, but for the URI
     */
    public RealtimeFlightClients(BufferAllocator allocator, FlightClientOptions options)
    {
        this.allocator = requireNonNull(allocator, "allocator is null");
        this.options = requireNonNull(options, "options is null");
    }

    /**
     * The client of a writer. It belongs to the pool: callers do not close it, and do not keep it between queries.
     *
     * @throws RealtimeException UNAVAILABLE if the pool is closed; RESOURCE_EXHAUSTED if there are too many writers in use
     */
    public synchronized RealtimeFlightClient get(String uri)
    {
        if (closed) {
            throw new RealtimeException(Code.UNAVAILABLE, "The connections to the writer are closed");
        }
        RealtimeFlightClient client = clients.get(uri);
        if (client == null) {
            if (clients.size() >= MAX_CLIENTS) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Connections to %s writers are open".formatted(clients.size()));
            }
            client = RealtimeFlightClient.connect(allocator, options.withUri(uri));
            clients.put(uri, client);
        }
        return client;
    }

    @Override
    public void close()
    {
        List<RealtimeFlightClient> open;
        synchronized (this) {
            closed = true;
            open = new ArrayList<>(clients.values());
            clients.clear();
        }
        RuntimeException failure = null;
        for (RealtimeFlightClient client : open) {
            try {
                client.close();
            }
            catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                }
                else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
