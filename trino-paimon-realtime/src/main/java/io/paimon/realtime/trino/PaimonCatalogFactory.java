package io.paimon.realtime.trino;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.trino.spi.TrinoException;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.options.Options;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.StandardErrorCode.CONFIGURATION_INVALID;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/** The one place where a Paimon catalog is made, and with it the choice of the FileIO that all tables use. */
public class PaimonCatalogFactory
{
    /** Options of the Paimon catalog that follow from properties of their own. */
    private static final Map<String, String> PROPERTY_OF_OPTION = ImmutableMap.of(
            CatalogOptions.METASTORE.key(), "paimon.catalog.type",
            CatalogOptions.WAREHOUSE.key(), "paimon.warehouse",
            CatalogOptions.CACHE_ENABLED.key(), "paimon.metadata.cache-ttl",
            CatalogOptions.CACHE_EXPIRE_AFTER_WRITE.key(), "paimon.metadata.cache-ttl",
            CatalogOptions.CACHE_EXPIRE_AFTER_ACCESS.key(), "paimon.metadata.cache-ttl");

    private final PaimonConfig config;
    private final PaimonFileSystemConfig fileSystemConfig;
    private final PaimonCatalogOptions catalogOptions;
    private final Optional<FileIOLoader> preferredFileIo;

    @Inject
    public PaimonCatalogFactory(PaimonConfig config, PaimonFileSystemConfig fileSystemConfig, PaimonCatalogOptions catalogOptions,
            Optional<FileIOLoader> preferredFileIo)
    {
        this.config = requireNonNull(config, "config is null");
        this.fileSystemConfig = requireNonNull(fileSystemConfig, "fileSystemConfig is null");
        this.catalogOptions = requireNonNull(catalogOptions, "catalogOptions is null");
        this.preferredFileIo = requireNonNull(preferredFileIo, "preferredFileIo is null");
    }

    /** A new catalog, closed by the caller. */
    public Catalog create()
    {
        if (config.getCatalogType() != PaimonCatalogType.FILESYSTEM) {
            throw new TrinoException(NOT_SUPPORTED,
                    "paimon.catalog.type=%s is not supported yet: use filesystem".formatted(config.getCatalogType().name().toLowerCase(ENGLISH)));
        }
        PROPERTY_OF_OPTION.forEach((option, property) -> {
            if (catalogOptions.options().containsKey(option)) {
                throw new TrinoException(CONFIGURATION_INVALID,
                        "%s%s cannot be set: use %s".formatted(PaimonCatalogOptions.PREFIX, option, property));
            }
        });
        Options options = new Options();
        catalogOptions.options().forEach(options::set);
        options.set(CatalogOptions.METASTORE, "filesystem");
        options.set(CatalogOptions.WAREHOUSE, warehouse());
        long cacheMillis = config.getMetadataCacheTtl().toMillis();
        options.set(CatalogOptions.CACHE_ENABLED, cacheMillis > 0);
        if (cacheMillis > 0) {
            options.set(CatalogOptions.CACHE_EXPIRE_AFTER_WRITE, Duration.ofMillis(cacheMillis));
            options.set(CatalogOptions.CACHE_EXPIRE_AFTER_ACCESS, Duration.ofMillis(cacheMillis));
        }
        return CatalogFactory.createCatalog(CatalogContext.create(options, preferredFileIo.orElse(null), null), getClass().getClassLoader());
    }

    /** Root folder of the tables as Paimon names it. */
    public String warehouse()
    {
        String warehouse = config.getWarehouse()
                .orElseThrow(() -> new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse is not set"));
        if (warehouse.startsWith("file:")) {
            return warehouse;
        }
        if (warehouse.startsWith("/")) {
            return Path.of(warehouse).toUri().toString();
        }
        if (warehouse.startsWith("local:")) {
            if (!fileSystemConfig.isLocalEnabled()) {
                throw new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s needs fs.local.enabled=true".formatted(warehouse));
            }
            String root = fileSystemConfig.getLocalLocation()
                    .orElseThrow(() -> new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s needs local.location".formatted(warehouse)));
            Path rootPath = Path.of(root).toAbsolutePath().normalize();
            Path path = rootPath.resolve("." + URI.create(warehouse).getPath()).normalize();
            if (!path.startsWith(rootPath)) {
                throw new TrinoException(CONFIGURATION_INVALID, "paimon.warehouse=%s leaves local.location".formatted(warehouse));
            }
            return "file://" + path;
        }
        throw new TrinoException(NOT_SUPPORTED,
                "paimon.warehouse=%s: only local:///.. and file:///.. are supported yet".formatted(warehouse));
    }
}
