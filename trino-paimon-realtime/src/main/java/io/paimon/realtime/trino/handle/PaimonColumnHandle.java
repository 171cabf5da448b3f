package io.paimon.realtime.trino.handle;

import com.google.common.collect.ImmutableList;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;

import java.util.List;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * A column of a table, or a field of a column of rows.
 *
 * @param name name of the column in Paimon, which keeps case
 * @param fieldId id of the column that stays when it is renamed
 * @param path the way from the column to the field, by names in Paimon; empty for the column itself
 * @param type type Trino sees
 */
public record PaimonColumnHandle(String name, int fieldId, List<String> path, Type type) implements ColumnHandle
{
    public PaimonColumnHandle
    {
        requireNonNull(name, "name is null");
        path = ImmutableList.copyOf(path);
        requireNonNull(type, "type is null");
    }

    public PaimonColumnHandle(String name, int fieldId, Type type)
    {
        this(name, fieldId, ImmutableList.of(), type);
    }

    /** Whether it is a column, and not a field of one. */
    public boolean isColumn()
    {
        return path.isEmpty();
    }

    /** A field of what this handle stands for. */
    public PaimonColumnHandle field(List<String> fieldPath, Type fieldType)
    {
        return new PaimonColumnHandle(name, fieldId, ImmutableList.<String>builder().addAll(path).addAll(fieldPath).build(), fieldType);
    }

    /** The name as Trino knows it. */
    public String trinoName()
    {
        return name.toLowerCase(ENGLISH);
    }

    @Override
    public String toString()
    {
        return String.join(".", ImmutableList.<String>builder().add(name).addAll(path).build()) + ":" + type;
    }
}
