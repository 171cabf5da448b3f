package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.Optional;

/**
 * Whole rounds, and what is done from time to time beside them: the last one, the lease, the standing of the writer.
 *
 * <p>Owns the newest failure. Thread-safe by the round lock ({@link CommitSteps#hold}), held over a whole round. A failure that says that another writer has the table closes the rows.
 */
final class CommitRounds
{
    private static final Logger log = Logger.get(CommitRounds.class);
    /** How often the files of a round are written before somebody else has to try again. */
    private static final int MAX_FLUSHES = 5;

    private final String name;
    private final TableClaim claim;
    private final LiveRows rows;
    private final CommitSteps steps;
    private volatile String lastError = "";

    CommitRounds(String name, TableClaim claim, LiveRows rows, CommitSteps steps)
    {
        this.name = requireNonNull(name, "name is null");
        this.claim = requireNonNull(claim, "claim is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.steps = requireNonNull(steps, "steps is null");
    }

    /** Newest failure of a round that still matters, empty if none. Waits for nothing. */
    String lastError()
    {
        return lastError;
    }

    /** {@link #commit} unless a step is under way, or a statement is being committed, which is one as well. */
    void commitIfIdle()
    {
        Optional<HeldLock> held = steps.tryHold();
        if (held.isEmpty()) {
            return;
        }
        try (HeldLock _ = held.get()) {
            commit();
        }
    }

    /** One whole round: everything accepted before the call is in a snapshot when it returns. Throws what went wrong; the rows stay and the next round tries again. */
    void commit()
    {
        try (HeldLock _ = steps.hold()) {
            try {
                run(false);
                lastError = "";
            }
            catch (RuntimeException e) {
                lastError = String.valueOf(e.getMessage());
                throw rows.closeIfFenced(e);
            }
        }
    }

    /**
     * Goes on with the rounds that are open, then makes one of all rows in memory.
     *
     * @param drained whether the last one says that the writer gives the table up
     */
    void run(boolean drained)
    {
        try (HeldLock _ = steps.hold()) {
            steps.assertStanding();
            while (!steps.isEmpty()) {
                steps.adopt(steps.commitFirst());
            }
            for (int flushes = 1; steps.prepare(drained).isPresent(); flushes++) {
                try {
                    steps.adopt(steps.commitFirst());
                    return;
                }
                catch (RealtimeException e) {
                    // files that can never be committed were given up: others have committed in between
                    if (e.code() != Code.COMMIT_FAILED || !steps.isEmpty() || flushes == MAX_FLUSHES) {
                        throw e;
                    }
                }
            }
        }
    }

    /** A last round, after which the table is given up for whoever comes next: rows are refused from now on. If it fails, the table goes on as before. */
    void drain()
    {
        try (HeldLock _ = steps.hold()) {
            try {
                rows.beginDraining();
                run(true);
            }
            catch (RuntimeException e) {
                rows.endDraining();
                throw rows.closeIfFenced(e);
            }
        }
        // it is drained, whatever comes now
        try {
            claim.release();
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: others will take this writer for alive until its lease has run out", name);
        }
    }

    /** Gives the table up for whoever comes next. Rows that are not committed are lost with it; if there are none, the progress on disk says so. */
    void leave()
    {
        try (HeldLock _ = steps.hold()) {
            if (!rows.isClosed() && steps.isEmpty() && rows.rowCount() == 0) {
                drain();
            }
            else if (!rows.isClosed()) {
                claim.leave();
            }
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: others will take this writer for alive until its lease has run out", name);
        }
    }

    /** Says that the writer lives, and notices take-overs. Commits nothing and waits for no step. */
    void renewLease()
    {
        if (rows.isClosed()) {
            return;
        }
        try {
            claim.renewLease();
        }
        catch (RuntimeException e) {
            throw rows.closeIfFenced(e);
        }
    }

    /** Notices take-overs and rollbacks, keeps the newest own snapshot from expiry and lets expiry go on behind it. May commit. */
    void maintainStanding()
    {
        if (rows.isClosed()) {
            return;
        }
        try {
            claim.touch(rows.committed().snapshotId());
            Optional<HeldLock> held = steps.tryHold();
            if (held.isEmpty()) {
                // a round is under way and sees for itself
                return;
            }
            try (HeldLock _ = held.get()) {
                steps.renewStanding();
                steps.assertStanding();
            }
        }
        catch (RuntimeException e) {
            throw rows.closeIfFenced(e);
        }
    }
}
