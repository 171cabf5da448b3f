package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.BulkFlush;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.RowType;

/**
 * Statements that do not fit into memory: their rows go into data files, which are committed behind a round of what is in memory.
 *
 * <p>Owns what is known of statements that were told of a failure and are committed all the same. Thread-safe by the round lock; the rows are held as well while the snapshot is made.
 */
final class DirectStatements
{
    private static final int REMEMBERED_STATEMENTS = 100;

    private final String name;
    private final AppendGate gate;
    private final LiveRows rows;
    private final LiveDefinition definition;
    private final TableFiles files;
    private final CommitSteps steps;
    private final CommitRounds rounds;
    /** Row counts of statements that turned out to be committed only after their callers had been told of a failure. */
    private final Cache<String, Long> settled = CacheBuilder.newBuilder().maximumSize(REMEMBERED_STATEMENTS).build();

    DirectStatements(String name, AppendGate gate, TableFiles files, CommitRounds rounds)
    {
        this.name = requireNonNull(name, "name is null");
        this.gate = requireNonNull(gate, "gate is null");
        this.rows = gate.rows();
        this.definition = gate.definition();
        this.files = requireNonNull(files, "files is null");
        this.steps = gate.steps();
        this.rounds = requireNonNull(rounds, "rounds is null");
    }

    /**
     * Commits the rows of a statement; see {@link RealtimeTable#appendDirectly}.
     */
    long commit(String id, Iterator<InternalRow> statementRows, RowType schema, Path spillDirectory)
    {
        Optional<Long> earlier = settled(id);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        FileStoreTable target = definition.table();
        definition.checkSchema(schema);
        boolean withOffsets = RealtimeTables.offsetColumn(schema) >= 0;
        // rows that hold their offsets, or must be newer than all others, are written while nobody else gets any
        boolean alone = withOffsets || KeyedTables.isKeyed(target);
        BulkFlush.Result statement = alone ? null : files.flush(target, statementRows, List.of(), Map.of(), spillDirectory);
        try (HeldLock _ = steps.hold()) {
            boolean handedOver = false;
            try {
                rounds.run(false);
                try (HeldLock _ = rows.hold()) {
                    gate.check();
                    if (!definition.isCurrent(target)) {
                        throw new RealtimeException(Code.UNAVAILABLE, "Table %s: its definition has just changed; try again".formatted(name));
                    }
                    if (alone) {
                        statement = files.flush(target, statementRows, steps.prepareMemory(), rows.uppers(), spillDirectory);
                    }
                    long count = statement.taken();
                    PreparedRound whole = steps.prepareStatement(statement, () -> settled.put(id, count));
                    handedOver = true;
                    steps.commitStatement(whole);
                    return count;
                }
            }
            catch (RuntimeException e) {
                if (!handedOver && statement != null) {
                    // nothing was published
                    files.abort(statement.messages(), e);
                }
                throw rows.closeIfFenced(e);
            }
        }
    }

    /** Rows of the statement if it turned out to be committed; they are visible when this returns. */
    private Optional<Long> settled(String id)
    {
        try (HeldLock _ = steps.hold()) {
            try {
                steps.settle();
                return Optional.ofNullable(settled.getIfPresent(id));
            }
            catch (RuntimeException e) {
                throw rows.closeIfFenced(e);
            }
        }
    }
}
