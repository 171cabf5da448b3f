package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.OffsetRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.predicate.CompoundPredicate;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * What is done with each chunk: cut by offsets, skip by bounds, select by the filter, bring columns into the form that is asked for. Immutable, used by many readers at once.
 */
final class QueryPlan
{
    private static final int OFFSET = -2;
    private static final OffsetRange EVERYTHING = new OffsetRange(0, OffsetRange.MAX_OFFSET);

    private final OffsetRange offsets;
    /** Null for the stored columns as they are. */
    private final List<Column> result;
    private final Optional<Predicate> filter;
    private final RowType filterType;
    /** Columns of the filter's type; null where the filter does not refer to. */
    private final List<Column> filterColumns;
    private final MemQueryContext context;

    /** All rows, all columns. */
    QueryPlan()
    {
        offsets = EVERYTHING;
        result = null;
        filter = Optional.empty();
        filterType = null;
        filterColumns = List.of();
        context = null;
    }

    QueryPlan(RowType stored, MemReadRequest request, MemQueryContext context)
    {
        this.offsets = request.offsets();
        this.result = request.readType().getFields().stream().map(field -> Column.create(stored, field)).toList();
        this.filter = request.filter();
        this.filterType = request.tableType();
        this.filterColumns = new ArrayList<>();
        this.context = context;
        Set<Integer> referenced = new HashSet<>();
        filter.ifPresent(predicate -> collectFields(predicate, filterType, referenced));
        for (int i = 0; i < filterType.getFieldCount(); i++) {
            filterColumns.add(referenced.contains(i) ? Column.create(stored, filterType.getFields().get(i)) : null);
        }
    }

    /** Chooses of rows that match, or brings them into another order. */
    interface Arrangement
    {
        Positions arrange(Chunk chunk, Positions positions);
    }

    /** The matching rows of a chunk; empty if there are none. The batch holds the chunk itself. */
    Optional<MemBatch> read(Chunk chunk)
    {
        return read(chunk, (_, positions) -> positions);
    }

    /** The same with an arrangement of the rows that match. */
    Optional<MemBatch> read(Chunk chunk, Arrangement arrangement)
    {
        int from = (int) Math.max(0, offsets.start() - chunk.startOffset());
        int to = (int) Math.min(chunk.rowCount(), offsets.end() - chunk.startOffset());
        Positions positions = Positions.range(from, to - from);
        if (filter.isPresent()) {
            if (!mayMatch(chunk)) {
                context.batchesPruned().increment();
                return Optional.empty();
            }
            positions = select(chunk, positions);
        }
        positions = arrangement.arrange(chunk, positions);
        if (context != null) {
            context.rowsScanned().add(to - from);
            context.rowsReturned().add(positions.count());
        }
        return positions.count() == 0 ? Optional.empty() : Optional.of(batch(chunk, positions));
    }

    private boolean mayMatch(Chunk chunk)
    {
        int count = filterType.getFieldCount();
        GenericRow min = new GenericRow(count);
        GenericRow max = new GenericRow(count);
        Object[] nullCounts = new Object[count];
        boolean bounded = false;
        for (int i = 0; i < count; i++) {
            Column column = filterColumns.get(i);
            if (column == null || column.stored() < 0 || column.evolved()) {
                continue;
            }
            ColumnStatistics statistics = chunk.statistics(column.stored());
            if (statistics.bounded()) {
                DataType type = filterType.getTypeAt(i);
                min.setField(i, LongValues.toPaimon(statistics.min(), type));
                max.setField(i, LongValues.toPaimon(statistics.max(), type));
                nullCounts[i] = (long) statistics.nullCount();
                bounded = true;
            }
        }
        return !bounded || filter.orElseThrow().test(chunk.rowCount(), min, max, new GenericArray(nullCounts));
    }

    private Positions select(Chunk chunk, Positions positions)
    {
        List<FieldVector> made = new ArrayList<>();
        try {
            List<FieldVector> columns = new ArrayList<>();
            for (Column column : filterColumns) {
                columns.add(column == null || column.stored() < 0 ? null : column.read(chunk, made, context.allocator()));
            }
            Positions selected = new RowSelector(filterType, columns).select(filter.orElseThrow(), positions);
            return selected.count() == positions.count() ? positions : selected;
        }
        finally {
            made.forEach(FieldVector::close);
        }
    }

    private MemBatch batch(Chunk chunk, Positions positions)
    {
        List<FieldVector> made = new ArrayList<>();
        try {
            List<FieldVector> columns = new ArrayList<>();
            if (result == null) {
                columns.addAll(chunk.columns());
            }
            else {
                for (Column column : result) {
                    columns.add(column.read(chunk, made, context.allocator()));
                }
            }
            chunk.retain();
            return new MemBatch(columns, positions.positions(), positions.from(), positions.count(), () -> {
                // made vectors share buffers of the chunk
                made.forEach(FieldVector::close);
                chunk.release();
            });
        }
        catch (Throwable t) {
            made.forEach(FieldVector::close);
            throw t;
        }
    }

    private static void collectFields(Predicate predicate, RowType type, Set<Integer> fields)
    {
        switch (predicate) {
            case CompoundPredicate compound -> compound.children().forEach(child -> collectFields(child, type, fields));
            case LeafPredicate leaf -> {
                for (Object input : leaf.transform().inputs()) {
                    if (input instanceof FieldRef reference) {
                        fields.add(reference.index());
                    }
                }
            }
            // unknown kinds may look at anything
            default -> {
                for (int i = 0; i < type.getFieldCount(); i++) {
                    fields.add(i);
                }
            }
        }
    }

    /**
     * One column as it is asked for.
     *
     * @param stored index of the stored column; -1 if there is none, {@link #OFFSET} for the rows' offsets
     * @param evolved whether the stored column must be brought into another type
     */
    private record Column(DataField field, Field target, int stored, DataType storedType, boolean evolved)
    {
        static Column create(RowType stored, DataField field)
        {
            Field target = ArrowSchemas.toArrowField(field);
            if (field.id() == SpecialFields.SEQUENCE_NUMBER.id()) {
                return new Column(field, target, OFFSET, null, false);
            }
            Optional<Integer> index = ColumnEvolution.stored(stored, field);
            if (index.isEmpty()) {
                return new Column(field, target, -1, null, false);
            }
            DataType storedType = stored.getTypeAt(index.get());
            return new Column(field, target, index.get(), storedType, !ColumnEvolution.isReadable(storedType, field.type()));
        }

        private FieldVector offsets(Chunk chunk, BufferAllocator allocator)
        {
            BigIntVector offsets = new BigIntVector(target, allocator);
            try {
                offsets.allocateNew(chunk.rowCount());
                for (int i = 0; i < chunk.rowCount(); i++) {
                    offsets.set(i, chunk.startOffset() + i);
                }
                offsets.setValueCount(chunk.rowCount());
                return offsets;
            }
            catch (Throwable t) {
                offsets.close();
                throw t;
            }
        }

        /** The vector; one that had to be made is added to those, for the caller to close. */
        FieldVector read(Chunk chunk, List<FieldVector> made, BufferAllocator allocator)
        {
            if (stored >= 0 && !evolved) {
                return chunk.columns().get(stored);
            }
            FieldVector vector = stored == OFFSET
                    ? offsets(chunk, allocator)
                    : stored < 0
                            ? VectorGather.nulls(target, chunk.rowCount(), allocator)
                            : ColumnEvolution.evolve(chunk.columns().get(stored), storedType, field, allocator);
            made.add(vector);
            return vector;
        }
    }
}
