package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.model.RealtimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Reads columns stored under one schema of a table as another schema has them: matched by field id, missing ones NULL, changed types cast as Paimon casts the values in
 * its files.
 */
final class ColumnEvolution
{
    private ColumnEvolution()
    {}

    /** Index of the stored column with the field's id. */
    static Optional<Integer> stored(RowType stored, DataField field)
    {
        for (int i = 0; i < stored.getFieldCount(); i++) {
            if (stored.getFields().get(i).id() == field.id()) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    /** Whether a stored vector can be read as the type in place: the same values, fields of rows found by their id. */
    static boolean isReadable(DataType stored, DataType wanted)
    {
        if (stored.getTypeRoot() != wanted.getTypeRoot()) {
            return false;
        }
        return switch (wanted.getTypeRoot()) {
            case ARRAY -> isReadable(((ArrayType) stored).getElementType(), ((ArrayType) wanted).getElementType());
            case MAP, MULTISET -> isReadable(ArrowSchemas.mapKeyType(stored), ArrowSchemas.mapKeyType(wanted))
                    && isReadable(ArrowSchemas.mapValueType(stored), ArrowSchemas.mapValueType(wanted));
            case ROW -> {
                RowType storedRow = (RowType) stored;
                yield ((RowType) wanted).getFields().stream().allMatch(field -> stored(storedRow, field)
                        .filter(index -> isReadable(storedRow.getTypeAt(index), field.type()))
                        .isPresent());
            }
            default -> stored.equalsIgnoreNullable(wanted);
        };
    }

    /**
     * A vector of the wanted field's type, in its canonical form, from a stored one that is not readable as it is. The caller closes it, before the stored one.
     */
    static FieldVector evolve(FieldVector vector, DataType stored, DataField wanted, BufferAllocator allocator)
    {
        return evolve(vector, stored, wanted.type(), ArrowSchemas.toArrowField(wanted), allocator);
    }

    private static FieldVector evolve(FieldVector vector, DataType stored, DataType wanted, Field target, BufferAllocator allocator)
    {
        if (stored.getTypeRoot() == wanted.getTypeRoot()) {
            switch (wanted.getTypeRoot()) {
                case ARRAY -> {
                    try (FieldVector elements = evolve(((ListVector) vector).getDataVector(), ((ArrayType) stored).getElementType(),
                            ((ArrayType) wanted).getElementType(), target.getChildren().getFirst(), allocator)) {
                        return VectorAssembly.withChildren(target, vector, List.of(elements), allocator);
                    }
                }
                case MAP, MULTISET -> {
                    return evolveMap((ListVector) vector, stored, wanted, target, allocator);
                }
                case ROW -> {
                    return evolveRow((StructVector) vector, (RowType) stored, (RowType) wanted, target, allocator);
                }
                default -> {
                    if (stored.equalsIgnoreNullable(wanted)) {
                        return VectorAssembly.share(target, vector, allocator);
                    }
                }
            }
        }
        return cast(vector, stored, wanted, target, allocator);
    }

    private static FieldVector evolveMap(ListVector vector, DataType stored, DataType wanted, Field target, BufferAllocator allocator)
    {
        Field entriesField = target.getChildren().getFirst();
        FieldVector entries = vector.getDataVector();
        List<FieldVector> sources = entries.getChildrenFromFields();
        try (FieldVector keys = evolve(sources.get(0), ArrowSchemas.mapKeyType(stored), ArrowSchemas.mapKeyType(wanted),
                entriesField.getChildren().get(0), allocator);
                FieldVector values = evolve(sources.get(1), ArrowSchemas.mapValueType(stored), ArrowSchemas.mapValueType(wanted),
                        entriesField.getChildren().get(1), allocator);
                FieldVector struct = VectorAssembly.withChildren(entriesField, entries, List.of(keys, values), allocator)) {
            return VectorAssembly.withChildren(target, vector, List.of(struct), allocator);
        }
    }

    private static FieldVector evolveRow(StructVector vector, RowType stored, RowType wanted, Field target, BufferAllocator allocator)
    {
        List<FieldVector> children = new ArrayList<>();
        try {
            for (int i = 0; i < wanted.getFieldCount(); i++) {
                DataField field = wanted.getFields().get(i);
                Field childTarget = target.getChildren().get(i);
                Optional<Integer> index = stored(stored, field);
                children.add(index.isEmpty()
                        ? VectorGather.nulls(childTarget, vector.getValueCount(), allocator)
                        : evolve(vector.getChildrenFromFields().get(index.get()), stored.getTypeAt(index.get()), field.type(), childTarget,
                                allocator));
            }
            return VectorAssembly.withChildren(target, vector, children, allocator);
        }
        finally {
            children.forEach(FieldVector::close);
        }
    }

    @SuppressWarnings("unchecked")
    private static FieldVector cast(FieldVector vector, DataType stored, DataType wanted, Field target, BufferAllocator allocator)
    {
        CastExecutor<Object, Object> cast = (CastExecutor<Object, Object>) CastExecutors.resolve(stored, wanted);
        if (cast == null) {
            throw new RealtimeException(RealtimeException.Code.INVALID_ARGUMENT,
                    "Column %s is in memory as %s, which Paimon cannot cast to %s".formatted(target.getName(), stored.asSQLString(),
                            wanted.asSQLString()));
        }
        FieldVector casted = target.createVector(allocator);
        try {
            ArrowRowWriter.ValueWriter writer = ArrowRowWriter.writer(casted, wanted);
            InternalRow.FieldGetter getter = InternalRow.createFieldGetter(stored.nullable(), 0);
            ArrowRowView row = new ArrowRowView(List.of(vector), RowType.of(stored));
            for (int i = 0; i < vector.getValueCount(); i++) {
                Object value = getter.getFieldOrNull(row.setPosition(i));
                writer.write(GenericRow.of(value == null ? null : cast.cast(value)), 0, i);
            }
            casted.setValueCount(vector.getValueCount());
            return casted;
        }
        catch (Throwable t) {
            casted.close();
            throw t;
        }
    }
}
