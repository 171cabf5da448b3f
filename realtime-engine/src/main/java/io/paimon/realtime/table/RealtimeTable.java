package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.RowKinds;
import io.paimon.realtime.paimon.RowRouting;
import io.paimon.realtime.paimon.StorageTrial;
import io.paimon.realtime.table.TableClaim.Claimed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.types.RowType;

/**
 * The real-time side of one table: append, seal, flush, commit, refresh, reclaim. This class is its face and the way of an append; everything else has an owner of its own.
 *
 * <h2>States</h2>
 * Rows are <i>building</i> until a round seals them, <i>sealed</i> until their data files are written, <i>flushed</i> until a snapshot names the files, <i>committed</i> until the cut says
 * so, then <i>reclaimed</i>. Only a commit round moves them on; a failed round leaves them where they are and the next one goes on with the same segments.
 *
 * <h2>Who has the table</h2>
 * The table is claimed when it is opened ({@link TableClaim}). A writer that learns that another one has taken over closes itself: every later call answers FENCED. After a rollback of the
 * table the next round, or {@link #maintainStanding}, says the offsets again; until then reads of the union are refused.
 *
 * <h2>Owners</h2>
 * Each uses only those above it:
 * <ul>
 * <li>{@link TableClaim}: epoch, lease, consumer;
 * <li>{@link LiveRows}: the memory, the newest own snapshot, the cut on the board, and whether the table is open or being drained;
 * <li>{@link LiveDefinition}: the definition, and why a newer one cannot be written;
 * <li>{@link TableFiles}: nothing; writes, publishes and deletes data files;
 * <li>{@link CommitSteps}: the rounds that are open ({@link OpenRounds}), a statement of unknown fate among them;
 * <li>{@link CommitRounds}: the newest failure of a round;
 * <li>{@link DirectStatements}: statements that were found to be committed after their callers had been told of a failure.
 * </ul>
 *
 * <h2>Locks</h2>
 * In this order, each of the class named: <i>round lock</i> ({@link CommitSteps}), <i>schema lock</i> ({@link LiveDefinition}), <i>append lock</i> ({@link LiveRows}), then the monitor of
 * {@link TableClaim} and the locks of {@link MemoryBudget} and {@link CutBoard}, none of which is held while another lock is taken. The round lock is held over a whole round, I/O included: one
 * round at a time is its purpose; that of the schema lock is that an older definition never replaces a newer one. The append lock guards the memory and is never held over I/O, but for
 * {@link #appendDirectly}. All methods are thread-safe.
 */
public final class RealtimeTable implements AutoCloseable
{
    private final String name;
    private final TableOptions options;
    private final LiveRows rows;
    private final LiveDefinition definition;
    private final CommitSteps steps;
    private final CommitRounds rounds;
    private final AppendGate gate;
    private final DirectStatements statements;

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

    private RealtimeTable(FileStoreTable table, TableOptions options, Claimed claimed)
    {
        TableClaim claim = claimed.claim();
        this.name = options.name();
        this.options = options;
        this.rows = new LiveRows(options, claim.lineage(), claimed.published());
        this.definition = new LiveDefinition(name, table, rows);
        TableFiles files = new TableFiles(options, claim.commitUser(), definition);
        this.steps = new CommitSteps(options, claim, rows, definition, files);
        this.rounds = new CommitRounds(name, claim, rows, steps);
        this.gate = new AppendGate(claim, rows, definition, steps);
        this.statements = new DirectStatements(name, gate, files, rounds);
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
        return definition.table().rowType();
    }

    /** What rows have in memory: the schema, and for primary-key tables their kind behind it. */
    public RowType memoryType()
    {
        return KeyedTables.memoryType(definition.table());
    }

    /** Newest known definition of the table. */
    public FileStoreTable paimonTable()
    {
        return definition.table();
    }

    /** Newest own snapshot and its progress. */
    public Published committed()
    {
        return rows.committed();
    }

    /** Whether the table takes nothing any more, because it was closed or another writer took over. */
    public boolean isClosed()
    {
        return rows.isClosed();
    }

    /**
     * Appends rows: all visible at once, over all buckets and all batches.
     *
     * @param batches in the canonical Arrow form of {@code schema}; stay the caller's
     * @param schema the {@link #memoryType} the rows were made for
     * @throws RealtimeException UNAVAILABLE if the schema has changed since: make the rows again; RESOURCE_EXHAUSTED if there is no memory in time; FENCED if another writer took over
     */
    public long append(List<VectorSchemaRoot> batches, RowType schema)
    {
        while (true) {
            FileStoreTable target = definition.table();
            List<List<RowRouting.Route>> routes = new ArrayList<>();
            long count = 0;
            long bytes = 0;
            for (VectorSchemaRoot batch : batches) {
                count += batch.getRowCount();
                List<RowRouting.Route> routed = route(target, batch, schema);
                OffsetColumn.check(name, schema, batch);
                routes.add(routed);
                // what is gathered now and what a merge of small chunks holds twice for a moment
                bytes += 2 * batch.getFieldVectors().stream().mapToLong(vector -> vector.getBufferSize()).sum() + 4096L * routed.size();
            }
            if (count == 0) {
                return 0;
            }
            try (MemoryBudget.Reservation _ = options.budget().reserveForAppend("Table " + name, bytes, options.appendTimeoutMillis());
                    HeldLock _ = rows.holdForAppend()) {
                gate.check();
                definition.checkSchema(schema);
                // after a change meanwhile the rows may belong to other buckets
                if (definition.isCurrent(target)) {
                    rows.append(definition.table(), batches, routes);
                    return count;
                }
            }
        }
    }

    private List<RowRouting.Route> route(FileStoreTable target, VectorSchemaRoot batch, RowType schema)
    {
        RowRouting routing = new RowRouting(target);
        VectorRows rows = new VectorRows(batch, schema);
        if (!KeyedTables.isKeyed(target) || !schema.equals(KeyedTables.memoryType(target))) {
            // rows of another definition are refused later
            return routing.route(rows);
        }
        RowKinds kinds = new RowKinds(target);
        TinyIntVector column = (TinyIntVector) batch.getVector(schema.getFieldCount() - 1);
        kinds.fromColumn(rows).ifPresent(values -> {
            for (int i = 0; i < values.length; i++) {
                column.set(i, values[i]);
            }
        });
        return routing.route(rows, kinds.written(rows).orElse(null));
    }

    /**
     * Commits rows directly, behind a round of what is in memory: for statements that do not fit into memory. They are visible at once when this returns. When it throws they are not, unless
     * the fate of the commit is unknown: then appends are refused until it is settled, and a repetition under the same id answers what came of it. Appends wait while the snapshot is made, and
     * where the writer fills a column with offsets also while the data files are written.
     *
     * @param id of the statement
     * @param statementRows row objects may be reused; not looked at if an earlier call has committed the statement
     * @param spillDirectory where rows that do not fit into the write buffer are kept meanwhile
     */
    public long appendDirectly(String id, Iterator<InternalRow> statementRows, RowType schema, Path spillDirectory)
    {
        return statements.commit(id, statementRows, schema, spillDirectory);
    }

    /** {@link #commitRound} unless one is under way, or a statement is being committed, which is one as well. */
    public void commitRoundIfIdle()
    {
        rounds.commitIfIdle();
    }

    /** One whole round: everything accepted before the call is in a snapshot when it returns. Throws what went wrong; the rows stay and the next round tries again. */
    public void commitRound()
    {
        rounds.commit();
    }

    /**
     * A last round, after which the table is given up for whoever comes next: appends are refused from now on. If it fails, the table goes on as before.
     */
    public void drain()
    {
        rounds.drain();
    }

    /**
     * Says that the writer lives; must be done several times within the lease. Commits nothing and waits for no round, so that one thread can do it for many tables.
     *
     * @throws RealtimeException FENCED if another writer has taken the table over, which is closed then; UNAVAILABLE if the lease cannot be written
     */
    public void renewLease()
    {
        rounds.renewLease();
    }

    /**
     * What must be done from time to time beside rounds: notices take-overs and rollbacks, keeps the newest own snapshot from expiry and lets expiry go on behind it. May commit, and take as long
     * as a round; does little if one is under way.
     */
    public void maintainStanding()
    {
        rounds.maintainStanding();
    }

    /**
     * Seals all buckets at one cut and writes their sealed segments into data files. A round that is prepared already and whose fate is open is returned again.
     *
     * @return empty if there is nothing to commit
     */
    public Optional<PreparedRound> prepareCommitWithProgress()
    {
        return steps.prepare(false);
    }

    /**
     * Begins a round under an identifier of the caller, also while earlier ones are not committed or adopted yet. One that is open already is returned again.
     *
     * @return empty if there is nothing to commit
     * @throws RealtimeException INVALID_ARGUMENT if the identifier does not grow
     */
    public Optional<PreparedRound> prepareCommitWithProgress(long identifier)
    {
        try {
            return steps.prepare(identifier);
        }
        catch (RuntimeException e) {
            throw rows.closeIfFenced(e);
        }
    }

    /**
     * Commits the first open round.
     *
     * @return the snapshot that holds it, also when an earlier call whose answer was lost made it
     */
    public long commitWithProgress()
    {
        return steps.commitFirst();
    }

    /**
     * Commits an open round, once all before it are committed.
     *
     * @return the snapshot that holds it, also when an earlier call made it
     * @throws RealtimeException INVALID_ARGUMENT if a round before it is not committed, or if it is none of this writer's; FENCED if another writer took over
     */
    public long commitWithProgress(PreparedRound round)
    {
        try {
            return steps.commit(round);
        }
        catch (RuntimeException e) {
            throw rows.closeIfFenced(e);
        }
    }

    /**
     * Adopts a snapshot: what it holds is committed for every cut from now on, and memory below it is given up. Repeating it changes nothing; an older snapshot is refused.
     */
    public void refreshCommittedSnapshot(long snapshotId)
    {
        steps.adopt(snapshotId);
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
        return definition.refresh();
    }

    /** Newest failure of a round that still matters, empty if none. Waits for nothing. */
    public String lastError()
    {
        return rounds.lastError();
    }

    public TableStatus status()
    {
        return rows.status(definition.table(), rounds.lastError());
    }

    /**
     * Ends the writing and gives the table up for whoever comes next. Rows that are not committed are lost with it; if there are none, the progress on disk says so.
     */
    public void leave()
    {
        rounds.leave();
        close();
    }

    /** Gives up the rows in memory; cuts that are held elsewhere stay readable. */
    @Override
    public void close()
    {
        rows.close(new RealtimeException(Code.UNAVAILABLE, "Table %s is closed".formatted(name)));
    }
}
