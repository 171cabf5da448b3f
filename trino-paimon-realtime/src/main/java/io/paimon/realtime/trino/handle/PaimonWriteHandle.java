package io.paimon.realtime.trino.handle;

import com.google.common.collect.ImmutableList;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.SchemaTableName;
import org.apache.paimon.catalog.Identifier;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Target of a statement that writes data files and commits them in a snapshot of its own.
 *
 * @param name name in Trino
 * @param database name of the schema in Paimon
 * @param table name of the table in Paimon
 * @param schemaId schema the rows are written with
 * @param columns the columns that pages carry, in this order
 * @param realtime where rows are staged; empty if the statement commits a snapshot of its own
 * @param commitUser user of the commit, unique per statement
 */
public record PaimonWriteHandle(SchemaTableName name, String database, String table, long schemaId, List<PaimonColumnHandle> columns,
        String commitUser,
        Optional<RealtimeTarget> realtime)
        implements
            ConnectorInsertTableHandle,
            ConnectorOutputTableHandle
{

    /** Identifier of the one commit of a statement. */
    public static final long COMMIT_IDENTIFIER = 1;

    public PaimonWriteHandle
    {
        requireNonNull(name, "name is null");
        requireNonNull(database, "database is null");
        requireNonNull(table, "table is null");
        columns = ImmutableList.copyOf(columns);
        requireNonNull(commitUser, "commitUser is null");
        requireNonNull(realtime, "realtime is null");
    }

    /** The writer that stages the rows, and the statement they are staged for. */
    public record RealtimeTarget(String address, String incarnation, String statement)
    {
        public RealtimeTarget
        {
            requireNonNull(address, "address is null");
            requireNonNull(incarnation, "incarnation is null");
            requireNonNull(statement, "statement is null");
        }
    }

    public Identifier identifier()
    {
        return new Identifier(database, table);
    }

    @Override
    public String toString()
    {
        return name.toString();
    }
}
