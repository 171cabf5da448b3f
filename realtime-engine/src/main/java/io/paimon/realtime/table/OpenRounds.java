package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.airlift.log.Logger;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.table.sink.CommitMessage;

/**
 * Rounds whose data files are written and whose snapshots are not adopted yet, each extending the one before it. One of them may hold a statement's files beside those of memory: until its fate
 * is settled it is the only one, and no offset may be given out.
 *
 * <p>Not thread-safe, but for {@link #isUncertain}: every other call is made under the round lock.
 */
final class OpenRounds
{
    private static final Logger log = Logger.get(OpenRounds.class);

    private final String name;
    private final TableFiles files;
    private final Deque<PreparedRound> rounds = new ArrayDeque<>();
    private volatile Statement statement;

    OpenRounds(String name, TableFiles files)
    {
        this.name = requireNonNull(name, "name is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * @param memoryOnly the round to go on with if the statement was not committed; empty if there is none
     * @param whole the statement's rows and those of memory in one commit
     * @param messages data files of the statement
     * @param whenFound called if it turns out to be committed after its commit has failed
     */
    private record Statement(Optional<PreparedRound> memoryOnly, PreparedRound whole, List<CommitMessage> messages, Runnable whenFound)
    {}

    boolean isEmpty()
    {
        return rounds.isEmpty();
    }

    /** The one to commit first. */
    Optional<PreparedRound> first()
    {
        return Optional.ofNullable(rounds.peekFirst());
    }

    Optional<PreparedRound> find(long identifier)
    {
        return rounds.stream().filter(round -> round.next().identifier() == identifier).findFirst();
    }

    boolean contains(PreparedRound round)
    {
        return rounds.contains(round);
    }

    /** What the next round extends. */
    Progress last(Progress committed)
    {
        return rounds.isEmpty() ? committed : rounds.peekLast().next();
    }

    List<PreparedRound> all()
    {
        return List.copyOf(rounds);
    }

    void add(PreparedRound round)
    {
        rounds.addLast(round);
    }

    /**
     * From here on only {@link #settle} decides about the statement's files.
     *
     * @param whole replaces all others
     */
    void addStatement(Optional<PreparedRound> memoryOnly, PreparedRound whole, List<CommitMessage> messages, Runnable whenFound)
    {
        replaceAll(Optional.of(whole));
        statement = new Statement(memoryOnly, whole, List.copyOf(messages), whenFound);
    }

    /** The statement is certainly committed. */
    void confirmStatement()
    {
        statement = null;
    }

    /** Whether there is a statement whose fate is not known. */
    boolean isUncertain()
    {
        return statement != null;
    }

    /** The snapshot of the statement that is uncertain, if it is there; if not, its rows are given up and those of memory go on. Does nothing if there is none. */
    @CanIgnoreReturnValue
    Optional<Published> settle()
    {
        Statement unsettled = statement;
        if (unsettled == null) {
            return Optional.empty();
        }
        Optional<Published> published = files.newCommit().findEarlier(unsettled.whole().next());
        statement = null;
        if (published.isPresent()) {
            unsettled.whenFound().run();
            return published;
        }
        replaceAll(unsettled.memoryOnly());
        try {
            files.newCommit().abort(unsettled.messages());
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: data files of a statement that was not committed could not be deleted", name);
        }
        return published;
    }

    private void replaceAll(Optional<PreparedRound> round)
    {
        rounds.clear();
        round.ifPresent(rounds::addLast);
    }

    /** Forgets what the adopted progress holds. */
    void adopt(Progress committed)
    {
        while (!rounds.isEmpty() && rounds.peekFirst().next().identifier() <= committed.identifier()) {
            rounds.removeFirst();
        }
    }

    void clear()
    {
        rounds.clear();
    }
}
