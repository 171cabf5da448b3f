package io.paimon.realtime.table;

import io.paimon.realtime.model.Progress;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Rounds whose data files are written and whose snapshots are not adopted yet, each extending the one before it. One of them may hold a statement's files beside those of memory: until its fate
 * is settled and adopted it is the only one, and no offset may be given out.
 *
 * <p>Not thread-safe, but for {@link #isUncertain}: every other call is made under the round lock.
 */
final class OpenRounds
{
    private final Deque<PreparedRound> rounds = new ArrayDeque<>();
    /** Those of the rounds that are known to have been published, by identifier. What becomes of their snapshots afterwards does not matter: they are never published again. */
    private final NavigableMap<Long, Published> published = new TreeMap<>();
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

    /** The round with this progress is in a snapshot. */
    void published(Published snapshot)
    {
        published.put(snapshot.progress().identifier(), snapshot);
    }

    /** Where the round was published, if that is known. */
    Optional<Published> findPublished(PreparedRound round)
    {
        return Optional.ofNullable(published.get(round.next().identifier()));
    }

    /** What was published in this snapshot, if that is known. */
    Optional<Published> findPublished(long snapshotId)
    {
        return published.values().stream().filter(snapshot -> snapshot.snapshotId() == snapshotId).findFirst();
    }

    /** The newest round that is known to have been published. */
    Optional<Published> lastPublished()
    {
        return Optional.ofNullable(published.lastEntry()).map(Map.Entry::getValue);
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
        published.headMap(committed.identifier(), true).clear();
        if (statement != null && statement.whole().next().identifier() <= committed.identifier()) {
            statement = null;
        }
    }

    /** Forgets the rounds that were not published: their segments are still there, to be flushed anew. */
    void giveUpUnpublished()
    {
        rounds.removeIf(round -> !published.containsKey(round.next().identifier()));
    }
}
