package io.paimon.realtime.trino.handle;

import com.google.common.collect.ImmutableList;
import io.trino.spi.connector.ConnectorPartitioningHandle;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Rows of one partition-bucket go to one writer.
 *
 * @param schema Paimon schema as JSON: the table may not exist yet
 * @param columns Paimon names of the columns that decide, in the order of the channels
 */
public record PaimonPartitioningHandle(String schema, List<String> columns) implements ConnectorPartitioningHandle
{
    public PaimonPartitioningHandle
    {
        requireNonNull(schema, "schema is null");
        columns = ImmutableList.copyOf(columns);
    }

    @Override
    public String toString()
    {
        return "paimon bucket of " + columns;
    }
}
