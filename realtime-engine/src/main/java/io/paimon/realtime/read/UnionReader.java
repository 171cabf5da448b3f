package io.paimon.realtime.read;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.paimon.KeyedMerge;
import io.paimon.realtime.paimon.PushableFilters;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeSplit;
import io.paimon.realtime.scan.RealtimeSplit.DiskSplit;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.scan.RealtimeSplit.MergeSplit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateVisitor;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.ProjectedRow;

/**
 * Reads the splits of a plan: rows of the plan's read type that match its filter, whichever side they come from.
 *
 * <p>Thread-safe; readers are not, and different splits may be read by different threads. Holds nothing itself.
 */
public final class UnionReader
{
    private final RealtimePlan plan;
    private final MemQueryContext memory;

    public UnionReader(RealtimePlan plan)
    {
        this.plan = requireNonNull(plan, "plan is null");
        this.memory = new MemQueryContext(plan.allocator());
    }

    /** What the readers of memory did; exact once they are closed. */
    public MemQueryContext memory()
    {
        return memory;
    }

    /**
     * Opens one split. A row object is valid until the next one is asked for. The caller closes the reader, which then gives up its memory and files on whatever path; it outlives the plan.
     *
     * @throws io.paimon.realtime.model.RealtimeException CUT_EXPIRED if it is a memory split and the plan is closed
     */
    public RecordReader<InternalRow> createReader(RealtimeSplit split) throws IOException
    {
        return switch (split) {
            case DiskSplit disk -> openDisk(disk);
            case MemorySplit rows -> new MemoryRecordReader(plan.openMemory(rows, memory), plan.readType());
            case MergeSplit merge -> openMerged(merge);
        };
    }

    /** All splits of the plan one after the other, each opened when its turn comes: the plan must stay open until the end is read. The caller closes the reader. */
    public RecordReader<InternalRow> createReader()
    {
        return new ConcatReader(this, plan.splits());
    }

    /** Columnar readers of a memory split, see {@link RealtimePlan#openMemory}. */
    public List<MemBatchReader> createColumnarReaders(MemorySplit split)
    {
        return plan.openMemory(split, memory);
    }

    private RecordReader<InternalRow> openDisk(DiskSplit disk) throws IOException
    {
        RowType diskType = diskType();
        ReadBuilder builder = plan.table().newReadBuilder().withReadType(diskType);
        Optional<Predicate> filter = plan.filter();
        filter.flatMap(predicate -> PushableFilters.forRead(predicate, disk.split())).ifPresent(builder::withFilter);
        return filtered(builder.newRead().createReader(disk.split()), diskType);
    }

    private RecordReader<InternalRow> openMerged(MergeSplit split) throws IOException
    {
        RowType type = diskType();
        KeyedMerge merge = new KeyedMerge(plan.table(), type, plan.filter());
        return filtered(merge.open(split.disk(), plan.openMemory(split, merge, memory), split.runs().getFirst().start(), null), type);
    }

    /** Rows that match the filter, with the columns of the result. */
    private RecordReader<InternalRow> filtered(RecordReader<InternalRow> reader, RowType diskType)
    {
        Optional<Predicate> filter = plan.filter();
        RowType readType = plan.readType();
        if (filter.isEmpty()) {
            return reader;
        }
        // Paimon uses the filter to skip files and pages only; a row is tested as one of the table's, where columns that it does not refer to are NULL
        ProjectedRow tableRow = ProjectedRow.from(plan.table().rowType().getFields().stream().mapToInt(field -> indexOf(diskType, field)).toArray());
        RecordReader<InternalRow> matching = reader.filter(row -> filter.get().test(tableRow.replaceRow(row)));
        if (diskType.getFieldCount() == readType.getFieldCount()) {
            return matching;
        }
        ProjectedRow result = ProjectedRow.from(IntStream.range(0, readType.getFieldCount()).toArray());
        return matching.transform(result::replaceRow);
    }

    /** The read type, then what the filter needs beyond it. */
    private RowType diskType()
    {
        List<DataField> fields = new ArrayList<>(plan.readType().getFields());
        plan.filter().ifPresent(filter -> {
            for (String name : PredicateVisitor.collectFieldNames(filter)) {
                DataField field = plan.table().rowType().getField(name);
                if (indexOf(plan.readType(), field) < 0) {
                    fields.add(field);
                }
            }
        });
        return new RowType(fields);
    }

    private static int indexOf(RowType type, DataField field)
    {
        for (int i = 0; i < type.getFieldCount(); i++) {
            if (type.getFields().get(i).id() == field.id()) {
                return i;
            }
        }
        return -1;
    }

    /** For messages. */
    @Override
    public String toString()
    {
        return "UnionReader{%s, %s}".formatted(plan.table().fullName(), Arrays.toString(plan.readType().getFieldNames().toArray()));
    }
}
