package io.paimon.realtime.table;

import io.paimon.realtime.model.Progress;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Rounds whose data files are written and whose snapshots are not adopted yet, each extending the one before it. One of them may hold a statement's files beside those of memory: until its fate
 * is settled and adopted it is the only one, and no offset may be given out.
 *
 * <p>Not thread-safe, but for {@link #isUncertain}: every other call is made under the round lock.
 */
final class OpenRounds
{
    private final Deque<PreparedRound> rounds = new ArrayDeque<>();
    private volatile Statement statement;

    /**
     * @param whole the statement's rows and those of memory in one commit
     * @param whenFound called if it turns out to be committed after its commit has failed
     */
    private record Statement(PreparedRound whole, Runnable whenFound)
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
     * From here on offsets are refused until a step that is not older than this one is adopted.
     *
     * @param whole replaces all others
     * @param whenFound called if it turns out to be committed after its commit has failed
     */
    void addStatement(PreparedRound whole, Runnable whenFound)
    {
        rounds.clear();
        rounds.addLast(whole);
        statement = new Statement(whole, whenFound);
    }

    /** Whether there is a statement whose fate is not known, or not adopted yet. */
    boolean isUncertain()
    {
        return statement != null;
    }

    /** The round of the statement that {@link #isUncertain}. */
    Optional<PreparedRound> uncertain()
    {
        return Optional.ofNullable(statement).map(Statement::whole);
    }

    /** The statement that is uncertain is committed though its commit has failed. It stays uncertain until that is adopted. */
    void foundStatement()
    {
        statement.whenFound().run();
    }

    /** Forgets what the adopted progress holds, or has left behind. Called once the rows are at it: offsets are given out again from there. */
    void adopt(Progress committed)
    {
        while (!rounds.isEmpty() && rounds.peekFirst().next().identifier() <= committed.identifier()) {
            rounds.removeFirst();
        }
        if (statement != null && statement.whole().next().identifier() <= committed.identifier()) {
            statement = null;
        }
    }

    void clear()
    {
        rounds.clear();
    }
}
