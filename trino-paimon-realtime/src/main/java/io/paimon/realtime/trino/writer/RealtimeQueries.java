package io.paimon.realtime.trino.writer;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.scan.ReadPoint;
import io.paimon.realtime.scan.ReadPoints;
import io.paimon.realtime.trino.config.RealtimeConfig;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.TablePoint;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;

/**
 * The cuts of the queries of this coordinator: taken at the first real-time table of a query, renewed until the query is cleaned up. Every table has one read point per query, so that two
 * scans of it see the same rows.
 */
public class RealtimeQueries
{
    private static final Logger log = Logger.get(RealtimeQueries.class);
    private static final int REMEMBERED_QUERIES = 100_000;
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final RealtimeWriter writer;
    private final Map<String, State> queries = new ConcurrentHashMap<>();
    /** Queries that are over. The engine may clean up a cancelled query while another thread still analyzes it: a cut taken after that would be held for ever. */
    private final Cache<String, Boolean> finished = CacheBuilder.newBuilder().maximumSize(REMEMBERED_QUERIES).expireAfterWrite(REMEMBERED).build();
    private final ScheduledExecutorService renewals = Executors.newSingleThreadScheduledExecutor(
            new ThreadFactoryBuilder().setNameFormat("paimon-realtime-leases-%d").setDaemon(true).build());

    private static final class State
    {
        private final QueryCut cut;
        private final Map<Identifier, ReadPoint> points = new ConcurrentHashMap<>();
        private final AtomicBoolean narrowed = new AtomicBoolean();

        private State(QueryCut cut)
        {
            this.cut = cut;
        }
    }

    @Inject
    public RealtimeQueries(RealtimeWriter writer, RealtimeConfig config)
    {
        this.writer = requireNonNull(writer, "writer is null");
        long period = Math.max(1, config.getReadLeaseTimeout().toMillis() / 4);
        Future<?> _ = renewals.scheduleWithFixedDelay(this::renew, period, period, TimeUnit.MILLISECONDS);
    }

    /** The table's read point in this query. */
    public TablePoint point(String queryId, Identifier identifier, FileStoreTable table)
    {
        try {
            State state = queries.computeIfAbsent(queryId, this::pin);
            ReadPoint point = state.points.computeIfAbsent(identifier,
                    _ -> ReadPoints.choose(table, identifier, state.cut));
            return new TablePoint(state.cut.address(), state.cut.incarnation(), point);
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }

    private State pin(String queryId)
    {
        if (finished.getIfPresent(queryId) != null) {
            throw new RealtimeException(Code.CUT_EXPIRED, "Query %s is over".formatted(queryId));
        }
        return new State(writer.service().pin(queryId));
    }

    /** Planning is over: views of tables that the query does not name may be freed. */
    public void planned(String queryId)
    {
        State state = queries.get(queryId);
        if (state != null && state.narrowed.compareAndSet(false, true)) {
            try {
                writer.local().ifPresent(service -> service.narrow(queryId, Set.copyOf(state.points.keySet())));
            }
            catch (RealtimeException e) {
                throw PaimonErrorCode.toTrinoException(e);
            }
        }
    }

    /** The query is over: nothing will be opened any more. */
    public void release(String queryId)
    {
        // before the removal: who pins now is either seen by it, or sees that the query is over
        finished.put(queryId, true);
        if (queries.remove(queryId) != null) {
            writer.local().ifPresent(service -> service.release(queryId));
        }
    }

    private void renew()
    {
        for (String queryId : queries.keySet()) {
            try {
                writer.local().ifPresent(service -> service.renew(queryId));
            }
            catch (RuntimeException e) {
                // the other queries are renewed all the same; readers of this one are told when its lease has ended
                log.debug(e, "Lease of query %s was not renewed", queryId);
            }
        }
    }

    @PreDestroy
    public void close()
    {
        renewals.shutdownNow();
    }
}
