package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.RowRouting.Route;
import io.paimon.realtime.table.TableMemory.Assignment;
import io.paimon.realtime.table.TableMemory.SealedSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.table.FileStoreTable;

/**
 * What is visible of one table: the rows in memory, the snapshot that holds those before them, and the cut of both that stands on the board. Also whether rows are taken at all.
 *
 * <p>Thread-safe by the append lock, which every method that needs it takes itself; who does several things at one moment holds it around them ({@link #hold}). It is never held over I/O,
 * but for statements that are committed directly.
 */
final class LiveRows
{
    private static final Logger log = Logger.get(LiveRows.class);

    private final TableOptions options;
    private final String lineage;
    private final ReentrantLock appendLock = new ReentrantLock();
    @GuardedBy("appendLock")
    private final TableMemory memory;
    /** What stands on the board for this table. */
    @GuardedBy("appendLock")
    private TableCut shown;
    /** Newest own snapshot and its progress; changed under the append lock, and by rounds only. */
    private volatile Published committed;
    /** Why nothing is accepted any more; null while the table is open. */
    private volatile RealtimeException closed;
    /** The last round is under way or done. */
    private volatile boolean draining;

    /** Begins without rows in memory; the cut says so from now on. */
    LiveRows(TableOptions options, String lineage, Published committed)
    {
        this.options = requireNonNull(options, "options is null");
        this.lineage = requireNonNull(lineage, "lineage is null");
        this.committed = requireNonNull(committed, "committed is null");
        TableMemory empty = new TableMemory(options);
        this.memory = empty;
        this.shown = new TableCut(lineage, committed.progress().epoch(), committed.snapshotId(), empty.cut(committed.progress()));
        options.board().publish(options.name(), shown);
    }

    /**
     * Sealed segments that are not committed yet, and the upper offset of every bucket at the same moment.
     */
    record Seal(List<SealedSegment> segments, Map<PartitionBucket, Long> ends)
    {
        Seal
        {
            segments = List.copyOf(segments);
            ends = Map.copyOf(ends);
        }
    }

    Published committed()
    {
        return committed;
    }

    boolean isClosed()
    {
        return closed != null;
    }

    /** @throws RealtimeException with the reason why the table is closed */
    void checkOpen()
    {
        RealtimeException reason = closed;
        if (reason != null) {
            throw new RealtimeException(reason.code(), reason.getMessage(), reason);
        }
    }

    /** @throws RealtimeException UNAVAILABLE if the table is being given up */
    void checkNotDraining()
    {
        if (draining) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s is being closed".formatted(options.name()));
        }
    }

    /** Nothing that is said here changes until the result is closed. */
    HeldLock hold()
    {
        return HeldLock.hold(appendLock);
    }

    /**
     * The same for an append: appends never wait for rounds, but for statements that are committed directly.
     *
     * @throws RealtimeException RESOURCE_EXHAUSTED if such a one takes longer than the append timeout
     */
    HeldLock holdForAppend()
    {
        try {
            if (!appendLock.tryLock(options.appendTimeoutMillis(), TimeUnit.MILLISECONDS)) {
                throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Table %s: a statement is being committed for more than %s ms; try again"
                        .formatted(options.name(), options.appendTimeoutMillis()));
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Table %s: interrupted while waiting to append".formatted(options.name()), e);
        }
        return appendLock::unlock;
    }

    /** Writes rows at the next offsets of their buckets and shows them, all at once. */
    void append(FileStoreTable table, List<VectorSchemaRoot> batches, List<List<Route>> routes)
    {
        appendLock.lock();
        try {
            write(table, batches, routes);
            show();
        }
        finally {
            appendLock.unlock();
        }
    }

    @GuardedBy("appendLock")
    private void write(FileStoreTable table, List<VectorSchemaRoot> batches, List<List<Route>> routes)
    {
        Assignment assignment = memory.assign(routes, committed.progress());
        int offsetColumn = RealtimeTables.offsetColumn(table.rowType());
        if (offsetColumn < 0) {
            memory.write(table, batches, routes, assignment);
            return;
        }
        List<VectorSchemaRoot> filled = new ArrayList<>();
        try {
            for (int i = 0; i < batches.size(); i++) {
                filled.add(OffsetColumn.fill(batches.get(i), offsetColumn, routes.get(i), assignment.starts().get(i), options.allocator()));
            }
            memory.write(table, filled, routes, assignment);
        }
        finally {
            filled.forEach(rows -> rows.getVector(offsetColumn).close());
        }
    }

    /**
     * Seals all buckets at one moment.
     *
     * @param base what needs no sealing any more: the progress that the next round extends
     * @throws RealtimeException if the table is closed
     */
    Seal seal(Progress base)
    {
        appendLock.lock();
        try {
            checkOpen();
            return new Seal(memory.seal(base), memory.uppers(base));
        }
        finally {
            appendLock.unlock();
        }
    }

    /** Upper offset of every bucket. */
    Map<PartitionBucket, Long> uppers()
    {
        appendLock.lock();
        try {
            return memory.uppers(committed.progress());
        }
        finally {
            appendLock.unlock();
        }
    }

    /** The offsets that are committed stand in this snapshot from now on. */
    void moveTo(Published same)
    {
        appendLock.lock();
        try {
            committed = same;
            show();
        }
        finally {
            appendLock.unlock();
        }
    }

    /** What this snapshot holds is committed from now on, and its memory is given up. */
    void adopt(Published published, FileStoreTable table)
    {
        appendLock.lock();
        try {
            committed = published;
            memory.reclaim(published.progress(), table);
            show();
            memory.forgetEmpty();
        }
        finally {
            appendLock.unlock();
        }
    }

    /** Makes the state of the memory the newest cut. */
    @GuardedBy("appendLock")
    private void show()
    {
        if (isClosed()) {
            // the board may hold the cut of the next writer already
            return;
        }
        shown = new TableCut(lineage, committed.progress().epoch(), committed.snapshotId(), memory.cut(committed.progress()));
        options.board().publish(options.name(), shown);
    }

    long rowCount()
    {
        appendLock.lock();
        try {
            return memory.rowCount();
        }
        finally {
            appendLock.unlock();
        }
    }

    TableStatus status(FileStoreTable table, String lastError)
    {
        appendLock.lock();
        try {
            return new TableStatus(options.name(), committed.progress().epoch(), committed.snapshotId(), lastError,
                    memory.status(table, committed.progress()));
        }
        finally {
            appendLock.unlock();
        }
    }

    /**
     * No row is taken from now on; none is on its way when this returns.
     *
     * @throws RealtimeException if the table is closed
     */
    void beginDraining()
    {
        appendLock.lock();
        try {
            checkOpen();
            draining = true;
        }
        finally {
            appendLock.unlock();
        }
    }

    /** Whether the table is given up: the newest own snapshot tells others so. */
    boolean isGivenUp()
    {
        return draining && committed.progress().drained();
    }

    /** Rows are taken again. */
    void endDraining()
    {
        draining = false;
    }

    /** Gives the memory up and the cut away; cuts that are held elsewhere stay readable. Of several reasons the first one stays. */
    void close(RealtimeException reason)
    {
        appendLock.lock();
        try {
            if (isClosed()) {
                return;
            }
            closed = reason;
            options.board().remove(options.name(), shown);
            memory.close();
        }
        finally {
            appendLock.unlock();
        }
    }

    /** The same exception, after closing the table if it says that another writer has it. */
    RuntimeException closeIfFenced(RuntimeException e)
    {
        if (e instanceof RealtimeException realtimeException && realtimeException.code() == Code.FENCED && !isClosed()) {
            log.error("%s: this writer gives up %s rows that it had accepted", e.getMessage(), rowCount());
            close(realtimeException);
        }
        return e;
    }
}
