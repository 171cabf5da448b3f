package io.paimon.realtime.table;

import io.paimon.realtime.model.Progress;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Rounds whose data files are written and whose snapshots are not adopted yet, each extending the one before it. Not thread-safe.
 */
final class OpenRounds
{
    private final Deque<PreparedRound> rounds = new ArrayDeque<>();

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

    /** This round only, or none. */
    void set(Optional<PreparedRound> round)
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
