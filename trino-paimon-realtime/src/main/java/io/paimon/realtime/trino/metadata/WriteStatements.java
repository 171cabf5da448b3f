package io.paimon.realtime.trino.metadata;

import com.google.errorprone.annotations.ThreadSafe;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.WriterStatus;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.InsertExistingPartitionsBehavior;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.config.WriteMode;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle.RealtimeTarget;
import io.paimon.realtime.trino.writer.RealtimeWriter;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

/** Statements that write rows: CREATE TABLE AS and INSERT. */
@ThreadSafe
final class WriteStatements
{
    private static final Logger log = Logger.get(WriteStatements.class);

    private final PaimonCatalog catalog;
    private final DefinitionStatements definitions;
    private final TransactionTables tables;
    private final RealtimeWriter writer;
    private final boolean realtimeEnabled;
    private final AtomicReference<Runnable> rollbackAction = new AtomicReference<>();

    WriteStatements(PaimonCatalog catalog, DefinitionStatements definitions, TransactionTables tables, RealtimeWriter writer, boolean realtimeEnabled)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.writer = requireNonNull(writer, "writer is null");
        this.realtimeEnabled = realtimeEnabled;
    }

    /** Takes back what the transaction has created. */
    void rollback()
    {
        Runnable action = rollbackAction.getAndSet(null);
        if (action != null) {
            action.run();
        }
    }

    ConnectorOutputTableHandle beginCreateTable(ConnectorSession session, ConnectorTableMetadata tableMetadata, RetryMode retryMode, boolean replace)
    {
        PaimonWrites.checkRetryMode(retryMode);
        if (replace) {
            throw new TrinoException(NOT_SUPPORTED, "This connector does not support replacing tables");
        }
        SchemaTableName name = tableMetadata.getTable();
        Identifier identifier = definitions.createTable(tableMetadata, false);
        rollbackAction.set(() -> dropCreated(name, identifier));
        FileStoreTable table = (FileStoreTable) catalog.load(identifier).orElseThrow(() -> new TableNotFoundException(name));
        PaimonWrites.checkWritable(name, table);
        // types of the pages are those of the statement
        List<PaimonColumnHandle> columns = tableMetadata.getColumns().stream()
                .map(column -> new PaimonColumnHandle(column.getName(), table.rowType().getField(column.getName()).id(), column.getType()))
                .collect(toImmutableList());
        return PaimonWrites.writeHandle(session, name, identifier, table, columns, Optional.empty());
    }

    private void dropCreated(SchemaTableName name, Identifier identifier)
    {
        try {
            catalog.catalog().dropTable(identifier, true);
        }
        catch (Exception e) {
            log.warn(e, "Table %s of a failed CREATE TABLE AS was not removed", name);
        }
    }

    void finishCreateTable(PaimonWriteHandle handle, Collection<Slice> fragments)
    {
        PaimonWrites.commit(handle, load(handle), fragments, InsertExistingPartitionsBehavior.APPEND);
    }

    ConnectorInsertTableHandle beginInsert(ConnectorSession session, PaimonTableHandle handle, List<PaimonColumnHandle> columns,
            RetryMode retryMode)
    {
        PaimonWrites.checkRetryMode(retryMode);
        FileStoreTable table = tables.writable(handle);
        PaimonWrites.checkWritable(handle.name(), table);
        Optional<RealtimeTarget> realtime = Optional.empty();
        if (realtimeEnabled && PaimonTableProperties.isRealtime(table.options())
                && PaimonSessionProperties.getWriteMode(session) == WriteMode.REALTIME) {
            if (PaimonSessionProperties.getInsertExistingPartitionsBehavior(session) != InsertExistingPartitionsBehavior.APPEND) {
                throw new TrinoException(NOT_SUPPORTED,
                        "insert_existing_partitions_behavior must be APPEND for real-time table %s, or realtime_write_mode COMMITTED: then rows in memory stay"
                                .formatted(handle.name()));
            }
            WriterStatus status = writer.service().status();
            realtime = Optional.of(new RealtimeTarget(status.address(), status.incarnation(), session.getQueryId()));
            rollbackAction.set(() -> writer.service().abandon(handle.identifier(), session.getQueryId()));
        }
        return PaimonWrites.writeHandle(session, handle.name(), handle.identifier(), table, columns, realtime);
    }

    void finishInsert(ConnectorSession session, PaimonWriteHandle handle, Collection<Slice> fragments)
    {
        if (handle.realtime().isPresent()) {
            Set<String> parts = fragments.stream().map(Slice::toStringUtf8).collect(toImmutableSet());
            try {
                writer.service().publish(handle.identifier(), handle.realtime().get().statement(), parts);
            }
            catch (RealtimeException e) {
                throw PaimonErrorCode.toTrinoException(e);
            }
            return;
        }
        PaimonWrites.commit(handle, load(handle), fragments, PaimonSessionProperties.getInsertExistingPartitionsBehavior(session));
    }

    private FileStoreTable load(PaimonWriteHandle handle)
    {
        return (FileStoreTable) catalog.load(handle.identifier()).orElseThrow(() -> new TableNotFoundException(handle.name()));
    }
}
