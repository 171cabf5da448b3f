package io.paimon.realtime.tools.source;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The columns of a table by name without regard to case, and the row kind that changes to primary-key tables carry. */
final class TableColumns
{
    static final String ROW_KIND = "_row_kind";

    private final Schema schema;
    private final Map<String, Field> byName = new LinkedHashMap<>();

    TableColumns(Schema schema)
    {
        this.schema = schema;
        for (Field field : schema.getFields()) {
            byName.put(field.getName().toLowerCase(Locale.ROOT), field);
        }
    }

    /** All columns of the table, with the row kind if asked for. */
    List<Field> all(boolean rowKind)
    {
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        fields.addAll(schema.getFields());
        if (rowKind && !byName.containsKey(ROW_KIND)) {
            fields.add(rowKindField());
        }
        return fields.build();
    }

    Optional<Field> find(String name)
    {
        String key = name.toLowerCase(Locale.ROOT);
        Field field = byName.get(key);
        if (field == null && key.equals(ROW_KIND)) {
            return Optional.of(rowKindField());
        }
        return Optional.ofNullable(field);
    }

    /** The table's columns of these names. */
    List<Field> resolve(String file, List<String> names)
    {
        Set<String> seen = new HashSet<>();
        ImmutableList.Builder<Field> fields = ImmutableList.builder();
        for (String name : names) {
            if (!seen.add(name.toLowerCase(Locale.ROOT))) {
                throw new BadRowException("%s has the column %s twice".formatted(file, name));
            }
            fields.add(find(name).orElseThrow(() -> unknown(file, name)));
        }
        return fields.build();
    }

    BadRowException unknown(String file, String name)
    {
        return new BadRowException("%s has a column %s, the table has only %s".formatted(file, name, String.join(", ", byName.keySet())));
    }

    private static Field rowKindField()
    {
        return new Field(ROW_KIND, FieldType.notNullable(ArrowType.Utf8.INSTANCE), List.of());
    }
}
