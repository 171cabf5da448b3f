package io.paimon.realtime.scan;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.KeyedMerge;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.scan.RealtimeSplit.MergeSplit;
import io.paimon.realtime.table.TableCut;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.RowType;

/**
 * What a union read of a table consists of: one snapshot and one instant of memory, in splits. It keeps what its memory splits show until it is closed, whatever is written or committed
 * meanwhile; readers that are open by then go on.
 *
 * <p>Thread-safe. The caller of {@link RealtimeScan#plan} closes it.
 */
public final class RealtimePlan implements AutoCloseable
{
    private final FileStoreTable table;
    private final RowType readType;
    private final Optional<Predicate> filter;
    private final OptionalLong snapshotId;
    private final List<RealtimeSplit> splits;
    private final BufferAllocator allocator;
    @GuardedBy("this")
    private TableCut cut;

    /**
     * @param cut held for the plan, which releases it; null if no memory is read
     */
    RealtimePlan(FileStoreTable table, RowType readType, Optional<Predicate> filter, OptionalLong snapshotId, List<RealtimeSplit> splits,
            BufferAllocator allocator, TableCut cut)
    {
        this.table = requireNonNull(table, "table is null");
        this.readType = requireNonNull(readType, "readType is null");
        this.filter = requireNonNull(filter, "filter is null");
        this.snapshotId = requireNonNull(snapshotId, "snapshotId is null");
        this.splits = List.copyOf(splits);
        this.allocator = requireNonNull(allocator, "allocator is null");
        this.cut = cut;
    }

    /** The table as disk splits are read. */
    public FileStoreTable table()
    {
        return table;
    }

    /** Columns of the result. */
    public RowType readType()
    {
        return readType;
    }

    /** What rows must match, over the table's row type. */
    public Optional<Predicate> filter()
    {
        return filter;
    }

    /** Snapshot S of the disk splits; empty for a table without snapshots, and where the table's own options choose what is read. */
    public OptionalLong snapshotId()
    {
        return snapshotId;
    }

    /** In no particular order. */
    public List<RealtimeSplit> splits()
    {
        return splits;
    }

    /** Where readers of the plan take memory from. */
    public BufferAllocator allocator()
    {
        return allocator;
    }

    /**
     * Opens columnar readers over a memory split, in offset order when read one after the other; each may be read by a thread of its own. The caller closes each of them; they outlive the plan.
     *
     * @throws RealtimeException CUT_EXPIRED if the plan is closed
     */
    public List<MemBatchReader> openMemory(MemorySplit split, MemQueryContext context)
    {
        return open(split.bucket(), new MemReadRequest(split.offsets(), readType, table.rowType(), filter), context);
    }

    /**
     * Opens readers over the rows of memory of a merge split, one for each of its runs and in the order of their keys. The caller closes them.
     *
     * @param merge what the rows are read for
     * @throws RealtimeException CUT_EXPIRED if the plan is closed
     */
    public List<MemBatchReader> openMemory(MergeSplit split, KeyedMerge merge, MemQueryContext context)
    {
        List<MemBatchReader> readers = new ArrayList<>();
        try {
            for (OffsetRange run : split.runs()) {
                MemReadRequest request = merge.request(run, split.keys());
                readers.add(merge.inOneOrder(open(split.bucket(), request, context), request, context.allocator()));
            }
            return readers;
        }
        catch (Throwable t) {
            readers.forEach(MemBatchReader::close);
            throw t;
        }
    }

    private List<MemBatchReader> open(PartitionBucket bucket, MemReadRequest request, MemQueryContext context)
    {
        synchronized (this) {
            if (cut != null) {
                return cut.read(bucket, request, context);
            }
        }
        throw new RealtimeException(Code.CUT_EXPIRED,
                "Table %s: the plan is closed, its view over the rows in memory is gone: plan again".formatted(table.fullName()));
    }

    /** Gives up the plan's hold on memory. Closing twice changes nothing. */
    @Override
    public void close()
    {
        TableCut held;
        synchronized (this) {
            held = cut;
            cut = null;
        }
        if (held != null) {
            held.release();
        }
    }
}
