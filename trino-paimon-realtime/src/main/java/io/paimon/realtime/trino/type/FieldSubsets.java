package io.paimon.realtime.trino.type;

import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/** Types of Trino whose rows have some fields of the rows of Paimon that they stand for, found by name; rows inside of arrays and maps have all. */
public final class FieldSubsets
{
    private FieldSubsets()
    {}

    /** The type with its fields in Paimon's order. */
    public static Type inOrderOf(DataType dataType, Type type)
    {
        if (!(dataType instanceof org.apache.paimon.types.RowType row) || !(type instanceof RowType subset)) {
            return type;
        }
        return RowType.from(row.getFields().stream()
                .flatMap(field -> find(subset, field.name()).map(found -> RowType.field(field.name(), inOrderOf(field.type(), found.getType())))
                        .stream())
                .collect(toImmutableList()));
    }

    /** Paimon's type without the fields that the type does not have. */
    public static DataType select(DataType dataType, Type type)
    {
        if (!(dataType instanceof org.apache.paimon.types.RowType row) || !(type instanceof RowType subset)) {
            return dataType;
        }
        List<DataField> fields = row.getFields().stream()
                .flatMap(field -> find(subset, field.name()).map(found -> field.newType(select(field.type(), found.getType()))).stream())
                .collect(toImmutableList());
        return new org.apache.paimon.types.RowType(row.isNullable(), fields);
    }

    private static Optional<RowType.Field> find(RowType type, String name)
    {
        return type.getFields().stream().filter(field -> field.getName().orElseThrow().equals(name)).findFirst();
    }
}
