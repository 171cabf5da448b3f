package io.paimon.realtime.trino.catalog;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.paimon.realtime.trino.config.PaimonCatalogOptions;
import io.paimon.realtime.trino.config.PaimonConfig;
import io.trino.filesystem.local.LocalFileSystemConfig;
import io.trino.filesystem.manager.FileSystemConfig;
import io.trino.spi.TrinoException;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.options.Options;
import org.apache.paimon.rest.RESTTokenFileIO;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_CATALOG_ERROR;
import static io.trino.spi.StandardErrorCode.CONFIGURATION_INVALID;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/** The one place where a Paimon catalog is made, and with it the choice of the FileIO that all tables use. */
final class PaimonCatalogFactory
{
    /** Options of the Paimon catalog that follow from properties of their own, whatever the type. */
    private static final Map<String, String> PROPERTY_OF_OPTION = ImmutableMap.of(
            CatalogOptions.METASTORE.key(), "paimon.catalog.type",
            CatalogOptions.WAREHOUSE.key(), "paimon.warehouse",
            CatalogOptions.CACHE_ENABLED.key(), "paimon.metadata.cache-ttl",
            CatalogOptions.CACHE_EXPIRE_AFTER_WRITE.key(), "paimon.metadata.cache-ttl",
            CatalogOptions.CACHE_EXPIRE_AFTER_ACCESS.key(), "paimon.metadata.cache-ttl");

    private final PaimonConfig config;
    private final MetastoreConfig metastore;
    private final FileSystemConfig fileSystemConfig;
    private final Optional<LocalFileSystemConfig> localFileSystemConfig;
    private final PaimonCatalogOptions catalogOptions;
    private final FileIOLoader fileIOLoader;

    @Inject
    PaimonCatalogFactory(PaimonConfig config, MetastoreConfig metastore, FileSystemConfig fileSystemConfig,
            Optional<LocalFileSystemConfig> localFileSystemConfig, PaimonCatalogOptions catalogOptions, FileIOLoader fileIOLoader)
    {
        this.config = requireNonNull(config, "config is null");
        this.metastore = requireNonNull(metastore, "metastore is null");
        this.fileSystemConfig = requireNonNull(fileSystemConfig, "fileSystemConfig is null");
        this.localFileSystemConfig = requireNonNull(localFileSystemConfig, "localFileSystemConfig is null");
        this.catalogOptions = requireNonNull(catalogOptions, "catalogOptions is null");
        this.fileIOLoader = requireNonNull(fileIOLoader, "fileIOLoader is null");
    }

    /**
     * A new catalog, closed by the caller.
     *
     * @throws TrinoException CONFIGURATION_INVALID naming the property that is wrong
     */
    public Catalog create()
    {
        PROPERTY_OF_OPTION.forEach((option, property) -> {
            if (catalogOptions.options().containsKey(option)) {
                throw new TrinoException(CONFIGURATION_INVALID,
                        "%s%s cannot be set: use %s".formatted(PaimonCatalogOptions.PREFIX, option, property));
            }
        });
        Options options = new Options();
        catalogOptions.options().forEach(options::set);
        metastore.paimonOptions().forEach((option, value) -> {
            if (catalogOptions.options().containsKey(option)) {
                throw new TrinoException(CONFIGURATION_INVALID,
                        "%s%s cannot be set: a property of catalog type %s says it already".formatted(PaimonCatalogOptions.PREFIX, option, type()));
            }
            options.set(option, value);
        });
        options.set(CatalogOptions.WAREHOUSE, warehouse());
        long cacheMillis = config.getMetadataCacheTtl().toMillis();
        options.set(CatalogOptions.CACHE_ENABLED, cacheMillis > 0);
        if (cacheMillis > 0) {
            options.set(CatalogOptions.CACHE_EXPIRE_AFTER_WRITE, Duration.ofMillis(cacheMillis));
            options.set(CatalogOptions.CACHE_EXPIRE_AFTER_ACCESS, Duration.ofMillis(cacheMillis));
        }
        Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options, fileIOLoader, null), getClass().getClassLoader());
        if (Boolean.parseBoolean(catalog.options().get(RESTTokenFileIO.DATA_TOKEN_ENABLED.key()))) {
            try {
                catalog.close();
            }
            catch (Exception e) {
                throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot close the catalog: " + e.getMessage(), e);
            }
            throw new TrinoException(NOT_SUPPORTED,
                    "The REST server gives out credentials for each table (%s): files are read with the credentials of the fs.* and s3.* properties only"
                            .formatted(RESTTokenFileIO.DATA_TOKEN_ENABLED.key()));
        }
        return catalog;
    }

    private String type()
    {
        return config.getCatalogType().name().toLowerCase(ENGLISH);
    }

    /** Root folder of the tables, or name of the warehouse, as Paimon names it. */
    private String warehouse()
    {
        String warehouse = metastore.ownWarehouse().or(config::getWarehouse)
                .orElseThrow(() -> new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse is not set"));
        return metastore.isWarehouseFolder() ? folder(warehouse) : warehouse;
    }

    private String folder(String warehouse)
    {
        if (warehouse.startsWith("/")) {
            return Path.of(warehouse).toUri().toString();
        }
        String scheme;
        try {
            scheme = URI.create(warehouse).getScheme();
        }
        catch (IllegalArgumentException e) {
            throw new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s is not a location: %s".formatted(warehouse, e.getMessage()), e);
        }
        return switch (scheme) {
            case "file" -> warehouse;
            case "local" -> localFolder(warehouse);
            case "s3", "s3a", "s3n" -> enabled(warehouse, fileSystemConfig.isS3Enabled(), "fs.s3.enabled");
            case "abfs", "abfss", "wasb", "wasbs" -> enabled(warehouse, fileSystemConfig.isAzureEnabled(), "fs.azure.enabled");
            case "gs" -> enabled(warehouse, fileSystemConfig.isGcsEnabled(), "fs.gcs.enabled");
            case null -> throw new TrinoException(CONFIGURATION_INVALID,
                    "paimon.warehouse=%s is not a location: write file:///absolute, local:///.. or s3://bucket/..".formatted(warehouse));
            default -> enabled(warehouse, fileSystemConfig.isHadoopEnabled(), "fs.hadoop.enabled");
        };
    }

    private String localFolder(String warehouse)
    {
        Path root = localFileSystemConfig
                .orElseThrow(() -> new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s needs fs.local.enabled=true".formatted(warehouse)))
                .getLocation().toAbsolutePath().normalize();
        Path path = root.resolve("." + URI.create(warehouse).getPath()).normalize();
        if (!path.startsWith(root)) {
            throw new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s leaves local.location".formatted(warehouse));
        }
        return "file://" + path;
    }

    private static String enabled(String warehouse, boolean enabled, String property)
    {
        if (!enabled) {
            throw new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s needs %s=true".formatted(warehouse, property));
        }
        return warehouse;
    }
}
