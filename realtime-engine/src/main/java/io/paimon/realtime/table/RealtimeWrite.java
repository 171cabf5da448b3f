package io.paimon.realtime.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.arrow.ArrowBatchNormalizer;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.memory.arrow.RowKindColumn;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/**
 * Writes one table: a batch is in every plan made after {@link #write} returned, and in a snapshot once its round is committed. A round is three steps, so that another system's checkpoint
 * may lie between them:
 *
 * <pre>
 * prepareCommitWithProgress(identifier)   data files are written, nothing is published
 * commitWithProgress(progress)            one snapshot holds the files and the progress
 * refreshCommittedSnapshot(snapshotId)    scans take these rows from disk, their memory is given up
 * </pre>
 *
 * After any of them failed the same call may be repeated: rows stay in memory, and readable, until the third step.
 *
 * <p>Thread-safe; writes go on during all three steps.
 */
public final class RealtimeWrite implements AutoCloseable
{
    private final RealtimeTable table;
    private final BufferAllocator allocator;
    private final RealtimeContext context;

    RealtimeWrite(RealtimeTable table, BufferAllocator allocator, RealtimeContext context)
    {
        this.table = requireNonNull(table, "table is null");
        this.allocator = requireNonNull(allocator, "allocator is null");
        this.context = requireNonNull(context, "context is null");
    }

    /** Full name of the table, {@code database.table}. */
    public String tableName()
    {
        return table.name();
    }

    /** Row type that written rows must fit now. Changes of the schema are noticed by the next {@link #prepareCommitWithProgress}. */
    public RowType rowType()
    {
        return table.rowType();
    }

    /** {@link #write(VectorSchemaRoot, DictionaryProvider)} of a batch without dictionaries. */
    public long write(VectorSchemaRoot batch)
    {
        return write(batch, new MapDictionaryProvider());
    }

    /**
     * Accepts a batch: all of its rows become visible together, or none if this throws. Columns are matched by name without regard to case, in any order; a missing nullable column is its
     * default or NULL; types that widen without loss are taken, in every form of Arrow vectors. Rows of primary-key tables may have their kind ({@code +I}, {@code -U}, {@code +U}, {@code -D}) in
     * a column {@value RowKindColumn#CLIENT_NAME}.
     *
     * @param batch stays the caller's; not changed
     * @param dictionaries of the dictionary-encoded columns
     * @return rows accepted
     * @throws RealtimeException BAD_DATA, naming column and row, if a row does not fit the table; RESOURCE_EXHAUSTED if there is no memory within the append timeout: commit, then try again;
     *         UNAVAILABLE if the schema has just changed: try again
     */
    public long write(VectorSchemaRoot batch, DictionaryProvider dictionaries)
    {
        RowType schema = table.memoryType();
        try (VectorSchemaRoot rows = new ArrowBatchNormalizer(table.name(), schema, List.of()).normalize(batch, dictionaries, allocator)) {
            return table.append(List.of(rows), schema);
        }
        catch (OutOfMemoryException e) {
            throw outOfMemory(e);
        }
    }

    /**
     * Accepts Paimon's rows as one batch, like {@link #write(VectorSchemaRoot)}; convenient, not fast.
     *
     * @param rows fields in the order of {@link #rowType}, in Paimon's internal form; row objects may be reused
     */
    public long write(Iterable<? extends InternalRow> rows)
    {
        RowType schema = table.rowType();
        boolean keyed = KeyedTables.isKeyed(table.paimonTable());
        try (ArrowRowWriter writer = new ArrowRowWriter(schema, allocator);
                VarCharVector kinds = new VarCharVector(RowKindColumn.CLIENT_NAME, allocator)) {
            for (InternalRow row : rows) {
                if (keyed) {
                    kinds.setSafe(writer.rowCount(), row.getRowKind().shortString().getBytes(UTF_8));
                }
                append(writer, row, schema, keyed);
            }
            kinds.setValueCount(writer.rowCount());
            try (VectorSchemaRoot batch = writer.finish()) {
                return write(keyed ? batch.addVector(batch.getFieldVectors().size(), kinds) : batch);
            }
        }
        catch (OutOfMemoryException e) {
            throw outOfMemory(e);
        }
    }

    private void append(ArrowRowWriter writer, InternalRow row, RowType schema, boolean keyed)
    {
        int position = writer.rowCount();
        if (!keyed && row.getRowKind() != RowKind.INSERT) {
            throw badRow(position, "an append table takes inserts only, not " + row.getRowKind().shortString());
        }
        if (row.getFieldCount() != schema.getFieldCount()) {
            throw badRow(position, "%s fields, the table has %s".formatted(row.getFieldCount(), schema.getFieldCount()));
        }
        try {
            writer.append(row);
        }
        catch (ClassCastException e) {
            throw badRow(position, "a value is not of its column's type: " + e.getMessage());
        }
    }

    private RealtimeException badRow(int position, String problem)
    {
        return new RealtimeException(Code.BAD_DATA, "Table %s, row %s: %s".formatted(table.name(), position, problem));
    }

    private RealtimeException outOfMemory(OutOfMemoryException e)
    {
        return new RealtimeException(Code.RESOURCE_EXHAUSTED, "Table %s: no memory for the batch: %s".formatted(table.name(), e.getMessage()), e);
    }

    /**
     * Identifier of the newest commit that was adopted, an earlier writer's too. Identifiers of rounds must be greater. The engine takes one itself when it claims the table, when it gives it up, and
     * when it says its offsets again after a rollback or many commits of others: a program that numbers its rounds itself leaves gaps, or maps its numbers to these.
     */
    public long committedIdentifier()
    {
        return table.committed().progress().identifier();
    }

    /**
     * Begins a round: seals what was accepted since the round before and writes it to data files, which no reader sees yet. Earlier rounds need not be committed or adopted by then. While a round
     * is not adopted, its identifier returns it again.
     *
     * @param identifier number of the commit; must grow over {@link #committedIdentifier} and over those of open rounds
     * @return empty if there is nothing to commit
     * @throws RealtimeException INVALID_ARGUMENT if the identifier does not grow; COMMIT_FAILED if a file could not be written: nothing has changed, repeat it
     */
    public Optional<PreparedRound> prepareCommitWithProgress(long identifier)
    {
        return table.prepareCommitWithProgress(identifier);
    }

    /**
     * Commits a prepared round: its data files and the progress in one snapshot. Repeating it returns the same snapshot.
     *
     * @return the snapshot that holds the round, not the latest one
     * @throws RealtimeException FENCED if another writer took the table over: nothing was published, and this write is closed; COMMIT_FAILED if it failed: repeat it, which finds out whether it was
     *         published after all; INVALID_ARGUMENT if a round before it is not committed, or if the round is given up because its data files or the snapshot under it are gone: prepare again
     */
    public long commitWithProgress(PreparedRound progress)
    {
        return table.commitWithProgress(progress);
    }

    /**
     * Adopts a snapshot: plans from now on take what it holds from disk, and the memory of these rows is given up once no plan or reader uses it. Repeating it changes nothing.
     *
     * @param snapshotId one that {@link #commitWithProgress} returned, or any later one
     * @throws RealtimeException INVALID_ARGUMENT if it is older than the one adopted; COMMIT_FAILED if it holds nothing of this write
     */
    public void refreshCommittedSnapshot(long snapshotId)
    {
        table.refreshCommittedSnapshot(snapshotId);
    }

    void renewLease()
    {
        table.renewLease();
    }

    void maintainStanding()
    {
        table.maintainStanding();
    }

    /** What is held per partition-bucket. */
    public TableStatus status()
    {
        return table.status();
    }

    /** Gives up the table, and the rows that are not committed. Plans and readers that are open stay readable. Closing twice changes nothing. */
    @Override
    public void close()
    {
        try {
            table.leave();
        }
        finally {
            // not before: the next write of the table must find it given up
            context.forget(this);
        }
    }
}
