package io.paimon.realtime.trino.catalog;

import com.google.inject.Binder;
import com.google.inject.Scopes;
import io.airlift.configuration.AbstractConfigurationAwareModule;
import io.paimon.realtime.trino.config.PaimonConfig;
import io.paimon.realtime.trino.filesystem.PaimonFileIOLoader;
import io.paimon.realtime.trino.filesystem.PaimonFileSystems;
import io.paimon.realtime.trino.filesystem.PaimonSpillSpace;
import io.trino.filesystem.local.LocalFileSystemConfig;
import io.trino.filesystem.manager.FileSystemModule;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorContext;
import org.apache.paimon.fs.FileIOLoader;

import static com.google.inject.multibindings.OptionalBinder.newOptionalBinder;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static io.trino.spi.StandardErrorCode.CONFIGURATION_INVALID;
import static java.util.Objects.requireNonNull;

/** The Paimon catalog of the configured type on Trino's file systems. Properties of other types than the configured one are refused. */
public final class PaimonCatalogModule extends AbstractConfigurationAwareModule
{
    private final String catalogName;
    private final ConnectorContext context;

    public PaimonCatalogModule(String catalogName, ConnectorContext context)
    {
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    protected void setup(Binder binder)
    {
        install(new FileSystemModule(catalogName, context, false));
        newOptionalBinder(binder, LocalFileSystemConfig.class);
        binder.bind(PaimonFileSystems.class).in(Scopes.SINGLETON);
        binder.bind(FileIOLoader.class).to(PaimonFileIOLoader.class).in(Scopes.SINGLETON);
        binder.bind(PaimonSpillSpace.class).in(Scopes.SINGLETON);
        binder.bind(PaimonCatalogFactory.class).in(Scopes.SINGLETON);
        binder.bind(PaimonCatalog.class).asEagerSingleton();

        switch (buildConfigObject(PaimonConfig.class).getCatalogType()) {
            case FILESYSTEM -> binder.bind(MetastoreConfig.class).toInstance(new FileSystemMetastoreConfig());
            case HIVE -> bindMetastore(binder, HiveMetastoreConfig.class);
            case JDBC -> {
                bindMetastore(binder, JdbcMetastoreConfig.class);
                registerDriver(buildConfigObject(JdbcMetastoreConfig.class).getDriverClass());
            }
            case REST -> bindMetastore(binder, RestMetastoreConfig.class);
        }
    }

    private static void bindMetastore(Binder binder, Class<? extends MetastoreConfig> config)
    {
        configBinder(binder).bindConfig(config);
        binder.bind(MetastoreConfig.class).to(config);
    }

    /** The driver manager does not look into the folders of plugins by itself. */
    private static void registerDriver(String driverClass)
    {
        try {
            Class.forName(driverClass, true, PaimonCatalogModule.class.getClassLoader());
        }
        catch (ClassNotFoundException | LinkageError e) {
            throw new TrinoException(CONFIGURATION_INVALID,
                    "paimon.jdbc-catalog.driver-class=%s cannot be loaded: put the jar of the JDBC driver into the folder of the plugin"
                            .formatted(driverClass),
                    e);
        }
    }
}
