package io.paimon.realtime.trino;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Scopes;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSinkProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSourceProviderFactory;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitManager;
import io.trino.plugin.base.classloader.ClassLoaderSafeNodePartitioningProvider;
import io.trino.plugin.base.classloader.ForClassLoaderSafe;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.procedure.Procedure;

import static com.google.inject.multibindings.Multibinder.newSetBinder;
import static io.airlift.configuration.ConfigBinder.configBinder;

public class PaimonModule implements Module
{
    @Override
    public void configure(Binder binder)
    {
        configBinder(binder).bindConfig(PaimonConfig.class);
        configBinder(binder).bindConfig(RealtimeConfig.class);

        binder.bind(RealtimeWriter.class).asEagerSingleton();
        binder.bind(RealtimeQueries.class).in(Scopes.SINGLETON);
        binder.bind(RealtimeCarrier.class).in(Scopes.SINGLETON);
        binder.bind(PaimonCatalog.class).asEagerSingleton();
        binder.bind(PaimonSpillSpace.class).in(Scopes.SINGLETON);

        binder.bind(PaimonMetadataFactory.class).in(Scopes.SINGLETON);
        binder.bind(PaimonTransactionManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorSplitManager.class).annotatedWith(ForClassLoaderSafe.class).to(PaimonSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorSplitManager.class).to(ClassLoaderSafeConnectorSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSourceProviderFactory.class).annotatedWith(ForClassLoaderSafe.class).to(PaimonPageSourceProviderFactory.class)
                .in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSourceProviderFactory.class).to(ClassLoaderSafeConnectorPageSourceProviderFactory.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSinkProvider.class).annotatedWith(ForClassLoaderSafe.class).to(PaimonPageSinkProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSinkProvider.class).to(ClassLoaderSafeConnectorPageSinkProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorNodePartitioningProvider.class).annotatedWith(ForClassLoaderSafe.class).to(PaimonNodePartitioningProvider.class)
                .in(Scopes.SINGLETON);
        binder.bind(ConnectorNodePartitioningProvider.class).to(ClassLoaderSafeNodePartitioningProvider.class).in(Scopes.SINGLETON);

        newSetBinder(binder, SessionPropertiesProvider.class).addBinding().to(PaimonSessionProperties.class).in(Scopes.SINGLETON);
        binder.bind(PaimonTableProperties.class).in(Scopes.SINGLETON);
        newSetBinder(binder, Procedure.class).addBinding().toProvider(FlushProcedure.class).in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class).addBinding().to(RealtimeWritersTable.class).in(Scopes.SINGLETON);
        binder.bind(PaimonConnector.class).in(Scopes.SINGLETON);
    }
}
