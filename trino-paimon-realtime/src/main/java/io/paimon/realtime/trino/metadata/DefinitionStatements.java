package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.definition.SchemaChanges;
import io.paimon.realtime.trino.definition.TableDefinitions;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.writer.RealtimeWriter;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.type.Type;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.TableCommitImpl;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_CATALOG_ERROR;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_COMMIT_ERROR;
import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.SCHEMA_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.SCHEMA_NOT_EMPTY;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static java.util.Objects.requireNonNull;

/** Statements that define schemas and tables. What they mean for Paimon is worked out in {@link TableDefinitions} and {@link SchemaChanges}. */
final class DefinitionStatements
{
    private final PaimonCatalog catalog;
    private final TransactionTables tables;
    private final RealtimeWriter writer;

    DefinitionStatements(PaimonCatalog catalog, TransactionTables tables, RealtimeWriter writer)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.writer = requireNonNull(writer, "writer is null");
    }

    void createSchema(String schemaName)
    {
        if (catalog.findDatabase(schemaName).isPresent()) {
            throw new TrinoException(SCHEMA_ALREADY_EXISTS, "Schema already exists: " + schemaName);
        }
        try {
            catalog.catalog().createDatabase(schemaName, false);
        }
        catch (Catalog.DatabaseAlreadyExistException e) {
            throw new TrinoException(SCHEMA_ALREADY_EXISTS, "Schema already exists: " + schemaName, e);
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot create schema %s: %s".formatted(schemaName, e.getMessage()), e);
        }
    }

    void dropSchema(String schemaName, boolean cascade)
    {
        String database = database(schemaName);
        List<Identifier> dropped = cascade
                ? catalog.listTables(database).stream().map(table -> new Identifier(database, table)).collect(toImmutableList())
                : ImmutableList.of();
        forgetInWriter(dropped);
        try {
            catalog.catalog().dropDatabase(database, false, cascade);
        }
        catch (Catalog.DatabaseNotExistException e) {
            throw new SchemaNotFoundException(schemaName, e);
        }
        catch (Catalog.DatabaseNotEmptyException e) {
            throw new TrinoException(SCHEMA_NOT_EMPTY, "Schema not empty: " + schemaName, e);
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot drop schema %s: %s".formatted(schemaName, e.getMessage()), e);
        }
        finally {
            forgetInWriter(dropped);
        }
        tables.forgetAll();
    }

    private String database(String schemaName)
    {
        return catalog.findDatabase(schemaName).orElseThrow(() -> new SchemaNotFoundException(schemaName));
    }

    /** @return its name in Paimon */
    Identifier createTable(ConnectorTableMetadata tableMetadata, boolean ignoreExisting)
    {
        SchemaTableName name = tableMetadata.getTable();
        if (name.getTableName().contains(Identifier.SYSTEM_TABLE_SPLITTER)) {
            throw new TrinoException(NOT_SUPPORTED, "A table name cannot contain '%s': %s".formatted(Identifier.SYSTEM_TABLE_SPLITTER, name));
        }
        Identifier identifier = new Identifier(database(name.getSchemaName()), name.getTableName());
        if (catalog.findTable(name).isPresent()) {
            if (ignoreExisting) {
                return identifier;
            }
            throw new TrinoException(TABLE_ALREADY_EXISTS, "Table already exists: " + name);
        }
        Schema schema = TableDefinitions.schema(tableMetadata);
        try {
            catalog.catalog().createTable(identifier, schema, ignoreExisting);
        }
        catch (Catalog.TableAlreadyExistException e) {
            throw new TrinoException(TABLE_ALREADY_EXISTS, "Table already exists: " + name, e);
        }
        catch (Catalog.DatabaseNotExistException e) {
            throw new SchemaNotFoundException(name.getSchemaName(), e);
        }
        catch (IllegalArgumentException | UnsupportedOperationException | IllegalStateException e) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "Cannot create table %s: %s".formatted(name, e.getMessage()), e);
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot create table %s: %s".formatted(name, e.getMessage()), e);
        }
        tables.forget(name);
        return identifier;
    }

    void dropTable(PaimonTableHandle handle)
    {
        if (handle.table().contains(Identifier.SYSTEM_TABLE_SPLITTER)) {
            throw new TrinoException(NOT_SUPPORTED, "%s cannot be dropped".formatted(handle.name()));
        }
        forgetInWriter(ImmutableList.of(handle.identifier()));
        try {
            catalog.catalog().dropTable(handle.identifier(), false);
        }
        catch (Catalog.TableNotExistException e) {
            throw new TableNotFoundException(handle.name(), e);
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot drop table %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
        finally {
            forgetInWriter(ImmutableList.of(handle.identifier()));
        }
        tables.forget(handle);
    }

    /** The writer forgets the tables and their rows: before they are dropped, as it writes into their folders, and afterwards, as an append may have opened one meanwhile. */
    private void forgetInWriter(List<Identifier> dropped)
    {
        writer.local().ifPresent(service -> dropped.forEach(service::drop));
    }

    void renameTable(PaimonTableHandle handle, SchemaTableName newName)
    {
        FileStoreTable table = tables.writable(handle);
        checkNotRealtime("RENAME", handle, table);
        if (!catalog.canRename(table)) {
            // some catalogs would take the new name before they find out
            throw new TrinoException(NOT_SUPPORTED, "Table %s cannot be renamed: object stores do not rename".formatted(handle.name()));
        }
        if (newName.getTableName().contains(Identifier.SYSTEM_TABLE_SPLITTER) || handle.table().contains(Identifier.SYSTEM_TABLE_SPLITTER)) {
            throw new TrinoException(NOT_SUPPORTED, "Cannot rename %s to %s".formatted(handle.name(), newName));
        }
        String database = database(newName.getSchemaName());
        if (catalog.findTable(newName).isPresent()) {
            throw new TrinoException(TABLE_ALREADY_EXISTS, "Table already exists: " + newName);
        }
        try {
            catalog.catalog().renameTable(handle.identifier(), new Identifier(database, newName.getTableName()), false);
        }
        catch (Catalog.TableNotExistException e) {
            throw new TableNotFoundException(handle.name(), e);
        }
        catch (Catalog.TableAlreadyExistException e) {
            throw new TrinoException(TABLE_ALREADY_EXISTS, "Table already exists: " + newName, e);
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot rename table %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
        tables.forget(handle);
        tables.forget(newName);
    }

    void setTableProperties(PaimonTableHandle handle, Map<String, Optional<Object>> properties)
    {
        FileStoreTable table = tables.writable(handle);
        List<SchemaChange> changes = SchemaChanges.setProperties(table, properties);
        if (SchemaChanges.turnsRealtimeOff(table, changes)) {
            turnRealtimeOff(handle, table, () -> alter(handle, changes));
            return;
        }
        alter(handle, changes);
    }

    /** What is in memory is committed first, and nothing is accepted until the change is there. */
    private void turnRealtimeOff(PaimonTableHandle handle, FileStoreTable table, Runnable change)
    {
        try {
            if (writer.local().isPresent()) {
                writer.local().get().release(handle.identifier(), change);
            }
            else {
                new LeaseFile(table).checkNotOwnedByOthers("");
                change.run();
            }
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }

    void setTableComment(PaimonTableHandle handle, Optional<String> comment)
    {
        alter(handle, ImmutableList.of(SchemaChange.updateComment(comment.orElse(null))));
    }

    void setColumnComment(PaimonTableHandle handle, PaimonColumnHandle column, Optional<String> comment)
    {
        alter(handle,
                ImmutableList.of(SchemaChange.updateColumnComment(column.name(), comment.orElse(null))));
    }

    void addColumn(PaimonTableHandle handle, ColumnMetadata column, ColumnPosition position)
    {
        alter(handle, SchemaChanges.addColumn(tables.writable(handle), column, position));
    }

    void dropColumn(PaimonTableHandle handle, PaimonColumnHandle column)
    {
        alter(handle, ImmutableList.of(SchemaChange.dropColumn(column.name())));
    }

    void renameColumn(PaimonTableHandle handle, PaimonColumnHandle source, String target)
    {
        alter(handle, SchemaChanges.renameColumn(tables.writable(handle), source.name(), target));
    }

    void setColumnType(PaimonTableHandle handle, PaimonColumnHandle column, Type type)
    {
        alter(handle, SchemaChanges.changeType(tables.writable(handle), ImmutableList.of(column.name()), type));
    }

    void dropNotNullConstraint(PaimonTableHandle handle, PaimonColumnHandle column)
    {
        alter(handle, ImmutableList.of(SchemaChange.updateColumnNullability(column.name(), true)));
    }

    void addField(PaimonTableHandle handle, List<String> parentPath, String fieldName, Type type,
            boolean ignoreExisting)
    {
        List<SchemaChange> changes = SchemaChanges.addField(tables.writable(handle), parentPath, fieldName, type, ignoreExisting);
        if (!changes.isEmpty()) {
            alter(handle, changes);
        }
    }

    void dropField(PaimonTableHandle handle, PaimonColumnHandle column, List<String> fieldPath)
    {
        List<String> path = ImmutableList.<String>builder().add(column.name()).addAll(fieldPath).build();
        alter(handle, SchemaChanges.dropField(tables.writable(handle), path));
    }

    void renameField(PaimonTableHandle handle, List<String> fieldPath, String target)
    {
        alter(handle, SchemaChanges.renameField(tables.writable(handle), fieldPath, target));
    }

    void setFieldType(PaimonTableHandle handle, List<String> fieldPath, Type type)
    {
        alter(handle, SchemaChanges.changeFieldType(tables.writable(handle), fieldPath, type));
    }

    private void alter(PaimonTableHandle handle, List<SchemaChange> changes)
    {
        tables.writable(handle);
        try {
            catalog.catalog().alterTable(handle.identifier(), changes, false);
        }
        catch (Catalog.TableNotExistException e) {
            throw new TableNotFoundException(handle.name(), e);
        }
        catch (Catalog.ColumnAlreadyExistException e) {
            throw new TrinoException(COLUMN_ALREADY_EXISTS, e.getMessage(), e);
        }
        catch (Catalog.ColumnNotExistException e) {
            throw new TrinoException(COLUMN_NOT_FOUND, e.getMessage(), e);
        }
        catch (IllegalArgumentException | UnsupportedOperationException | IllegalStateException e) {
            throw new TrinoException(NOT_SUPPORTED, "Cannot alter table %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot alter table %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
        tables.forget(handle);
    }

    /** The writer knows nothing of these statements: rows in its memory would outlive the one and be stranded by the other. */
    private static void checkNotRealtime(String statement, PaimonTableHandle handle, FileStoreTable table)
    {
        if (PaimonTableProperties.isRealtime(table.options())) {
            throw new TrinoException(NOT_SUPPORTED,
                    "%s of real-time table %s is not supported: ALTER TABLE %s SET PROPERTIES realtime = false commits its rows, then repeat the statement"
                            .formatted(statement, handle.name(), handle.name()));
        }
    }

    void truncateTable(ConnectorSession session, PaimonTableHandle handle)
    {
        FileStoreTable table = tables.writable(handle);
        checkNotRealtime("TRUNCATE", handle, table);
        try (TableCommitImpl commit = table.newCommit(commitUser(session))) {
            commit.truncateTable();
        }
        catch (Exception e) {
            throw new TrinoException(PAIMON_COMMIT_ERROR, "Cannot truncate %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
    }

    private static String commitUser(ConnectorSession session)
    {
        return "trino-" + session.getQueryId();
    }
}
