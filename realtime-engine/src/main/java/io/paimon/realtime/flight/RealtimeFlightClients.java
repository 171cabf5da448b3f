package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;

/**
 * One client per writer, kept until {@link #close}. Few in practice: a catalog has one writer, which comes back under another port after a restart.
 */
@ThreadSafe
public final class RealtimeFlightClients implements AutoCloseable
{
    private static final int MAX_CLIENTS = 64;
    /** A caller that got a client uses it at once; after this time without a reader nobody is about to. */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final BufferAllocator allocator;
    private final FlightClientOptions options;

    @GuardedBy("this")
    private final Map<String, Entry> clients = new LinkedHashMap<>(16, 0.75f, true);
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
        Entry entry = clients.get(uri);
        if (entry == null) {
            makeRoom();
            entry = new Entry(RealtimeFlightClient.connect(allocator, options.withUri(uri)));
            clients.put(uri, entry);
        }
        entry.lastUsedNanos = System.nanoTime();
        return entry.client;
    }

    @GuardedBy("this")
    private void makeRoom()
    {
        if (clients.size() < MAX_CLIENTS) {
            return;
        }
        long now = System.nanoTime();
        for (Iterator<Entry> iterator = clients.values().iterator(); iterator.hasNext();) {
            Entry entry = iterator.next();
            if (now - entry.lastUsedNanos > IDLE_NANOS && entry.client.openReaders() == 0) {
                iterator.remove();
                entry.client.close();
                return;
            }
        }
        throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Connections to %s writers are open".formatted(clients.size()));
    }

    @Override
    public void close()
    {
        List<RealtimeFlightClient> open;
        synchronized (this) {
            closed = true;
            open = clients.values().stream().map(entry -> entry.client).toList();
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

    private static final class Entry
    {
        private final RealtimeFlightClient client;
        private long lastUsedNanos;

        private Entry(RealtimeFlightClient client)
        {
            this.client = client;
        }
    }
}
