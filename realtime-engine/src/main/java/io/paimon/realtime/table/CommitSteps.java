package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.BulkFlush;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.table.LiveRows.Seal;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.TableClaim.Standing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.paimon.table.sink.CommitMessage;

/**
 * The steps of a round, each of which may be repeated: prepare (seal, flush), commit, adopt (show, reclaim); and before them a look at where the writer stands, after which offsets that are gone
 * from the table are said again. A statement's files may be committed with those of memory as one step.
 *
 * <p>Owns the rounds that are open. Thread-safe by the round lock, which is held over I/O: one step at a time is its purpose. Every method takes it itself; who makes several steps of one holds it
 * around them ({@link #hold}).
 */
final class CommitSteps
{
    private static final Logger log = Logger.get(CommitSteps.class);

    private final String name;
    private final MemoryBudget budget;
    private final TableClaim claim;
    private final LiveRows rows;
    private final LiveDefinition definition;
    private final TableFiles files;
    private final ReentrantLock roundLock = new ReentrantLock();
    @GuardedBy("roundLock")
    private final OpenRounds open = new OpenRounds();

    CommitSteps(TableOptions options, TableClaim claim, LiveRows rows, LiveDefinition definition, TableFiles files)
    {
        this.name = options.name();
        this.budget = options.budget();
        this.claim = requireNonNull(claim, "claim is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.definition = requireNonNull(definition, "definition is null");
        this.files = requireNonNull(files, "files is null");
    }

    /** Nobody else makes a step until the result is closed. */
    HeldLock hold()
    {
        return HeldLock.hold(roundLock);
    }

    /** The same, or empty if a step is under way. */
    Optional<HeldLock> tryHold()
    {
        return HeldLock.tryHold(roundLock);
    }

    /** Whether no round is open. */
    boolean isEmpty()
    {
        roundLock.lock();
        try {
            return open.isEmpty();
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Waits for nothing.
     *
     * @throws RealtimeException UNAVAILABLE while the fate of a statement is unknown: no offset is given out
     */
    @SuppressWarnings("GuardedBy") // this may be asked at any time
    void checkSettled()
    {
        if (open.isUncertain()) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: it is not known yet whether the last statement was committed; try again".formatted(name));
        }
    }

    /** Finds out what became of a statement whose fate is unknown; if it is committed, its rows are visible when this returns. Does nothing if there is none. */
    void settle()
    {
        roundLock.lock();
        try {
            settleStatement();
        }
        finally {
            roundLock.unlock();
        }
    }

    /** Whether a statement was uncertain and is committed. */
    @CanIgnoreReturnValue
    @GuardedBy("roundLock")
    private boolean settleStatement()
    {
        Optional<PreparedRound> uncertain = open.uncertain();
        if (uncertain.isEmpty()) {
            return false;
        }
        PreparedRound whole = uncertain.get();
        Optional<Published> published = files.newCommit().findEarlier(whole.next());
        if (published.isPresent()) {
            open.foundStatement();
            adopt(published.get());
            return true;
        }
        try {
            // a request that was given up may reach the storage later: only a newer snapshot of this writer, in the place of the statement's, makes certain that it comes too late
            Published committed = rows.committed();
            claim.checkNotTakenOver(committed);
            reassert(committed, whole.next().identifier() + 1);
        }
        catch (RealtimeException e) {
            if (e.code() == Code.FENCED) {
                // another writer's snapshot is in that place
                files.abort(whole.messages(), e);
            }
            throw e;
        }
        // the segments of memory, which are all still there, are flushed anew
        open.adopt(rows.committed().progress());
        try {
            files.newCommit().abort(whole.messages());
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: data files of a statement that was not committed could not be deleted", name);
        }
        return false;
    }

    /**
     * The round to commit next: the first open one, else a new one.
     *
     * @param drained whether it says that the writer gives the table up; it is made then though there are no rows
     * @return empty if there is nothing to commit
     */
    Optional<PreparedRound> prepare(boolean drained)
    {
        roundLock.lock();
        try {
            settleStatement();
            if (!open.isEmpty()) {
                return open.first();
            }
            definition.refresh();
            return prepareNext(rows.committed().progress().identifier() + 1, drained);
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * A round of this identifier: the one that is open, else a new one.
     *
     * @return empty if there is nothing to commit
     * @throws RealtimeException INVALID_ARGUMENT if the identifier does not grow
     */
    Optional<PreparedRound> prepare(long identifier)
    {
        roundLock.lock();
        try {
            rows.checkOpen();
            assertStanding();
            Optional<PreparedRound> known = open.find(identifier);
            if (known.isPresent()) {
                return known;
            }
            long last = open.last(rows.committed().progress()).identifier();
            if (identifier <= last) {
                throw new RealtimeException(Code.INVALID_ARGUMENT,
                        "Table %s: commit identifier %s does not grow over %s".formatted(name, identifier, last));
            }
            definition.refresh();
            return prepareNext(identifier, false);
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("roundLock")
    private Optional<PreparedRound> prepareNext(long identifier, boolean drained)
    {
        Progress base = open.last(rows.committed().progress());
        Seal seal = rows.seal(base);
        if (seal.segments().isEmpty() && !drained) {
            return Optional.empty();
        }
        List<CommitMessage> earlier = open.all().stream().flatMap(round -> round.messages().stream()).toList();
        List<CommitMessage> messages = files.flush(seal.segments(), earlier, identifier);
        PreparedRound round = new PreparedRound(Optional.of(base), nextProgress(base, identifier, seal.ends(), drained), messages);
        open.add(round);
        return Optional.of(round);
    }

    private static Progress nextProgress(Progress base, long identifier, Map<PartitionBucket, Long> ends, boolean drained)
    {
        return new Progress(base.lineage(), base.log(), base.epoch(), identifier, drained, ends, base.producers());
    }

    /**
     * Prepares a round of what is in memory, which {@link #prepareStatement} takes up; as there, the caller holds the rows.
     *
     * @return its files, which are committed before those of the statement
     */
    List<CommitMessage> prepareMemory()
    {
        roundLock.lock();
        try {
            if (open.isEmpty()) {
                prepareNext(rows.committed().progress().identifier() + 1, false);
            }
            return open.all().stream().flatMap(round -> round.messages().stream()).toList();
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Prepares a round of a statement's rows and those of memory, which {@link #commitStatement} must commit. The caller holds the rows ({@link LiveRows#hold}) over both, and knows that no other
     * statement is unsettled. From here on the statement's files are no longer the caller's.
     *
     * @param whenFound called if the statement turns out to be committed after its commit has failed
     */
    PreparedRound prepareStatement(BulkFlush.Result statement, Runnable whenFound)
    {
        roundLock.lock();
        try {
            Progress base = rows.committed().progress();
            // the definition stays the one that was checked: who looks for another waits for the rows, which are held
            Optional<PreparedRound> memoryOnly = open.isEmpty() ? prepareNext(base.identifier() + 1, false) : open.first();
            Map<PartitionBucket, Long> ends = new HashMap<>(memoryOnly.map(inMemory -> inMemory.next().offsets()).orElse(base.offsets()));
            statement.rows().forEach((bucket, count) -> ends.merge(bucket, count, Math::addExact));
            List<CommitMessage> messages = new ArrayList<>(memoryOnly.map(PreparedRound::messages).orElse(List.of()));
            messages.addAll(statement.messages());
            // another step than that of memory alone, so that each is found for what it is
            PreparedRound whole = new PreparedRound(Optional.of(base), nextProgress(base, open.last(base).identifier() + 1, ends, false), messages);
            open.addStatement(whole, whenFound);
            return whole;
        }
        finally {
            roundLock.unlock();
        }
    }

    /** Commits and adopts the round of {@link #prepareStatement}. If this throws, the statement is not committed, or nobody knows yet: then offsets are refused until it is settled. */
    void commitStatement(PreparedRound whole)
    {
        roundLock.lock();
        try {
            Published published;
            try {
                published = new Published(files.newCommit().commit(whole.base(), whole.next(), whole.messages()), claim.commitUser(), whole.next());
            }
            catch (RuntimeException e) {
                boolean committed;
                try {
                    committed = settleStatement();
                }
                catch (RuntimeException unsettled) {
                    e.addSuppressed(unsettled);
                    throw e;
                }
                if (!committed) {
                    throw e;
                }
                return;
            }
            adopt(published);
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Commits the first open round.
     *
     * @return the snapshot that holds it, also when an earlier call whose answer was lost made it
     */
    long commitFirst()
    {
        roundLock.lock();
        try {
            PreparedRound round = open.first().orElseThrow(() -> new IllegalStateException("Table %s: no round is prepared".formatted(name)));
            return findPublished(round).map(Published::snapshotId).orElseGet(() -> publish(round));
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
    long commit(PreparedRound round)
    {
        roundLock.lock();
        try {
            rows.checkOpen();
            Optional<Published> earlier = open.contains(round) ? findPublished(round) : files.newCommit().findEarlier(round.next());
            if (earlier.isPresent()) {
                return earlier.get().snapshotId();
            }
            if (!open.contains(round)) {
                throw new RealtimeException(Code.INVALID_ARGUMENT,
                        "Table %s: round %s is none of the rounds that are prepared now: prepare it again".formatted(name,
                                round.next().identifier()));
            }
            for (PreparedRound before : open.all()) {
                if (before.next().identifier() < round.next().identifier() && findPublished(before).isEmpty()) {
                    throw new RealtimeException(Code.INVALID_ARGUMENT, "Table %s: round %s must be committed before round %s".formatted(name,
                            before.next().identifier(), round.next().identifier()));
                }
            }
            return publish(round);
        }
        finally {
            roundLock.unlock();
        }
    }

    /** Where an open round was published, also if that is not there any more: it may have been rolled back, or expired. */
    @GuardedBy("roundLock")
    private Optional<Published> findPublished(PreparedRound round)
    {
        Optional<Published> known = open.findPublished(round);
        if (known.isPresent()) {
            return known;
        }
        Optional<Published> found = files.newCommit().findEarlier(round.next());
        found.ifPresent(open::published);
        return found;
    }

    @GuardedBy("roundLock")
    private long publish(PreparedRound round)
    {
        ProgressCommit commit = files.newCommit();
        try {
            long snapshotId = commit.commit(round.base(), round.next(), round.messages());
            open.published(new Published(snapshotId, claim.commitUser(), round.next()));
            return snapshotId;
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
            if (!open.isUncertain() && reason.isPresent() && commit.find(round.next()).isEmpty()) {
                log.warn("Table %s: %s: round %s is flushed anew", name, reason.get(), round.next().identifier());
                open.giveUpUnpublished();
            }
        }
        catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Adopts a snapshot. Repeating it changes nothing.
     *
     * @throws RealtimeException INVALID_ARGUMENT if it is older than the one adopted; COMMIT_FAILED if it holds nothing of this table's writers; FENCED if it is another writer's
     */
    void adopt(long snapshotId)
    {
        roundLock.lock();
        try {
            Optional<Published> known = open.findPublished(snapshotId);
            if (known.isPresent()) {
                // its rows share what became of it, and are not committed again
                adopt(known.get());
                return;
            }
            Published published = new ProgressFiles(definition.table()).newest(claim.lineage(), snapshotId)
                    .orElseThrow(() -> new RealtimeException(Code.COMMIT_FAILED,
                            "Table %s: snapshot %s has no progress of this table".formatted(name, snapshotId)));
            Published committed = rows.committed();
            if (published.progress().isSameStep(committed.progress())) {
                open.adopt(committed.progress());
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
            adopt(published);
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("roundLock")
    private void adopt(Published published)
    {
        // in this order: no offset is given out before the rows are where the next one is known
        rows.adopt(published, definition.table());
        open.adopt(published.progress());
        budget.signalFreed();
        claim.hold(published.snapshotId());
    }

    /** After a rollback or the like the offsets are said again. Data files of a prepared round may be gone with it: its segments are flushed anew. */
    void assertStanding()
    {
        roundLock.lock();
        try {
            if (rows.isGivenUp()) {
                // what others read of it must not be taken back
                return;
            }
            settleStatement();
            Optional<Published> last = open.lastPublished();
            for (PreparedRound round : open.all()) {
                boolean newest = last.isEmpty() || last.get().progress().identifier() <= round.next().identifier();
                if (newest && files.newCommit().find(round.next()).isPresent()) {
                    return;
                }
            }
            long lastIdentifier = open.last(rows.committed().progress()).identifier();
            // published, and not there any more: its rows share what became of it, and are not committed again
            last.ifPresent(this::adopt);
            Published committed = rows.committed();
            if (claim.standing(committed) == Standing.GONE) {
                log.warn("Table %s: snapshot %s of this writer is gone (rollback, purge or expiry): its offsets are committed again", name,
                        committed.snapshotId());
                // rounds that were prepared count as used: nobody must take the new commit for one of them
                reassert(committed, lastIdentifier + 1);
                open.giveUpUnpublished();
            }
        }
        finally {
            roundLock.unlock();
        }
    }

    /** Says the offsets again if there are many snapshots of others behind them, so that expiry can go on. */
    void renewStanding()
    {
        roundLock.lock();
        try {
            Published committed = rows.committed();
            if (!rows.isGivenUp() && open.isEmpty() && claim.standing(committed) == Standing.OLD) {
                reassert(committed, committed.progress().identifier() + 1);
            }
        }
        finally {
            roundLock.unlock();
        }
    }

    private void reassert(Published committed, long identifier)
    {
        Published again = claim.reassert(committed, identifier);
        rows.moveTo(again);
        claim.hold(again.snapshotId());
    }
}
