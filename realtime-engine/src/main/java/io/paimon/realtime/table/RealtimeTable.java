package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.paimon.BulkFlush;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.Rescaling;
import io.paimon.realtime.paimon.RowRouting;
import io.paimon.realtime.paimon.SegmentFlush;
import io.paimon.realtime.paimon.StorageTrial;
import io.paimon.realtime.table.TableClaim.Claimed;
import io.paimon.realtime.table.TableClaim.Standing;
import io.paimon.realtime.table.TableMemory.Assignment;
import io.paimon.realtime.table.TableMemory.SealedSegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.types.RowType;

/**
 * The real-time side of one table: append, seal, flush, commit, refresh, reclaim.
 *
 * <h2>States</h2>
 * Rows are <i>building</i> until a round seals them, <i>sealed</i> until their data files are written, <i>flushed</i> until a snapshot names the files, <i>committed</i> until the cut says
 * so, then <i>reclaimed</i>. Only a commit round moves them on; a failed round leaves them where they are and the next one goes on with the same segments.
 *
 * <h2>Who has the table</h2>
 * The table is claimed when it is opened ({@link TableClaim}). A writer that learns that another one has taken over closes itself: every later call answers FENCED. After a rollback of the
 * table the next round, or {@link #maintain}, says the offsets again; until then reads of the union are refused.
 *
 * <h2>Locks</h2>
 * {@code roundLock}, then {@code schemaLock}, then {@code appendLock}, then those of {@link MemoryBudget} and {@link CutBoard}. The round lock is held over a whole round, I/O included: one
 * round at a time is its purpose; that of the schema lock is that an older definition never replaces a newer one. The append lock guards the memory and is never held over I/O, but for
 * {@link #appendDirectly}. All methods are thread-safe.
 */
public final class RealtimeTable implements AutoCloseable
{
    private static final Logger log = Logger.get(RealtimeTable.class);
    private static final int REMEMBERED_STATEMENTS = 100;

    private final String name;
    private final TableOptions options;
    private final TableClaim claim;
    private final ReentrantLock roundLock = new ReentrantLock();
    private final ReentrantLock schemaLock = new ReentrantLock();
    private final ReentrantLock appendLock = new ReentrantLock();

    /** The table at its newest known schema. */
    private volatile FileStoreTable table;
    /** Newest own snapshot and its progress; changed under both locks. */
    private volatile Published committed;
    @GuardedBy("appendLock")
    private final TableMemory memory;
    /** What stands on the board for this table. */
    @GuardedBy("appendLock")
    private TableCut shown;
    /** Why nothing is accepted any more; null while the table is open. */
    private volatile RealtimeException closed;
    @GuardedBy("roundLock")
    private final OpenRounds rounds = new OpenRounds();
    /** A directly committed statement whose fate is unknown: no offset is given out before it is settled. Changed under the round lock. */
    private volatile UnsettledStatement statement;
    /** Rows of statements that turned out to be committed only after their callers had been told of a failure. */
    @GuardedBy("roundLock")
    private final Cache<String, Long> settledStatements = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();
    /** Why appends are refused though the table can be committed; null if they are not. */
    private volatile RealtimeException refusal;
    /** The last round is under way or done. */
    private volatile boolean draining;
    private volatile String lastError = "";

    /** A round whose data files are written: committed as it is until its fate is known. */
    public record PreparedRound(Optional<Progress> base, Progress next, List<CommitMessage> messages)
    {
        public PreparedRound
        {
            requireNonNull(base, "base is null");
            requireNonNull(next, "next is null");
            messages = List.copyOf(messages);
        }
    }

    /**
     * @param memoryOnly the round to go on with if the statement was not committed; empty if there is none
     * @param whole the statement's rows and those of memory in one commit
     * @param messages data files of the statement
     */
    private record UnsettledStatement(String id, Optional<PreparedRound> memoryOnly, PreparedRound whole, List<CommitMessage> messages, long rows)
    {}

    private RealtimeTable(FileStoreTable table, TableOptions options, Claimed claimed)
    {
        this.name = options.name();
        this.table = table;
        this.options = options;
        this.claim = claimed.claim();
        this.committed = claimed.published();
        TableMemory empty = new TableMemory(options);
        this.memory = empty;
        this.shown = new TableCut(claim.lineage(), committed.progress().epoch(), committed.snapshotId(), empty.cut(committed.progress()));
        options.board().publish(name, shown);
    }

    /**
     * Claims the table for this service by a progress-only commit of the next epoch, and goes on where the last progress ends.
     *
     * @throws RealtimeException FENCED if another writer has the table and lives; NOT_REALTIME if the table cannot be written in real time
     */
    public static RealtimeTable open(FileStoreTable table, TableOptions options)
    {
        FileStoreTable writable = RealtimeTables.openForWriting(table);
        StorageTrial.check(writable);
        return new RealtimeTable(writable, options, TableClaim.claim(writable, options));
    }

    public String name()
    {
        return name;
    }

    /** Schema that rows must have now. */
    public RowType rowType()
    {
        return table.rowType();
    }

    /** Newest known definition of the table. */
    public FileStoreTable paimonTable()
    {
        return table;
    }

    /** Newest own snapshot and its progress. */
    public Published committed()
    {
        return committed;
    }

    /** Whether the table takes nothing any more, because it was closed or another writer took over. */
    public boolean isClosed()
    {
        return closed != null;
    }

    /**
     * Appends rows: all visible at once, over all buckets and all batches.
     *
     * @param batches in the canonical Arrow form of {@code schema}; stay the caller's
     * @param schema the row type the rows were made for
     * @throws RealtimeException UNAVAILABLE if the schema has changed since: make the rows again; RESOURCE_EXHAUSTED if there is no memory in time; FENCED if another writer took over
     */
    public long append(List<VectorSchemaRoot> batches, RowType schema)
    {
        while (true) {
            FileStoreTable target = table;
            List<List<RowRouting.Route>> routes = new ArrayList<>();
            long count = 0;
            long bytes = 0;
            for (VectorSchemaRoot rows : batches) {
                count += rows.getRowCount();
                List<RowRouting.Route> routed = new RowRouting(target).route(new VectorRows(rows, schema));
                OffsetColumn.check(name, schema, rows);
                routes.add(routed);
                // what is gathered now and what a merge of small chunks holds twice for a moment
                bytes += 2 * rows.getFieldVectors().stream().mapToLong(vector -> vector.getBufferSize()).sum() + 4096L * routed.size();
            }
            if (count == 0) {
                return 0;
            }
            MemoryBudget.Reservation reservation = options.budget().reserveForAppend("Table " + name, bytes, options.appendTimeoutMillis());
            try {
                lockForAppend();
                try {
                    checkOpen();
                    checkAccepting();
                    checkSchema(schema);
                    // after a change meanwhile the rows may belong to other buckets
                    if (table.schema().id() == target.schema().id()) {
                        write(batches, routes);
                        publish();
                        return count;
                    }
                }
                finally {
                    appendLock.unlock();
                }
            }
            finally {
                reservation.close();
            }
        }
    }

    /** Appends never wait for rounds, but for statements that are committed directly. */
    private void lockForAppend()
    {
        try {
            if (!appendLock.tryLock(options.appendTimeoutMillis(), TimeUnit.MILLISECONDS)) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED,
                        "Table %s: a statement is being committed for more than %s ms; try again".formatted(name, options.appendTimeoutMillis()));
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Table %s: interrupted while waiting to append".formatted(name), e);
        }
    }

    @GuardedBy("appendLock")
    private void write(List<VectorSchemaRoot> batches, List<List<RowRouting.Route>> routes)
    {
        Assignment assignment = memory.assign(routes, committed.progress());
        int offsetColumn = RealtimeTables.offsetColumn(table.rowType());
        if (offsetColumn < 0) {
            memory.write(table, batches, routes, assignment);
            return;
        }
        List<VectorSchemaRoot> filled = new ArrayList<>();
        try {
            for (int i = 0; i < batches.size(); i++) {
                filled.add(OffsetColumn.fill(batches.get(i), offsetColumn, routes.get(i), assignment.starts().get(i), options.allocator()));
            }
            memory.write(table, filled, routes, assignment);
        }
        finally {
            filled.forEach(rows -> rows.getVector(offsetColumn).close());
        }
    }

    private void checkAccepting()
    {
        claim.checkLease();
        if (draining) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s is being closed".formatted(name));
        }
        RealtimeException reason = refusal;
        if (reason != null) {
            throw new RealtimeException(reason.code(), reason.getMessage(), reason);
        }
        if (statement != null) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: it is not known yet whether the last statement was committed; try again".formatted(name));
        }
    }

    private void checkSchema(RowType schema)
    {
        if (!schema.equals(table.rowType())) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s: the schema has just changed; try again".formatted(name));
        }
    }

    /**
     * Commits rows directly, behind a round of what is in memory: for statements that do not fit into memory. They are visible at once when this returns. When it throws they are not, unless
     * the fate of the commit is unknown: then appends are refused until it is settled, and a repetition under the same id answers what came of it. Appends wait while the snapshot is made, and
     * where the writer fills a column with offsets also while the data files are written.
     *
     * @param id of the statement
     * @param rows row objects may be reused; not looked at if an earlier call has committed the statement
     * @param spillDirectory where rows that do not fit into the write buffer are kept meanwhile
     */
    public long appendDirectly(String id, Iterator<InternalRow> rows, RowType schema, Path spillDirectory)
    {
        Optional<Long> earlier = settledStatement(id);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        FileStoreTable target = table;
        checkSchema(schema);
        boolean withOffsets = RealtimeTables.offsetColumn(schema) >= 0;
        // rows that hold their offsets are written while nobody else gets any
        BulkFlush.Result bulk = withOffsets ? null : bulkFlush(target, rows, Map.of(), spillDirectory);
        roundLock.lock();
        try {
            boolean handedOver = false;
            try {
                round(false);
                appendLock.lock();
                try {
                    checkOpen();
                    checkAccepting();
                    if (table.schema().id() != target.schema().id()) {
                        throw new RealtimeException(Code.UNAVAILABLE, "Table %s: its definition has just changed; try again".formatted(name));
                    }
                    if (withOffsets) {
                        bulk = bulkFlush(target, rows, memory.uppers(committed.progress()), spillDirectory);
                    }
                    prepareStatement(id, bulk);
                    handedOver = true;
                    return commitStatement();
                }
                finally {
                    appendLock.unlock();
                }
            }
            catch (RuntimeException e) {
                if (!handedOver && bulk != null) {
                    // nothing was published
                    abort(bulk.messages(), e);
                }
                throw fencedOr(e);
            }
        }
        finally {
            roundLock.unlock();
        }
    }

    /** Rows of the statement if it turned out to be committed; they are visible when this returns. */
    private Optional<Long> settledStatement(String id)
    {
        roundLock.lock();
        try {
            if (statement != null) {
                settleStatement();
            }
            Optional<Long> count = Optional.ofNullable(settledStatements.getIfPresent(id));
            if (count.isPresent()) {
                round(false);
            }
            return count;
        }
        catch (RuntimeException e) {
            throw fencedOr(e);
        }
        finally {
            roundLock.unlock();
        }
    }

    private BulkFlush.Result bulkFlush(FileStoreTable target, Iterator<InternalRow> rows, Map<PartitionBucket, Long> nextOffsets, Path spillDirectory)
    {
        try (MemoryBudget.Reservation reservation = options.budget().reserveForFlush("Table " + name, BulkFlush.MAX_BUFFER_BYTES,
                options.appendTimeoutMillis())) {
            return BulkFlush.flush(target, claim.commitUser(), rows, nextOffsets, reservation.bytes(), spillDirectory);
        }
    }

    /** From here on only {@link #settleStatement} decides about the statement's files. */
    @GuardedBy("roundLock")
    private void prepareStatement(String id, BulkFlush.Result bulk)
    {
        Optional<PreparedRound> memoryOnly = prepareCommitWithProgress();
        Progress base = committed.progress();
        Map<PartitionBucket, Long> ends = new HashMap<>(memoryOnly.map(inMemory -> inMemory.next().offsets()).orElse(base.offsets()));
        bulk.rows().forEach((key, count) -> ends.merge(key, count, Math::addExact));
        List<CommitMessage> messages = new ArrayList<>(memoryOnly.map(PreparedRound::messages).orElse(List.of()));
        messages.addAll(bulk.messages());
        // another step than that of memory alone, so that each is found for what it is
        PreparedRound whole = new PreparedRound(Optional.of(base), nextProgress(base, rounds.last(base).identifier() + 1, ends, false), messages);
        rounds.set(Optional.of(whole));
        statement = new UnsettledStatement(id, memoryOnly, whole, bulk.messages(), bulk.rows().values().stream().mapToLong(Long::longValue).sum());
    }

    @GuardedBy("roundLock")
    private long commitStatement()
    {
        UnsettledStatement committing = statement;
        PreparedRound whole = committing.whole();
        Published published;
        try {
            published = new Published(newCommit().commit(whole.base(), whole.next(), whole.messages()), claim.commitUser(), whole.next());
            statement = null;
        }
        catch (RuntimeException e) {
            Optional<Published> settled;
            try {
                settled = settleStatement();
            }
            catch (RuntimeException unsettled) {
                e.addSuppressed(unsettled);
                throw e;
            }
            published = settled.orElseThrow(() -> e);
        }
        adoptCommitted(published);
        return committing.rows();
    }

    /** The snapshot of a directly committed statement, if it is there; if not, its rows are given up and those of memory go on. */
    @CanIgnoreReturnValue
    @GuardedBy("roundLock")
    private Optional<Published> settleStatement()
    {
        UnsettledStatement unsettled = statement;
        Optional<Published> published = newCommit().findEarlier(unsettled.whole().next());
        statement = null;
        if (published.isPresent()) {
            settledStatements.put(unsettled.id(), unsettled.rows());
            return published;
        }
        rounds.set(unsettled.memoryOnly());
        try {
            newCommit().abort(unsettled.messages());
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: data files of a statement that was not committed could not be deleted", name);
        }
        return published;
    }

    /** Deletes files that are certainly not referenced; the failure that led to it stays the one that is told. */
    private void abort(List<CommitMessage> messages, RuntimeException failure)
    {
        try {
            newCommit().abort(messages);
        }
        catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private ProgressCommit newCommit()
    {
        return new ProgressCommit(table, claim.commitUser());
    }

    private static Progress nextProgress(Progress base, long identifier, Map<PartitionBucket, Long> ends, boolean drained)
    {
        return new Progress(base.lineage(), base.log(), base.epoch(), identifier, drained, ends, base.producers());
    }

    /** Makes the state of the memory the newest cut. */
    @GuardedBy("appendLock")
    private void publish()
    {
        if (isClosed()) {
            // the board may hold the cut of the next writer already
            return;
        }
        shown = new TableCut(claim.lineage(), committed.progress().epoch(), committed.snapshotId(), memory.cut(committed.progress()));
        options.board().publish(name, shown);
    }

    /** {@link #commitRound} unless one is under way, or a statement is being committed, which is one as well. */
    public void commitRoundIfIdle()
    {
        if (!roundLock.tryLock()) {
            return;
        }
        try {
            commitRound();
        }
        finally {
            roundLock.unlock();
        }
    }

    /** One whole round: everything accepted before the call is in a snapshot when it returns. Throws what went wrong; the rows stay and the next round tries again. */
    public void commitRound()
    {
        roundLock.lock();
        try {
            round(false);
            lastError = "";
        }
        catch (RuntimeException e) {
            lastError = String.valueOf(e.getMessage());
            throw fencedOr(e);
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * A last round, after which the table is given up for whoever comes next: appends are refused from now on. If it fails, the table goes on as before.
     */
    public void drain()
    {
        roundLock.lock();
        try {
            appendLock.lock();
            try {
                checkOpen();
                draining = true;
            }
            finally {
                appendLock.unlock();
            }
            round(true);
        }
        catch (RuntimeException e) {
            draining = false;
            throw fencedOr(e);
        }
        finally {
            roundLock.unlock();
        }
        // it is drained, whatever comes now
        try {
            claim.release();
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: others will take this writer for alive until its lease has run out", name);
        }
    }

    @GuardedBy("roundLock")
    private void round(boolean drained)
    {
        assertStanding();
        while (!rounds.isEmpty()) {
            refreshCommittedSnapshot(commitWithProgress());
        }
        if (prepare(drained).isPresent()) {
            refreshCommittedSnapshot(commitWithProgress());
        }
    }

    /** After a rollback or the like the offsets are said again. Data files of a prepared round may be gone with it: its segments are flushed anew. */
    @GuardedBy("roundLock")
    private void assertStanding()
    {
        if (statement != null) {
            settleStatement();
        }
        for (PreparedRound round : rounds.all()) {
            if (newCommit().find(round.next()).isPresent()) {
                return;
            }
        }
        if (claim.standing(committed) == Standing.GONE) {
            log.warn("Table %s: snapshot %s of this writer is gone (rollback, purge or expiry): its offsets are committed again", name,
                    committed.snapshotId());
            // rounds that were prepared count as used: nobody must take the new commit for one of them
            long last = rounds.last(committed.progress()).identifier();
            rounds.clear();
            adopt(claim.reassert(committed, last + 1));
        }
    }

    @GuardedBy("roundLock")
    private void adopt(Published published)
    {
        appendLock.lock();
        try {
            committed = published;
            publish();
        }
        finally {
            appendLock.unlock();
        }
        claim.hold(published.snapshotId());
    }

    /**
     * What must be done from time to time, several times within the lease: says that the writer lives, notices take-overs and rollbacks, keeps the newest own snapshot from expiry and lets expiry
     * go on behind it.
     */
    public void maintain()
    {
        if (isClosed()) {
            return;
        }
        try {
            claim.renewLease();
            claim.touch(committed.snapshotId());
            if (!roundLock.tryLock()) {
                // a round is under way and sees for itself
                return;
            }
            try {
                if (rounds.isEmpty() && claim.standing(committed) == Standing.OLD) {
                    adopt(claim.reassert(committed, committed.progress().identifier() + 1));
                }
                assertStanding();
            }
            finally {
                roundLock.unlock();
            }
        }
        catch (RuntimeException e) {
            throw fencedOr(e);
        }
    }

    /** The same exception, after closing the table if it says that another writer has it. */
    private RuntimeException fencedOr(RuntimeException e)
    {
        if (e instanceof RealtimeException realtimeException && realtimeException.code() == Code.FENCED && !isClosed()) {
            log.error("%s: this writer gives up %s rows that it had accepted", e.getMessage(), rowsInMemory());
            close(realtimeException);
        }
        return e;
    }

    /**
     * Seals all buckets at one cut and writes their sealed segments into data files. A round that is prepared already and whose fate is open is returned again.
     *
     * @return empty if there is nothing to commit
     */
    public Optional<PreparedRound> prepareCommitWithProgress()
    {
        roundLock.lock();
        try {
            return prepare(false);
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Begins a round under an identifier of the caller, also while earlier ones are not committed or adopted yet. One that is open already is returned again.
     *
     * @return empty if there is nothing to commit
     * @throws RealtimeException INVALID_ARGUMENT if the identifier does not grow
     */
    public Optional<PreparedRound> prepareCommitWithProgress(long identifier)
    {
        roundLock.lock();
        try {
            checkOpen();
            assertStanding();
            Optional<PreparedRound> open = rounds.find(identifier);
            if (open.isPresent()) {
                return open;
            }
            long last = rounds.last(committed.progress()).identifier();
            if (identifier <= last) {
                throw new RealtimeException(Code.INVALID_ARGUMENT,
                        "Table %s: commit identifier %s does not grow over %s".formatted(name, identifier, last));
            }
            return prepareNext(identifier, false);
        }
        catch (RuntimeException e) {
            throw fencedOr(e);
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("roundLock")
    private Optional<PreparedRound> prepare(boolean drained)
    {
        if (statement != null) {
            settleStatement();
        }
        return rounds.isEmpty() ? prepareNext(committed.progress().identifier() + 1, drained) : rounds.first();
    }

    @GuardedBy("roundLock")
    private Optional<PreparedRound> prepareNext(long identifier, boolean drained)
    {
        refreshSchema();
        Progress base = rounds.last(committed.progress());
        List<SealedSegment> segments;
        Map<PartitionBucket, Long> ends;
        appendLock.lock();
        try {
            checkOpen();
            segments = memory.seal(base);
            ends = memory.uppers(base);
        }
        finally {
            appendLock.unlock();
        }
        if (segments.isEmpty() && !drained) {
            return Optional.empty();
        }
        List<CommitMessage> messages = new ArrayList<>();
        try {
            for (SealedSegment segment : segments) {
                messages.addAll(flush(segment, identifier));
            }
        }
        catch (RuntimeException e) {
            // nothing was published: the files of this attempt are certainly unreferenced
            abort(messages, e);
            throw e;
        }
        PreparedRound round = new PreparedRound(Optional.of(base), nextProgress(base, identifier, ends, drained), messages);
        rounds.add(round);
        return Optional.of(round);
    }

    private List<CommitMessage> flush(SealedSegment sealed, long identifier)
    {
        try (MemoryBudget.Reservation _ = options.budget().reserveForFlush("Flush of table " + name, sealed.segment().memoryBytes(),
                options.appendTimeoutMillis());
                SegmentRows rows = new SegmentRows(sealed.indexer().createCommitReaders(sealed.segment()), sealed.table().rowType())) {
            // rows of before a rescale belong to other buckets now
            boolean rescaled = Rescaling.isChanged(sealed.table(), table);
            FileStoreTable target = rescaled ? Rescaling.withBuckets(sealed.table(), table.coreOptions().bucket()) : sealed.table();
            return new SegmentFlush(target, claim.commitUser()).flush(rescaled ? Optional.empty() : Optional.of(sealed.bucket()), rows,
                    sealed.segment().rowCount(), identifier);
        }
    }

    /**
     * Commits the first open round.
     *
     * @return the snapshot that holds it, also when an earlier call whose answer was lost made it
     */
    public long commitWithProgress()
    {
        roundLock.lock();
        try {
            PreparedRound round = rounds.first().orElseThrow(() -> new IllegalStateException("Table %s: no round is prepared".formatted(name)));
            return newCommit().findEarlier(round.next()).map(Published::snapshotId).orElseGet(() -> commit(round));
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Commits an open round, once all before it are committed.
     *
     * @return the snapshot that holds it, also when an earlier call made it
     * @throws RealtimeException INVALID_ARGUMENT if a round before it is not committed, or if it is none of this writer's; FENCED if another writer took over
     */
    public long commitWithProgress(PreparedRound round)
    {
        roundLock.lock();
        try {
            checkOpen();
            Optional<Published> earlier = newCommit().findEarlier(round.next());
            if (earlier.isPresent()) {
                return earlier.get().snapshotId();
            }
            if (!rounds.contains(round)) {
                throw new RealtimeException(Code.INVALID_ARGUMENT,
                        "Table %s: round %s is none of the rounds that are prepared now: prepare it again".formatted(name,
                                round.next().identifier()));
            }
            for (PreparedRound before : rounds.all()) {
                if (before.next().identifier() < round.next().identifier() && newCommit().findEarlier(before.next()).isEmpty()) {
                    throw new RealtimeException(Code.INVALID_ARGUMENT, "Table %s: round %s must be committed before round %s".formatted(name,
                            before.next().identifier(), round.next().identifier()));
                }
            }
            return commit(round);
        }
        catch (RuntimeException e) {
            throw fencedOr(e);
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("roundLock")
    private long commit(PreparedRound round)
    {
        ProgressCommit commit = newCommit();
        try {
            return commit.commit(round.base(), round.next(), round.messages());
        }
        catch (RuntimeException e) {
            giveUpUncommittable(round, commit, e);
            throw e;
        }
    }

    /** If the files of a round can never be committed, its segments, which are all still there, are flushed anew. */
    @GuardedBy("roundLock")
    private void giveUpUncommittable(PreparedRound round, ProgressCommit commit, RuntimeException failure)
    {
        try {
            Optional<String> reason = commit.uncommittableReason(round.messages());
            if (statement == null && reason.isPresent() && commit.find(round.next()).isEmpty()) {
                log.warn("Table %s: %s: round %s is flushed anew", name, reason.get(), round.next().identifier());
                rounds.clear();
            }
        }
        catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Adopts a snapshot: what it holds is committed for every cut from now on, and memory below it is given up. Repeating it changes nothing; an older snapshot is refused.
     */
    public void refreshCommittedSnapshot(long snapshotId)
    {
        roundLock.lock();
        try {
            ProgressFiles progressFiles = new ProgressFiles(table);
            Published published = progressFiles.newest(claim.lineage(), snapshotId)
                    .orElseThrow(() -> new RealtimeException(Code.COMMIT_FAILED,
                            "Table %s: snapshot %s has no progress of this table".formatted(name, snapshotId)));
            if (published.progress().isSameStep(committed.progress())) {
                return;
            }
            if (published.progress().epoch() != committed.progress().epoch()) {
                throw new RealtimeException(Code.FENCED, "Table %s: snapshot %s belongs to writer epoch %s, this is %s".formatted(name, snapshotId,
                        published.progress().epoch(), committed.progress().epoch()));
            }
            if (published.progress().identifier() < committed.progress().identifier()) {
                throw new RealtimeException(Code.INVALID_ARGUMENT,
                        "Table %s: snapshot %s is older than the adopted %s".formatted(name, snapshotId, committed.snapshotId()));
            }
            adoptCommitted(published);
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("roundLock")
    private void adoptCommitted(Published published)
    {
        rounds.adopt(published.progress());
        appendLock.lock();
        try {
            committed = published;
            memory.reclaim(published.progress(), table);
            publish();
            memory.forgetEmpty();
        }
        finally {
            appendLock.unlock();
        }
        options.budget().signalFreed();
        claim.hold(published.snapshotId());
    }

    /**
     * Looks for a newer definition of the table; rows written from then on have it. If it cannot be written in real time, rows are refused until it can, and those that were accepted are committed
     * as they are.
     *
     * @return whether there is a newer one that can be written
     */
    @CanIgnoreReturnValue
    public boolean refreshSchema()
    {
        schemaLock.lock();
        try {
            FileStoreTable latest = RealtimeTables.newest(table);
            if (latest.schema().id() == table.schema().id()) {
                refusal = null;
                return false;
            }
            try {
                latest = RealtimeTables.openForWriting(latest);
                StorageTrial.check(latest);
                Optional<String> rescaling = Rescaling.isChanged(table, latest) ? Rescaling.problem(latest) : Optional.empty();
                if (rescaling.isPresent()) {
                    throw new RealtimeException(Code.UNAVAILABLE, "Table %s: %s".formatted(name, rescaling.get()));
                }
            }
            catch (RealtimeException e) {
                log.warn("Rows are refused: %s", e.getMessage());
                refusal = e;
                return false;
            }
            appendLock.lock();
            try {
                table = latest;
                refusal = null;
            }
            finally {
                appendLock.unlock();
            }
            return true;
        }
        finally {
            schemaLock.unlock();
        }
    }

    private long rowsInMemory()
    {
        appendLock.lock();
        try {
            return memory.rowCount();
        }
        finally {
            appendLock.unlock();
        }
    }

    /** Newest failure of a round that still matters, empty if none. Waits for nothing. */
    public String lastError()
    {
        return lastError;
    }

    public TableStatus status()
    {
        appendLock.lock();
        try {
            return new TableStatus(name, committed.progress().epoch(), committed.snapshotId(), lastError, memory.status(table, committed.progress()));
        }
        finally {
            appendLock.unlock();
        }
    }

    private void checkOpen()
    {
        RealtimeException reason = closed;
        if (reason != null) {
            throw new RealtimeException(reason.code(), reason.getMessage(), reason);
        }
    }

    /** Gives up the rows in memory; cuts that are held elsewhere stay readable. */
    @Override
    public void close()
    {
        close(new RealtimeException(Code.UNAVAILABLE, "Table %s is closed".formatted(name)));
    }

    /**
     * Ends the writing and gives the table up for whoever comes next. Rows that are not committed are lost with it; if there are none, the progress on disk says so.
     */
    public void leave()
    {
        roundLock.lock();
        try {
            if (!isClosed() && rounds.isEmpty() && rowsInMemory() == 0) {
                drain();
            }
            else if (!isClosed()) {
                claim.leave();
            }
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: others will take this writer for alive until its lease has run out", name);
        }
        finally {
            roundLock.unlock();
        }
        close();
    }

    private void close(RealtimeException reason)
    {
        appendLock.lock();
        try {
            if (isClosed()) {
                return;
            }
            closed = reason;
            options.board().remove(name, shown);
            memory.close();
        }
        finally {
            appendLock.unlock();
        }
    }
}
