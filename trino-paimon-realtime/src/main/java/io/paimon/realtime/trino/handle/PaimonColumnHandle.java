package io.paimon.realtime.trino.handle;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * A column of a table.
 *
 * @param name name in Paimon, which keeps case
 * @param fieldId id that stays when the column is renamed
 * @param type type Trino sees
 */
public record PaimonColumnHandle(String name, int fieldId, Type type) implements ColumnHandle
{
    public PaimonColumnHandle
    {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
    }

    /** The name as Trino knows it. */
    public String trinoName()
    {
        return name.toLowerCase(ENGLISH);
    }

    @Override
    public String toString()
    {
        return name + ":" + type;
    }
}
