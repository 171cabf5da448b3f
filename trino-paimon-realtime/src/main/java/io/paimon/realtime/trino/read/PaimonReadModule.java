package io.paimon.realtime.trino.read;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Scopes;
import io.paimon.realtime.trino.file.DataFiles;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSourceProviderFactory;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitManager;
import io.trino.plugin.base.classloader.ForClassLoaderSafe;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;
import io.trino.spi.connector.ConnectorSplitManager;

/** The split manager and the page sources. */
public final class PaimonReadModule implements Module
{
    @Override
    public void configure(Binder binder)
    {
        binder.bind(DataFiles.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorSplitManager.class).annotatedWith(ForClassLoaderSafe.class).to(PaimonSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorSplitManager.class).to(ClassLoaderSafeConnectorSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSourceProviderFactory.class).annotatedWith(ForClassLoaderSafe.class).to(PaimonPageSourceProviderFactory.class)
                .in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSourceProviderFactory.class).to(ClassLoaderSafeConnectorPageSourceProviderFactory.class).in(Scopes.SINGLETON);
    }
}
