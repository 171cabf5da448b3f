package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.airlift.log.Logger;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.Rescaling;
import io.paimon.realtime.paimon.StorageTrial;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.RowType;

/**
 * The definition that rows are written by: the newest one that can be written in real time.
 *
 * <p>Thread-safe. The schema lock is held over the look at the storage: its purpose is that an older definition never replaces a newer one. The definition changes only while this class also
 * holds the rows ({@link LiveRows#hold}), so that whoever holds them sees one definition.
 */
final class LiveDefinition
{
    private static final Logger log = Logger.get(LiveDefinition.class);

    private final String name;
    private final LiveRows rows;
    private final ReentrantLock schemaLock = new ReentrantLock();
    private volatile FileStoreTable table;
    /** Why rows are refused though the table can be committed; null if they are not. */
    private volatile RealtimeException refusal;

    LiveDefinition(String name, FileStoreTable table, LiveRows rows)
    {
        this.name = requireNonNull(name, "name is null");
        this.table = requireNonNull(table, "table is null");
        this.rows = requireNonNull(rows, "rows is null");
    }

    FileStoreTable table()
    {
        return table;
    }

    /** @throws RealtimeException if there is a newer definition that cannot be written, with the reason */
    void checkWritable()
    {
        RealtimeException reason = refusal;
        if (reason != null) {
            throw new RealtimeException(reason.code(), reason.getMessage(), reason);
        }
    }

    /** @throws RealtimeException UNAVAILABLE if rows of this type are not those of the table any more */
    void checkSchema(RowType schema)
    {
        if (!schema.equals(KeyedTables.memoryType(table))) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s: the schema has just changed; try again".formatted(name));
        }
    }

    /** Whether this is still the definition. */
    boolean isCurrent(FileStoreTable known)
    {
        return table.schema().id() == known.schema().id();
    }

    /**
     * Looks for a newer one. If it cannot be written in real time, rows are refused until it can, and those that were accepted are committed as they are.
     *
     * @return whether there is a newer one that can be written
     */
    @CanIgnoreReturnValue
    boolean refresh()
    {
        schemaLock.lock();
        try {
            FileStoreTable latest = RealtimeTables.newest(table);
            if (isCurrent(latest)) {
                refusal = null;
                return false;
            }
            try {
                latest = RealtimeTables.openForWriting(latest);
                StorageTrial.check(latest);
                Optional<String> rescaling = Rescaling.isChanged(table, latest) ? Rescaling.problem(latest) : Optional.empty();
                if (rescaling.isPresent()) {
                    throw new RealtimeException(Code.UNAVAILABLE, "Table %s: %s".formatted(name, rescaling.get()));
                }
            }
            catch (RealtimeException e) {
                log.warn("Rows are refused: %s", e.getMessage());
                refusal = e;
                return false;
            }
            try (HeldLock _ = rows.hold()) {
                table = latest;
                refusal = null;
            }
            return true;
        }
        finally {
            schemaLock.unlock();
        }
    }
}
