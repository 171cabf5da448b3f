package io.paimon.realtime.trino.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableExecuteHandle;
import org.apache.paimon.catalog.Identifier;

/**
 * {@code ALTER TABLE database.table EXECUTE flush}.
 */
public record PaimonTableExecuteHandle(String database, String table) implements ConnectorTableExecuteHandle
{
    /** Name of the only procedure there is. */
    public static final String FLUSH = "FLUSH";

    public PaimonTableExecuteHandle
    {
        requireNonNull(database, "database is null");
        requireNonNull(table, "table is null");
    }

    public Identifier identifier()
    {
        return Identifier.create(database, table);
    }
}
