package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.model.CommitUser;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.paimon.LeaseFile.Lease;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.paimon.consumer.Consumer;
import org.apache.paimon.table.FileStoreTable;

/**
 * That this writer, and no other, has the table: the epoch claimed by a progress-only commit, the lease that tells others, and the consumer that keeps the newest own snapshot from
 * expiry. Thread-safe; the lock is held over the I/O of the lease file, which is its purpose.
 */
final class TableClaim
{
    private static final Logger log = Logger.get(TableClaim.class);
    /** Commits of others after which the offsets are said again, so that expiry can go on past our snapshot. */
    private static final long MAX_FOREIGN_SNAPSHOTS = 20;
    private static final long CONSUMER_TOUCH_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final FileStoreTable table;
    private final TableOptions options;
    private final String lineage;
    private final String commitUser;
    private final long epoch;
    private final LeaseFile leaseFile;
    private volatile long leaseDeadlineNanos;
    @GuardedBy("this")
    private long consumerTouchedNanos;
    @GuardedBy("this")
    private boolean released;

    private TableClaim(FileStoreTable table, TableOptions options, String lineage, CommitUser commitUser, long epoch)
    {
        this.table = requireNonNull(table, "table is null");
        this.options = requireNonNull(options, "options is null");
        this.lineage = requireNonNull(lineage, "lineage is null");
        this.commitUser = commitUser.toString();
        this.epoch = epoch;
        this.leaseFile = new LeaseFile(table);
    }

    /** A claim and the snapshot that makes it. */
    record Claimed(TableClaim claim, Published published)
    {}

    /**
     * Claims the table with a progress-only commit of the next epoch that goes on where the last progress ends. From before that commit the table stands on the board, so that a cut without it
     * is certainly older than every row of this writer.
     *
     * @throws RealtimeException FENCED if another writer has the table and lives, or was faster
     */
    static Claimed claim(FileStoreTable table, TableOptions options)
    {
        LeaseFile leaseFile = new LeaseFile(table);
        leaseFile.checkNotOwnedByOthers(options.logId());
        ProgressFiles progressFiles = new ProgressFiles(table);
        String lineage = progressFiles.createLineage();
        Optional<Published> last = progressFiles.latestSnapshotId().flatMap(latest -> progressFiles.newest(lineage, latest));
        Optional<Progress> base = last.map(Published::progress);
        base.filter(progress -> !progress.drained() && !progress.log().equals(options.logId())).ifPresent(_ -> log.warn(
                "Table %s: the writer before this one did not give the table up; rows that it had accepted and not committed are lost",
                options.name()));
        // also over that of a writer whose progress was rolled back
        long epoch = Math.max(base.map(Progress::epoch).orElse(0L), leaseFile.read().map(Lease::epoch).orElse(0L)) + 1;
        Progress next = new Progress(lineage, options.logId(), epoch, base.map(progress -> progress.identifier() + 1).orElse(1L), false,
                base.map(Progress::offsets).orElse(Map.of()), base.map(Progress::producers).orElse(Map.of()));
        TableMemory empty = new TableMemory(options);
        TableCut nothing = new TableCut(lineage, epoch, last.map(Published::snapshotId).orElse(-1L), empty.cut(next));
        long opened = options.board().publish(options.name(), nothing);
        try {
            TableClaim claim = new TableClaim(table, options, lineage, new CommitUser(options.incarnation(), opened), epoch);
            long snapshot = new ProgressCommit(table, claim.commitUser).commit(base, next, List.of());
            claim.writeLease();
            claim.hold(snapshot);
            return new Claimed(claim, new Published(snapshot, claim.commitUser, next));
        }
        catch (RuntimeException e) {
            options.board().remove(options.name(), nothing);
            throw e;
        }
    }

    String lineage()
    {
        return lineage;
    }

    String commitUser()
    {
        return commitUser;
    }

    /**
     * Refuses work that would be acknowledged while others may already take this writer for gone.
     *
     * @throws RealtimeException UNAVAILABLE if the lease has run out and is not renewed yet
     */
    void checkLease()
    {
        if (System.nanoTime() - leaseDeadlineNanos > 0) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: the writer has not renewed its lease in time (stopped, or its storage does not answer); try again"
                            .formatted(options.name()));
        }
    }

    /**
     * Says that the writer lives.
     *
     * @throws RealtimeException FENCED if another one has taken the table over, UNAVAILABLE if the lease cannot be written
     */
    synchronized void renewLease()
    {
        if (released) {
            return;
        }
        Optional<Lease> lease = leaseFile.read();
        if (lease.isEmpty()) {
            // written again in a folder that was dropped, it would bring that back
            checkLineage();
        }
        if (lease.isPresent() && (lease.get().epoch() > epoch
                || (lease.get().epoch() == epoch && !lease.get().incarnation().equals(options.incarnation())))) {
            throw new RealtimeException(Code.FENCED, "Table %s was taken over by %s (epoch %s, this writer's is %s)".formatted(options.name(),
                    lease.get().owner(), lease.get().epoch(), epoch));
        }
        writeLease();
    }

    private synchronized void writeLease()
    {
        long now = System.nanoTime();
        leaseFile.write(
                new Lease(options.incarnation(), options.logId(), options.address().get(), epoch, System.currentTimeMillis(), options.leaseMillis()));
        leaseDeadlineNanos = now + TimeUnit.MILLISECONDS.toNanos(options.leaseMillis());
    }

    /** Keeps the newest own snapshot from expiry: readers and restarts find their offsets in it. */
    synchronized void hold(long snapshotId)
    {
        if (released) {
            return;
        }
        try {
            table.consumerManager().resetConsumer(consumerId(), new Consumer(snapshotId));
            consumerTouchedNanos = System.nanoTime();
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: cannot keep snapshot %s from expiry", options.name(), snapshotId);
        }
    }

    /** The same from time to time, for consumers that are not touched expire themselves. */
    synchronized void touch(long snapshotId)
    {
        if (System.nanoTime() - consumerTouchedNanos > CONSUMER_TOUCH_NANOS) {
            hold(snapshotId);
        }
    }

    /** What the table's snapshots say about the step this writer knows as its newest. */
    enum Standing
    {
        /** It is the newest progress there is. */
        CURRENT,
        /** It is, but many snapshots of others came after it. */
        OLD,
        /** It is gone: the table was rolled back or purged, or the snapshot expired. */
        GONE,
    }

    /**
     * Looks where the writer stands.
     *
     * @throws RealtimeException FENCED if another writer's progress is there
     */
    Standing standing(Published committed)
    {
        ProgressFiles progressFiles = new ProgressFiles(table);
        Optional<Long> latest = progressFiles.latestSnapshotId();
        Optional<Published> newest = latest.flatMap(id -> progressFiles.newest(lineage, id));
        if (newest.isEmpty()) {
            checkLineage();
            return Standing.GONE;
        }
        if (newest.get().progress().epoch() > epoch || (newest.get().progress().epoch() == epoch && !newest.get().commitUser().equals(commitUser))) {
            throw new RealtimeException(Code.FENCED,
                    "Table %s was taken over by another writer (epoch %s, this writer's is %s)".formatted(options.name(),
                            newest.get().progress().epoch(), epoch));
        }
        if (!newest.get().progress().isSameStep(committed.progress()) || newest.get().snapshotId() != committed.snapshotId()) {
            return Standing.GONE;
        }
        return latest.get() - committed.snapshotId() >= MAX_FOREIGN_SNAPSHOTS ? Standing.OLD : Standing.CURRENT;
    }

    /** @throws RealtimeException FENCED if another writer's progress is there, or the table is not */
    void checkNotTakenOver(Published committed)
    {
        Standing _ = standing(committed);
    }

    private void checkLineage()
    {
        if (!new ProgressFiles(table).lineage().equals(Optional.of(lineage))) {
            throw new RealtimeException(Code.FENCED, "Table %s was dropped or re-created under its writer".formatted(options.name()));
        }
    }

    /**
     * Says the writer's offsets again, on top of whatever the table holds now.
     *
     * @param identifier of the new commit, above all that were ever prepared; a greater one is taken if the table has it already, from an attempt whose answer was lost
     * @throws RealtimeException FENCED if another writer's progress is there
     */
    Published reassert(Published committed, long identifier)
    {
        ProgressFiles progressFiles = new ProgressFiles(table);
        Optional<Progress> newest = progressFiles.latestSnapshotId().flatMap(id -> progressFiles.newest(lineage, id)).map(Published::progress);
        Progress known = committed.progress();
        long free = Math.max(identifier, newest.map(Progress::identifier).orElse(0L) + 1);
        Progress next = new Progress(lineage, known.log(), epoch, free, false, known.offsets(), known.producers());
        return new Published(new ProgressCommit(table, commitUser).commit(newest, next, List.of()), commitUser, next);
    }

    /** Lets others have the table at once, though rows of this writer are lost. */
    synchronized void leave()
    {
        released = true;
        if (leaseFile.read().filter(lease -> lease.epoch() == epoch).isPresent()) {
            leaseFile.delete();
        }
    }

    /** Gives the table up: nothing tells of this writer any more but its progress. */
    synchronized void release()
    {
        released = true;
        if (leaseFile.read().filter(lease -> lease.epoch() == epoch).isPresent()) {
            leaseFile.delete();
        }
        table.consumerManager().deleteConsumer(consumerId());
    }

    private String consumerId()
    {
        return "realtime-" + lineage;
    }
}
