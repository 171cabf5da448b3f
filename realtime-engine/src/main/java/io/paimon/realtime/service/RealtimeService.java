package io.paimon.realtime.service;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.AppendResult;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.model.WriterStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.types.RowType;

/**
 * The writer: accepts rows for many tables, holds them in memory, commits them, and hands pinned views of them to queries.
 *
 * <p>All methods are thread-safe and throw {@link io.paimon.realtime.model.RealtimeException} with a code; a refused call changes nothing.
 * Two carriers exist: the one embedded in this JVM, and a client of a service in another process.
 */
public interface RealtimeService extends AutoCloseable
{
    /** Address, incarnation, phase, memory: never throws, also when the service is unusable, and waits for nothing that is under way. */
    WriterStatus status();

    /** Random id of this start of the service, to which cuts and rows in memory belong. Never throws, and waits for nothing that is under way. */
    String incarnation();

    /** Per partition-bucket state of one table. */
    TableStatus tableStatus(Identifier table);

    /** Row type that appended rows must fit now. */
    RowType rowType(Identifier table);

    /**
     * Appends rows atomically: when this returns they are in every query planned afterwards. Columns are matched by name without regard to case, in any order; a missing
     * nullable column is its default or NULL; types that widen without loss are taken.
     *
     * @param rows stays the caller's; not changed
     */
    AppendResult append(Identifier table, VectorSchemaRoot rows);

    /**
     * Keeps rows for a statement without showing them; spilled to disk beyond a bound. Parts separate task attempts: only those named at publication count.
     *
     * @param statement id of the statement, unique per query
     * @param part id of one writing task attempt
     */
    void stage(Identifier table, String statement, String part, VectorSchemaRoot rows);

    /**
     * Makes the named parts of the statement visible at once; other parts of it are dropped. Idempotent by statement id: a repetition answers as the first call did. A part that
     * staged no row need not be named; a statement that staged none is published without parts, as 0 rows.
     *
     * @throws io.paimon.realtime.model.RealtimeException NOT_FOUND if a named part is not there, unless the statement was published already
     */
    AppendResult publish(Identifier table, String statement, Set<String> parts);

    /** Drops what the statement staged. Unknown statements are ignored. */
    void abandon(Identifier table, String statement);

    /**
     * The cut of a query: all tables of the service at one instant, held under a lease of {@code read-lease-timeout}. Repeated calls with the same id return
     * the same cut until it is released.
     */
    QueryCut pin(String queryId);

    /** Extends the lease. */
    void renew(String queryId);

    /** From here on the query needs only these tables: what others hold may be freed. */
    void narrow(String queryId, Set<Identifier> tables);

    /** No page source will be opened for the query any more: its views are freed as soon as the open readers are closed. Unknown ids are ignored. */
    void release(String queryId);

    /**
     * Opens readers over one partition-bucket of a pinned cut; they hold what they read until they are closed. In place where the writer is in this JVM.
     *
     * @throws io.paimon.realtime.model.RealtimeException CUT_EXPIRED if the query's cut is not held any more or belongs to another incarnation
     */
    List<MemBatchReader> read(String queryId, Identifier table, PartitionBucket bucket, MemReadRequest request, MemQueryContext context);

    /**
     * Returns when everything accepted before the call is in a snapshot, of one table or of all.
     *
     * @throws io.paimon.realtime.model.RealtimeException NOT_REALTIME if the table is none, FENCED if another writer has it
     */
    void flush(Optional<Identifier> table);

    /**
     * Flushes, makes a change of the table's definition, then forgets the table; rows are refused meanwhile. If the flush fails nothing is changed.
     *
     * @param change for example turns real-time writes off; what it throws is thrown
     * @throws io.paimon.realtime.model.RealtimeException FENCED if another writer has the table: its rows are not this one's to flush
     */
    void release(Identifier table, Runnable change);

    /** Forgets the table and its rows, for it was dropped. Unknown tables are ignored. */
    void drop(Identifier table);

    /** Drains within the shutdown time and closes; open readers stay valid until closed. */
    @Override
    void close();
}
