package io.paimon.realtime.trino;

import com.google.common.annotations.VisibleForTesting;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.inject.Inject;
import com.google.inject.Injector;
import io.airlift.bootstrap.LifeCycleManager;
import io.paimon.realtime.trino.definition.AnalyzeProperties;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.handle.PaimonTableExecuteHandle;
import io.paimon.realtime.trino.handle.PaimonTransactionHandle;
import io.paimon.realtime.trino.metadata.PaimonTransactionManager;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorCapabilities;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableProcedureExecutionMode;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.transaction.IsolationLevel;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.Sets.immutableEnumSet;
import static io.trino.spi.connector.ConnectorCapabilities.NOT_NULL_COLUMN_CONSTRAINT;
import static io.trino.spi.transaction.IsolationLevel.REPEATABLE_READ;
import static io.trino.spi.transaction.IsolationLevel.checkConnectorSupports;
import static java.util.Objects.requireNonNull;

public class PaimonConnector implements Connector
{
    private final Injector injector;
    private final LifeCycleManager lifeCycleManager;
    private final PaimonTransactionManager transactionManager;
    private final ConnectorSplitManager splitManager;
    private final ConnectorPageSourceProviderFactory pageSourceProviderFactory;
    private final ConnectorPageSinkProvider pageSinkProvider;
    private final ConnectorNodePartitioningProvider nodePartitioningProvider;
    private final Optional<ConnectorAccessControl> accessControl;
    private final List<PropertyMetadata<?>> sessionProperties;
    private final List<PropertyMetadata<?>> tableProperties;
    private final Set<Procedure> procedures;
    private final Set<SystemTable> systemTables;

    @Inject
    public PaimonConnector(
            Injector injector,
            LifeCycleManager lifeCycleManager,
            PaimonTransactionManager transactionManager,
            ConnectorSplitManager splitManager,
            ConnectorPageSourceProviderFactory pageSourceProviderFactory,
            ConnectorPageSinkProvider pageSinkProvider,
            ConnectorNodePartitioningProvider nodePartitioningProvider,
            Optional<ConnectorAccessControl> accessControl,
            Set<SessionPropertiesProvider> sessionProperties,
            PaimonTableProperties tableProperties,
            Set<Procedure> procedures,
            Set<SystemTable> systemTables)
    {
        this.injector = requireNonNull(injector, "injector is null");
        this.lifeCycleManager = requireNonNull(lifeCycleManager, "lifeCycleManager is null");
        this.transactionManager = requireNonNull(transactionManager, "transactionManager is null");
        this.splitManager = requireNonNull(splitManager, "splitManager is null");
        this.pageSourceProviderFactory = requireNonNull(pageSourceProviderFactory, "pageSourceProviderFactory is null");
        this.pageSinkProvider = requireNonNull(pageSinkProvider, "pageSinkProvider is null");
        this.nodePartitioningProvider = requireNonNull(nodePartitioningProvider, "nodePartitioningProvider is null");
        this.accessControl = requireNonNull(accessControl, "accessControl is null");
        this.sessionProperties = sessionProperties.stream()
                .flatMap(provider -> provider.getSessionProperties().stream())
                .collect(toImmutableList());
        this.tableProperties = ImmutableList.copyOf(tableProperties.getTableProperties());
        this.procedures = ImmutableSet.copyOf(procedures);
        this.systemTables = ImmutableSet.copyOf(systemTables);
    }

    /** What the connector is made of, for tests. */
    @VisibleForTesting
    Injector injector()
    {
        return injector;
    }

    @Override
    public ConnectorTransactionHandle beginTransaction(IsolationLevel isolationLevel, boolean readOnly, boolean autoCommit)
    {
        checkConnectorSupports(REPEATABLE_READ, isolationLevel);
        ConnectorTransactionHandle transaction = new PaimonTransactionHandle(UUID.randomUUID());
        transactionManager.begin(transaction);
        return transaction;
    }

    @Override
    public ConnectorMetadata getMetadata(ConnectorSession session, ConnectorTransactionHandle transaction)
    {
        return new ClassLoaderSafeConnectorMetadata(transactionManager.get(transaction), getClass().getClassLoader());
    }

    @Override
    public void commit(ConnectorTransactionHandle transaction)
    {
        transactionManager.commit(transaction);
    }

    @Override
    public void rollback(ConnectorTransactionHandle transaction)
    {
        transactionManager.rollback(transaction);
    }

    @Override
    public ConnectorSplitManager getSplitManager()
    {
        return splitManager;
    }

    @Override
    public ConnectorPageSourceProviderFactory getPageSourceProviderFactory()
    {
        return pageSourceProviderFactory;
    }

    @Override
    public ConnectorPageSinkProvider getPageSinkProvider()
    {
        return pageSinkProvider;
    }

    @Override
    public ConnectorNodePartitioningProvider getNodePartitioningProvider()
    {
        return nodePartitioningProvider;
    }

    @Override
    public ConnectorAccessControl getAccessControl()
    {
        return accessControl.orElseThrow(UnsupportedOperationException::new);
    }

    @Override
    public Set<Procedure> getProcedures()
    {
        return procedures;
    }

    @Override
    public Set<TableProcedureMetadata> getTableProcedures()
    {
        return ImmutableSet
                .of(new TableProcedureMetadata(PaimonTableExecuteHandle.FLUSH, TableProcedureExecutionMode.coordinatorOnly(), ImmutableList.of()));
    }

    @Override
    public Set<SystemTable> getSystemTables()
    {
        return systemTables;
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties()
    {
        return sessionProperties;
    }

    @Override
    public List<PropertyMetadata<?>> getTableProperties()
    {
        return tableProperties;
    }

    @Override
    public List<PropertyMetadata<?>> getAnalyzeProperties()
    {
        return AnalyzeProperties.all();
    }

    @Override
    public Set<ConnectorCapabilities> getCapabilities()
    {
        return immutableEnumSet(NOT_NULL_COLUMN_CONSTRAINT);
    }

    @Override
    public void shutdown()
    {
        lifeCycleManager.stop();
    }
}
