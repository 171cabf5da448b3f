package io.paimon.realtime.trino.definition;

import com.google.common.collect.ImmutableList;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

import java.util.List;
import java.util.Optional;

/** Finds fields inside of columns by paths that Trino gives; elements of arrays and maps are called as in Trino and Paimon alike. */
final class NestedFields
{
    private NestedFields()
    {}

    /** The path with every name as Paimon spells it; empty if there is no such field. */
    static Optional<List<String>> resolve(RowType rowType, List<String> path)
    {
        ImmutableList.Builder<String> resolved = ImmutableList.builder();
        DataType type = rowType;
        for (String name : path) {
            switch (type) {
                case RowType row -> {
                    Optional<DataField> field = field(row, name);
                    if (field.isEmpty()) {
                        return Optional.empty();
                    }
                    resolved.add(field.get().name());
                    type = field.get().type();
                }
                case ArrayType array when name.equals("element") -> {
                    resolved.add(name);
                    type = array.getElementType();
                }
                case MapType map when name.equals("key") || name.equals("value") -> {
                    resolved.add(name);
                    type = name.equals("key") ? map.getKeyType() : map.getValueType();
                }
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(resolved.build());
    }

    /** A field of the row at the path, by name without regard to case. */
    static Optional<DataField> find(RowType rowType, List<String> parent, String name)
    {
        return resolve(rowType, ImmutableList.<String>builder().addAll(parent).add(name).build())
                .map(path -> path.getLast())
                .flatMap(last -> typeAt(rowType, parent) instanceof RowType row ? field(row, last) : Optional.empty());
    }

    private static DataType typeAt(RowType rowType, List<String> path)
    {
        DataType type = rowType;
        for (String name : path) {
            type = switch (type) {
                case RowType row -> field(row, name).orElseThrow().type();
                case ArrayType array -> array.getElementType();
                case MapType map -> name.equals("key") ? map.getKeyType() : map.getValueType();
                default -> throw new IllegalArgumentException("No field %s in %s".formatted(name, rowType));
            };
        }
        return type;
    }

    /** The field of exactly this name, else the only one whose name differs in case. */
    private static Optional<DataField> field(RowType row, String name)
    {
        if (row.containsField(name)) {
            return Optional.of(row.getField(name));
        }
        List<DataField> matches = row.getFields().stream().filter(field -> field.name().equalsIgnoreCase(name)).toList();
        return matches.size() == 1 ? Optional.of(matches.getFirst()) : Optional.empty();
    }

    /** Type of the field or element at a path as {@link #resolve} gives it. */
    static DataType type(RowType rowType, List<String> resolvedPath)
    {
        return typeAt(rowType, resolvedPath);
    }

    /** Whether a path as {@link #resolve} gives it leads through the key of a map. */
    static boolean isInMapKey(RowType rowType, List<String> resolvedPath)
    {
        for (int i = 0; i < resolvedPath.size(); i++) {
            if (resolvedPath.get(i).equals("key") && typeAt(rowType, resolvedPath.subList(0, i)) instanceof MapType) {
                return true;
            }
        }
        return false;
    }
}
