package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.ThreadSafe;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.definition.TableDefinitions;
import io.paimon.realtime.trino.definition.TableDescriptions;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.HiddenColumn;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableExecuteHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.paimon.realtime.trino.writer.RealtimeBucketsTable;
import io.paimon.realtime.trino.writer.RealtimeQueries;
import io.paimon.realtime.trino.writer.RealtimeWriter;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorAnalyzeMetadata;
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
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.Type;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.connector.SaveMode.IGNORE;
import static io.trino.spi.connector.SaveMode.REPLACE;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Metadata of one transaction. What it has found of a table stays: all scans of a query see one snapshot.
 *
 * <p>What statements do is told elsewhere: {@link DefinitionStatements}, {@link WriteStatements}, {@link PushDown}.
 */
@ThreadSafe
class PaimonMetadata implements ConnectorMetadata
{
    private static final Logger log = Logger.get(PaimonMetadata.class);

    private final PaimonCatalog catalog;
    private final TransactionTables tables;
    private final RealtimeWriter writer;
    private final boolean realtimeEnabled;
    private final DefinitionStatements definitions;
    private final WriteStatements writes;
    private final PushDown pushDown;
    private final TableEstimates estimates;

    PaimonMetadata(PaimonCatalog catalog, RealtimeWriter writer, RealtimeQueries queries, boolean realtimeEnabled)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.writer = requireNonNull(writer, "writer is null");
        this.tables = new TransactionTables(catalog, queries, realtimeEnabled);
        this.realtimeEnabled = realtimeEnabled;
        this.definitions = new DefinitionStatements(catalog, tables, writer);
        this.writes = new WriteStatements(catalog, definitions, tables, writer, realtimeEnabled);
        this.pushDown = new PushDown(tables);
        this.estimates = new TableEstimates(catalog);
    }

    /** Takes back what the transaction has created. */
    void rollback()
    {
        writes.rollback();
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
        definitions.createSchema(schemaName);
    }

    @Override
    public void dropSchema(ConnectorSession session, String schemaName, boolean cascade)
    {
        definitions.dropSchema(schemaName, cascade);
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
                ImmutableList.<ColumnMetadata>builder()
                        .addAll(TableDescriptions.columnsMetadata(handle.name(), table))
                        .addAll(TableDescriptions.hiddenColumns(table).stream().map(HiddenColumn::metadata).iterator())
                        .build(),
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
        TableDescriptions.hiddenColumns(tables.table(handle)).forEach(column -> columns.put(column.handle().name(), column.handle()));
        return columns.buildOrThrow();
    }

    @Override
    public ColumnMetadata getColumnMetadata(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle columnHandle)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        PaimonColumnHandle column = (PaimonColumnHandle) columnHandle;
        Optional<HiddenColumn> hidden = HiddenColumn.of(column);
        return hidden.isPresent()
                ? hidden.get().metadata()
                : TableDescriptions.columnMetadata(tables.table(handle).rowType().getField(column.name()), column.type());
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
        return PaimonSessionProperties.isStatisticsEnabled(session) ? estimates.statistics(handle) : TableStatistics.empty();
    }

    @Override
    public ConnectorAnalyzeMetadata getStatisticsCollectionMetadata(ConnectorSession session, ConnectorTableHandle tableHandle,
            Map<String, Object> analyzeProperties)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        return estimates.analyze(handle, tables.writable(handle), analyzeProperties);
    }

    @Override
    public ConnectorTableHandle beginStatisticsCollection(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        return tableHandle;
    }

    @Override
    public void finishStatisticsCollection(ConnectorSession session, ConnectorTableHandle tableHandle,
            Collection<ComputedStatistics> computedStatistics)
    {
        PaimonTableHandle handle = (PaimonTableHandle) tableHandle;
        estimates.finishAnalyze(session, handle, tables.writable(handle), computedStatistics);
        tables.forget(handle);
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
        definitions.createTable(tableMetadata, saveMode == IGNORE);
    }

    @Override
    public void dropTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        definitions.dropTable((PaimonTableHandle) tableHandle);
    }

    @Override
    public void renameTable(ConnectorSession session, ConnectorTableHandle tableHandle, SchemaTableName newName)
    {
        definitions.renameTable((PaimonTableHandle) tableHandle, newName);
    }

    @Override
    public void setTableProperties(ConnectorSession session, ConnectorTableHandle tableHandle, Map<String, Optional<Object>> properties)
    {
        definitions.setTableProperties((PaimonTableHandle) tableHandle, properties);
    }

    @Override
    public void setTableComment(ConnectorSession session, ConnectorTableHandle tableHandle, Optional<String> comment)
    {
        definitions.setTableComment((PaimonTableHandle) tableHandle, comment);
    }

    @Override
    public void setColumnComment(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Optional<String> comment)
    {
        definitions.setColumnComment((PaimonTableHandle) tableHandle, (PaimonColumnHandle) column, comment);
    }

    @Override
    public void addColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnMetadata column, ColumnPosition position)
    {
        definitions.addColumn((PaimonTableHandle) tableHandle, column, position);
    }

    @Override
    public void dropColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        definitions.dropColumn((PaimonTableHandle) tableHandle, (PaimonColumnHandle) column);
    }

    @Override
    public void renameColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle source, String target)
    {
        definitions.renameColumn((PaimonTableHandle) tableHandle, (PaimonColumnHandle) source, target);
    }

    @Override
    public void setColumnType(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Type type)
    {
        definitions.setColumnType((PaimonTableHandle) tableHandle, (PaimonColumnHandle) column, type);
    }

    @Override
    public void dropNotNullConstraint(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        definitions.dropNotNullConstraint((PaimonTableHandle) tableHandle, (PaimonColumnHandle) column);
    }

    @Override
    public void addField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> parentPath, String fieldName, Type type,
            boolean ignoreExisting)
    {
        definitions.addField((PaimonTableHandle) tableHandle, parentPath, fieldName, type, ignoreExisting);
    }

    @Override
    public void dropField(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, List<String> fieldPath)
    {
        definitions.dropField((PaimonTableHandle) tableHandle, (PaimonColumnHandle) column, fieldPath);
    }

    @Override
    public void renameField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, String target)
    {
        definitions.renameField((PaimonTableHandle) tableHandle, fieldPath, target);
    }

    @Override
    public void setFieldType(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, Type type)
    {
        definitions.setFieldType((PaimonTableHandle) tableHandle, fieldPath, type);
    }

    @Override
    public void truncateTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        definitions.truncateTable(session, (PaimonTableHandle) tableHandle);
    }

    // writing

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
            Optional<ConnectorTableLayout> layout, RetryMode retryMode, boolean replace)
    {
        return writes.beginCreateTable(session, tableMetadata, retryMode, replace);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishCreateTable(ConnectorSession session, ConnectorOutputTableHandle tableHandle,
            Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        writes.finishCreateTable((PaimonWriteHandle) tableHandle, fragments);
        return Optional.empty();
    }

    @Override
    public ConnectorInsertTableHandle beginInsert(ConnectorSession session, ConnectorTableHandle tableHandle, List<ColumnHandle> columns,
            RetryMode retryMode)
    {
        return writes.beginInsert(session, (PaimonTableHandle) tableHandle,
                columns.stream().map(PaimonColumnHandle.class::cast).collect(toImmutableList()), retryMode);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(ConnectorSession session, ConnectorInsertTableHandle insertHandle,
            List<ConnectorTableHandle> sourceTableHandles, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        writes.finishInsert(session, (PaimonWriteHandle) insertHandle, fragments);
        return Optional.empty();
    }

    // push-down

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(ConnectorSession session, ConnectorTableHandle tableHandle,
            Constraint constraint)
    {
        return pushDown.applyFilter((PaimonTableHandle) tableHandle, constraint);
    }

    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(ConnectorSession session, ConnectorTableHandle tableHandle, long limit)
    {
        return pushDown.applyLimit((PaimonTableHandle) tableHandle, limit);
    }

    @Override
    public Optional<ProjectionApplicationResult<ConnectorTableHandle>> applyProjection(ConnectorSession session, ConnectorTableHandle tableHandle,
            List<ConnectorExpression> projections, Map<String, ColumnHandle> assignments)
    {
        if (!PaimonSessionProperties.isProjectionPushdownEnabled(session)) {
            return Optional.empty();
        }
        return PushDown.applyProjection((PaimonTableHandle) tableHandle, projections, assignments);
    }
}
