package io.paimon.realtime.trino;

import com.google.common.collect.ImmutableMap;
import com.google.inject.CreationException;
import com.google.inject.Injector;
import com.google.inject.spi.Message;
import io.airlift.bootstrap.Bootstrap;
import io.airlift.json.JsonModule;
import io.paimon.realtime.trino.catalog.PaimonCatalogModule;
import io.paimon.realtime.trino.config.PaimonCatalogOptions;
import io.trino.plugin.base.ConnectorContextModule;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;

import java.util.Map;

import static io.trino.plugin.base.Versions.checkStrictSpiVersionMatch;
import static java.util.Objects.requireNonNull;

public class PaimonConnectorFactory implements ConnectorFactory
{
    @Override
    public String getName()
    {
        return "paimon";
    }

    @Override
    public Connector create(String catalogName, Map<String, String> config, ConnectorContext context)
    {
        requireNonNull(config, "config is null");
        checkStrictSpiVersionMatch(context, this);

        ClassLoader classLoader = getClass().getClassLoader();
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            ImmutableMap.Builder<String, String> properties = ImmutableMap.builder();
            config.forEach((name, value) -> {
                if (!name.startsWith(PaimonCatalogOptions.PREFIX)) {
                    properties.put(name, value);
                }
            });
            Bootstrap app = new Bootstrap(
                    "io.trino.bootstrap.catalog." + catalogName,
                    new JsonModule(),
                    new ConnectorContextModule(catalogName, context),
                    new PaimonSecurityModule(),
                    new PaimonCatalogModule(catalogName, context),
                    new PaimonModule(),
                    binder -> {
                        binder.bind(ClassLoader.class).toInstance(classLoader);
                        binder.bind(ConnectorContext.class).toInstance(context);
                        binder.bind(PaimonCatalogOptions.class).toInstance(PaimonCatalogOptions.fromProperties(config));
                    });

            // PaimonCatalog is an eager singleton: Hadoop's classes, if Paimon uses them, keep the class loader they meet first
            Injector injector = app
                    .doNotInitializeLogging()
                    .disableSystemProperties()
                    .setRequiredConfigurationProperties(properties.buildOrThrow())
                    .initialize();
            return injector.getInstance(PaimonConnector.class);
        }
        catch (CreationException e) {
            // Guice tells what is wrong once for every class that needs the catalog
            throw e.getErrorMessages().stream()
                    .map(Message::getCause)
                    .filter(TrinoException.class::isInstance)
                    .map(TrinoException.class::cast)
                    .findFirst()
                    .orElseThrow(() -> e);
        }
    }
}
