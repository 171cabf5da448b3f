package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.errorprone.annotations.ThreadSafe;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.WriterStatus;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.InsertExistingPartitionsBehavior;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.config.ReadMode;
import io.paimon.realtime.trino.config.WriteMode;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.definition.SchemaChanges;
import io.paimon.realtime.trino.definition.TableDefinitions;
import io.paimon.realtime.trino.definition.TableDescriptions;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableExecuteHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle.RealtimeTarget;
import io.paimon.realtime.trino.handle.RealtimeTicket;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.paimon.realtime.trino.writer.RealtimeBucketsTable;
import io.paimon.realtime.trino.writer.RealtimeQueries;
import io.paimon.realtime.trino.writer.RealtimeWriter;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.Type;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.TableCommitImpl;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_CATALOG_ERROR;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_COMMIT_ERROR;
import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.SCHEMA_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.SCHEMA_NOT_EMPTY;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static io.trino.spi.connector.SaveMode.IGNORE;
import static io.trino.spi.connector.SaveMode.REPLACE;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Metadata of one transaction. What it has found of a table stays: all scans of a query see one snapshot.
 *
 * <p>What statements mean for Paimon is worked out elsewhere: {@link TableDefinitions}, {@link SchemaChanges}, {@link PaimonWrites}, {@link PaimonPredicates}.
 */
@ThreadSafe
class PaimonMetadata implements ConnectorMetadata
{
    private static final Logger log = Logger.get(PaimonMetadata.class);

    private final PaimonCatalog catalog;
    private final TransactionTables tables;
    private final RealtimeWriter writer;
    private final boolean realtimeEnabled;
    private final AtomicReference<Runnable> rollbackAction = new AtomicReference<>();

    PaimonMetadata(PaimonCatalog catalog, RealtimeWriter writer, RealtimeQueries queries, boolean realtimeEnabled)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.writer = requireNonNull(writer, "writer is null");
        this.tables = new TransactionTables(catalog, queries, realtimeEnabled);
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

    // schemas

    @Override
    public List<String> listSchemaNames(ConnectorSession session)
    {
        return catalog.listDatabases().stream().map(name -> name.toLowerCase(ENGLISH)).distinct().collect(toImmutableList());
    }

    @Override
    public void createSchema(ConnectorSession session, String schemaName, Map<String, Object> properties, TrinoPrincipal owner)
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

    @Override
    public void dropSchema(ConnectorSession session, String schemaName, boolean cascade)
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

    // tables

    @Override
    public List<SchemaTableName> listTables(ConnectorSession session, Optional<String> schemaName)
    {
        List<String> databases = schemaName.isPresent() ? catalog.findDatabase(schemaName.get()).stream().toList() : catalog.listDatabases();
        return databases.stream()
                .flatMap(database -> catalog.listTables(database).stream().map(table -> new SchemaTableName(database, table)))
                .distinct()
                .collect(toImmutableList());
    }

    @Override
    public PaimonTableHandle getTableHandle(ConnectorSession session, SchemaTableName name, Optional<ConnectorTableVersion> startVersion,
            Optional<ConnectorTableVersion> endVersion)
    {
        if (startVersion.isPresent()) {
            throw new TrinoException(NOT_SUPPORTED, "Reading the changes between two versions is not supported: use FOR VERSION AS OF");
        }
        return tables.find(session, name, endVersion).orElse(null);
    }

    @Override
    public Optional<SystemTable> getSystemTable(ConnectorSession session, SchemaTableName tableName)
    {
        String name = tableName.getTableName();
        if (!realtimeEnabled || !name.endsWith(RealtimeBucketsTable.SUFFIX) || name.length() == RealtimeBucketsTable.SUFFIX.length()) {
            return Optional.empty();
        }
        SchemaTableName data = new SchemaTableName(tableName.getSchemaName(),
                name.substring(0, name.length() - RealtimeBucketsTable.SUFFIX.length()));
        return catalog.findTable(data).map(identifier -> new RealtimeBucketsTable(tableName, identifier, writer));
    }

    @Override
    public Optional<ConnectorTableExecuteHandle> getTableHandleForExecute(ConnectorSession session, ConnectorAccessControl accessControl,
            ConnectorTableHandle tableHandle, String procedureName, Map<String, Object> executeProperties, RetryMode retryMode)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        if (!PaimonTableProperties.isRealtime(tables.table(handle).options())) {
            throw new TrinoException(NOT_SUPPORTED, "%s is not a real-time table: there is nothing to flush".formatted(handle.name()));
        }
        return Optional.of(new PaimonTableExecuteHandle(handle.database(), handle.table()));
    }

    @Override
    public Map<String, Long> executeTableExecute(ConnectorSession session, ConnectorTableExecuteHandle tableExecuteHandle)
    {
        try {
            writer.service().flush(Optional.of(((PaimonTableExecuteHandle) tableExecuteHandle).identifier()));
            return ImmutableMap.of();
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }

    @Override
    public void cleanupQuery(ConnectorSession session)
    {
        tables.endQuery(session);
    }

    @Override
    public ConnectorTableMetadata getTableMetadata(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        Table table = tables.table(handle);
        return new ConnectorTableMetadata(
                handle.name(),
                TableDescriptions.columnsMetadata(handle.name(), table),
                table instanceof FileStoreTable fileStoreTable ? TableDescriptions.properties(fileStoreTable) : ImmutableMap.of(),
                table.comment());
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        ImmutableMap.Builder<String, ColumnHandle> columns = ImmutableMap.builder();
        TableDescriptions.columns(handle.name(), tables.table(handle)).forEach((field, type) -> {
            PaimonColumnHandle column = new PaimonColumnHandle(field.name(), field.id(), type);
            columns.put(column.trinoName(), column);
        });
        return columns.buildOrThrow();
    }

    @Override
    public ColumnMetadata getColumnMetadata(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle columnHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        PaimonColumnHandle column = (PaimonColumnHandle) columnHandle;
        return TableDescriptions.columnMetadata(tables.table(handle).rowType().getField(column.name()), column.type());
    }

    @Override
    public Iterator<RelationColumnsMetadata> streamRelationColumns(ConnectorSession session, Optional<String> schemaName,
            UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        return relationFilter.apply(new LinkedHashSet<>(listTables(session, schemaName))).stream()
                .flatMap(name -> relationColumns(name).stream())
                .iterator();
    }

    private Optional<RelationColumnsMetadata> relationColumns(SchemaTableName name)
    {
        try {
            // no handle: to list columns needs no view of the rows
            return catalog.findTable(name).flatMap(catalog::load)
                    .map(table -> RelationColumnsMetadata.forTable(name, TableDescriptions.columnsMetadata(name, table)));
        }
        catch (RuntimeException e) {
            // the others are to be listed even so; whoever asks for this table by name gets the error
            log.debug(e, "Columns of %s are not listed", name);
            return Optional.empty();
        }
    }

    @Override
    public TableStatistics getTableStatistics(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        if (!PaimonSessionProperties.isStatisticsEnabled(session) || handle.kind() != PaimonTableHandle.Kind.DATA || !handle.enforced().isAll()) {
            return TableStatistics.empty();
        }
        if (handle.readMode() == ReadMode.UNION && handle.realtime().isEmpty()) {
            return TableStatistics.empty();
        }
        long memoryRows = handle.realtime().map(RealtimeTicket::rows).orElse(0L);
        if (handle.snapshotId().isEmpty()) {
            return TableStatistics.builder().setRowCount(Estimate.of(memoryRows)).build();
        }
        try {
            Snapshot snapshot = ((FileStoreTable) tables.table(handle)).snapshotManager().snapshot(handle.snapshotId().getAsLong());
            return TableStatistics.builder().setRowCount(Estimate.of(snapshot.totalRecordCount() + memoryRows)).build();
        }
        catch (RuntimeException e) {
            // a query must not fail for want of an estimate
            log.debug(e, "No statistics of %s", handle.name());
            return TableStatistics.empty();
        }
    }

    // definition

    @Override
    public Optional<Type> getSupportedType(ConnectorSession session, Map<String, Object> tableProperties, Type type)
    {
        return type instanceof TimeType time && time.getPrecision() < PaimonTypes.MAX_TIME_PRECISION ? Optional.of(TIME_MILLIS) : Optional.empty();
    }

    @Override
    public void createTable(ConnectorSession session, ConnectorTableMetadata tableMetadata, SaveMode saveMode)
    {
        if (saveMode == REPLACE) {
            throw new TrinoException(NOT_SUPPORTED, "This connector does not support replacing tables");
        }
        createTable(tableMetadata, saveMode == IGNORE);
    }

    private Identifier createTable(ConnectorTableMetadata tableMetadata, boolean ignoreExisting)
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

    @Override
    public void dropTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
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

    @Override
    public void renameTable(ConnectorSession session, ConnectorTableHandle tableHandle, SchemaTableName newName)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
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

    @Override
    public void setTableProperties(ConnectorSession session, ConnectorTableHandle tableHandle, Map<String, Optional<Object>> properties)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
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

    @Override
    public void setTableComment(ConnectorSession session, ConnectorTableHandle tableHandle, Optional<String> comment)
    {
        alter((PaimonTableHandle) tableHandle, ImmutableList.of(SchemaChange.updateComment(comment.orElse(null))));
    }

    @Override
    public void setColumnComment(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Optional<String> comment)
    {
        alter((PaimonTableHandle) tableHandle,
                ImmutableList.of(SchemaChange.updateColumnComment(((PaimonColumnHandle) column).name(), comment.orElse(null))));
    }

    @Override
    public void addColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnMetadata column, ColumnPosition position)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        alter(handle, SchemaChanges.addColumn(tables.writable(handle), column, position));
    }

    @Override
    public void dropColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        alter((PaimonTableHandle) tableHandle, ImmutableList.of(SchemaChange.dropColumn(((PaimonColumnHandle) column).name())));
    }

    @Override
    public void renameColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle source, String target)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        alter(handle, SchemaChanges.renameColumn(tables.writable(handle), ((PaimonColumnHandle) source).name(), target));
    }

    @Override
    public void setColumnType(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Type type)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        alter(handle, SchemaChanges.changeType(tables.writable(handle), ImmutableList.of(((PaimonColumnHandle) column).name()), type));
    }

    @Override
    public void dropNotNullConstraint(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        alter((PaimonTableHandle) tableHandle, ImmutableList.of(SchemaChange.updateColumnNullability(((PaimonColumnHandle) column).name(), true)));
    }

    @Override
    public void addField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> parentPath, String fieldName, Type type,
            boolean ignoreExisting)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        List<SchemaChange> changes = SchemaChanges.addField(tables.writable(handle), parentPath, fieldName, type, ignoreExisting);
        if (!changes.isEmpty()) {
            alter(handle, changes);
        }
    }

    @Override
    public void dropField(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, List<String> fieldPath)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        List<String> path = ImmutableList.<String>builder().add(((PaimonColumnHandle) column).name()).addAll(fieldPath).build();
        alter(handle, SchemaChanges.dropField(tables.writable(handle), path));
    }

    @Override
    public void renameField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, String target)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        alter(handle, SchemaChanges.renameField(tables.writable(handle), fieldPath, target));
    }

    @Override
    public void setFieldType(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, Type type)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
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

    // writing

    /** The writer knows nothing of these statements: rows in its memory would outlive the one and be stranded by the other. */
    private static void checkNotRealtime(String statement, PaimonTableHandle handle, FileStoreTable table)
    {
        if (PaimonTableProperties.isRealtime(table.options())) {
            throw new TrinoException(NOT_SUPPORTED,
                    "%s of real-time table %s is not supported: ALTER TABLE %s SET PROPERTIES realtime = false commits its rows, then repeat the statement"
                            .formatted(statement, handle.name(), handle.name()));
        }
    }

    @Override
    public void truncateTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
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

    @Override
    public Optional<ConnectorTableLayout> getNewTableLayout(ConnectorSession session, ConnectorTableMetadata tableMetadata)
    {
        return PaimonWrites.layout(TableSchema.create(0, TableDefinitions.schema(tableMetadata)));
    }

    @Override
    public Optional<ConnectorTableLayout> getInsertLayout(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        return PaimonWrites.layout(tables.writable((PaimonTableHandle) tableHandle).schema());
    }

    @Override
    public ConnectorOutputTableHandle beginCreateTable(ConnectorSession session, ConnectorTableMetadata tableMetadata,
            Optional<ConnectorTableLayout> layout,
            RetryMode retryMode, boolean replace)
    {
        PaimonWrites.checkRetryMode(retryMode);
        if (replace) {
            throw new TrinoException(NOT_SUPPORTED, "This connector does not support replacing tables");
        }
        SchemaTableName name = tableMetadata.getTable();
        Identifier identifier = createTable(tableMetadata, false);
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

    @Override
    public Optional<ConnectorOutputMetadata> finishCreateTable(ConnectorSession session, ConnectorOutputTableHandle tableHandle,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics)
    {
        PaimonWriteHandle handle = (PaimonWriteHandle) tableHandle;
        PaimonWrites.commit(handle, load(handle), fragments, InsertExistingPartitionsBehavior.APPEND);
        return Optional.empty();
    }

    @Override
    public ConnectorInsertTableHandle beginInsert(ConnectorSession session, ConnectorTableHandle tableHandle, List<ColumnHandle> columns,
            RetryMode retryMode)
    {
        PaimonWrites.checkRetryMode(retryMode);
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
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
        return PaimonWrites.writeHandle(session, handle.name(), handle.identifier(), table,
                columns.stream().map(PaimonColumnHandle.class::cast).collect(toImmutableList()), realtime);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(ConnectorSession session, ConnectorInsertTableHandle insertHandle,
            List<ConnectorTableHandle> sourceTableHandles, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        PaimonWriteHandle handle = (PaimonWriteHandle) insertHandle;
        if (handle.realtime().isPresent()) {
            Set<String> parts = fragments.stream().map(Slice::toStringUtf8).collect(toImmutableSet());
            try {
                writer.service().publish(handle.identifier(), handle.realtime().get().statement(), parts);
            }
            catch (RealtimeException e) {
                throw PaimonErrorCode.toTrinoException(e);
            }
            return Optional.empty();
        }
        PaimonWrites.commit(handle, load(handle), fragments, PaimonSessionProperties.getInsertExistingPartitionsBehavior(session));
        return Optional.empty();
    }

    private FileStoreTable load(PaimonWriteHandle handle)
    {
        return (FileStoreTable) catalog.load(handle.identifier()).orElseThrow(() -> new TableNotFoundException(handle.name()));
    }

    // push-down

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(ConnectorSession session, ConnectorTableHandle tableHandle,
            Constraint constraint)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        if (handle.kind() != PaimonTableHandle.Kind.DATA) {
            return Optional.empty();
        }
        TupleDomain<PaimonColumnHandle> summary = constraint.getSummary().transformKeys(PaimonColumnHandle.class::cast);
        Set<String> partitionKeys = ImmutableSet.copyOf(tables.table(handle).partitionKeys());
        TupleDomain<PaimonColumnHandle> exact = summary.filter((column, _) -> partitionKeys.contains(column.name()));
        TupleDomain<PaimonColumnHandle> remaining = summary.filter((column, _) -> !partitionKeys.contains(column.name()));
        TupleDomain<PaimonColumnHandle> enforced = handle.enforced().intersect(exact);
        TupleDomain<PaimonColumnHandle> unenforced = handle.unenforced().intersect(simplify(remaining));
        if (Objects.equals(enforced, handle.enforced()) && Objects.equals(unenforced, handle.unenforced())) {
            return Optional.empty();
        }
        return Optional.of(new ConstraintApplicationResult<>(
                handle.withFilter(enforced, unenforced),
                remaining.transformKeys(ColumnHandle.class::cast),
                constraint.getExpression(),
                false));
    }

    /** Long lists of values are not worth carrying to every worker. */
    private static TupleDomain<PaimonColumnHandle> simplify(TupleDomain<PaimonColumnHandle> filter)
    {
        if (filter.isNone()) {
            return filter;
        }
        Map<PaimonColumnHandle, Domain> domains = filter.getDomains().orElseThrow();
        return TupleDomain.withColumnDomains(domains.entrySet().stream()
                .collect(toImmutableMap(Map.Entry::getKey, entry -> entry.getValue().simplify(PaimonPredicates.MAX_VALUES))));
    }

    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(ConnectorSession session, ConnectorTableHandle tableHandle, long limit)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        if (handle.limit().isPresent() && handle.limit().getAsLong() <= limit) {
            return Optional.empty();
        }
        // every split may give as many rows, so that the engine still counts
        return Optional.of(new LimitApplicationResult<>(handle.withLimit(limit), false, false));
    }
}
