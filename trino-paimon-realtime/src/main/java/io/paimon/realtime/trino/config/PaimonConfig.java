package io.paimon.realtime.trino.config;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.LegacyConfig;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.NotNull;

import java.util.Optional;

import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.SECONDS;

public class PaimonConfig
{
    private PaimonCatalogType catalogType = PaimonCatalogType.FILESYSTEM;
    private Optional<String> warehouse = Optional.empty();
    private PaimonSecurity security = PaimonSecurity.ALLOW_ALL;
    private Duration metadataCacheTtl = new Duration(0, SECONDS);
    private DataSize maxSplitSize = DataSize.of(128, MEGABYTE);
    private Optional<DataSize> targetMaxFileSize = Optional.empty();
    private DataSize writeBufferSize = DataSize.of(64, MEGABYTE);
    private Duration dynamicFilteringWaitTimeout = new Duration(1, SECONDS);
    private boolean tableStatisticsEnabled = true;
    private boolean projectionPushdownEnabled = true;
    private boolean queryPartitionFilterRequired;
    private InsertExistingPartitionsBehavior insertExistingPartitionsBehavior = InsertExistingPartitionsBehavior.APPEND;

    @NotNull
    public PaimonCatalogType getCatalogType()
    {
        return catalogType;
    }

    @Config("paimon.catalog.type")
    @LegacyConfig("metastore")
    @ConfigDescription("Kind of catalog")
    public PaimonConfig setCatalogType(PaimonCatalogType catalogType)
    {
        this.catalogType = catalogType;
        return this;
    }

    @NotNull
    public Optional<String> getWarehouse()
    {
        return warehouse;
    }

    @Config("paimon.warehouse")
    @LegacyConfig("warehouse")
    @ConfigDescription("Root folder of the tables: file:///absolute, local:///.. relative to local.location, s3://bucket/..; with a REST catalog the name of the warehouse")
    public PaimonConfig setWarehouse(String warehouse)
    {
        this.warehouse = Optional.ofNullable(warehouse);
        return this;
    }

    @NotNull
    public PaimonSecurity getSecurity()
    {
        return security;
    }

    @Config("paimon.security")
    @ConfigDescription("Access control of the catalog")
    public PaimonConfig setSecurity(PaimonSecurity security)
    {
        this.security = security;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getMetadataCacheTtl()
    {
        return metadataCacheTtl;
    }

    @Config("paimon.metadata.cache-ttl")
    @ConfigDescription("How long table definitions are kept; 0 reads them anew in every query")
    public PaimonConfig setMetadataCacheTtl(Duration metadataCacheTtl)
    {
        this.metadataCacheTtl = metadataCacheTtl;
        return this;
    }

    @NotNull
    @MinDataSize("1MB")
    public DataSize getMaxSplitSize()
    {
        return maxSplitSize;
    }

    @Config("paimon.max-split-size")
    @ConfigDescription("Files of one bucket are put together, and bigger ones divided, into splits of about this size")
    public PaimonConfig setMaxSplitSize(DataSize maxSplitSize)
    {
        this.maxSplitSize = maxSplitSize;
        return this;
    }

    @NotNull
    public Optional<@MinDataSize("1MB") DataSize> getTargetMaxFileSize()
    {
        return targetMaxFileSize;
    }

    @Config("paimon.target-max-file-size")
    @ConfigDescription("Data files are rolled at this size; the table's own option if not set")
    public PaimonConfig setTargetMaxFileSize(DataSize targetMaxFileSize)
    {
        this.targetMaxFileSize = Optional.ofNullable(targetMaxFileSize);
        return this;
    }

    @NotNull
    @MinDataSize("1MB")
    public DataSize getWriteBufferSize()
    {
        return writeBufferSize;
    }

    @Config("paimon.write-buffer-size")
    @ConfigDescription("Sort buffer of one writing task for tables that do not set write-buffer-size themselves")
    public PaimonConfig setWriteBufferSize(DataSize writeBufferSize)
    {
        this.writeBufferSize = writeBufferSize;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getDynamicFilteringWaitTimeout()
    {
        return dynamicFilteringWaitTimeout;
    }

    @Config("paimon.dynamic-filtering.wait-timeout")
    @ConfigDescription("How long a scan waits for dynamic filters before it is planned")
    public PaimonConfig setDynamicFilteringWaitTimeout(Duration dynamicFilteringWaitTimeout)
    {
        this.dynamicFilteringWaitTimeout = dynamicFilteringWaitTimeout;
        return this;
    }

    public boolean isTableStatisticsEnabled()
    {
        return tableStatisticsEnabled;
    }

    @Config("paimon.table-statistics-enabled")
    @ConfigDescription("Give statistics to the optimizer")
    public PaimonConfig setTableStatisticsEnabled(boolean tableStatisticsEnabled)
    {
        this.tableStatisticsEnabled = tableStatisticsEnabled;
        return this;
    }

    public boolean isProjectionPushdownEnabled()
    {
        return projectionPushdownEnabled;
    }

    @Config("paimon.projection-pushdown-enabled")
    @ConfigDescription("Read no more of rows than the fields that a query asks for")
    public PaimonConfig setProjectionPushdownEnabled(boolean projectionPushdownEnabled)
    {
        this.projectionPushdownEnabled = projectionPushdownEnabled;
        return this;
    }

    public boolean isQueryPartitionFilterRequired()
    {
        return queryPartitionFilterRequired;
    }

    @Config("paimon.query-partition-filter-required")
    @ConfigDescription("Refuse queries of partitioned tables without a filter on a partition column")
    public PaimonConfig setQueryPartitionFilterRequired(boolean queryPartitionFilterRequired)
    {
        this.queryPartitionFilterRequired = queryPartitionFilterRequired;
        return this;
    }

    @NotNull
    public InsertExistingPartitionsBehavior getInsertExistingPartitionsBehavior()
    {
        return insertExistingPartitionsBehavior;
    }

    @Config("paimon.insert-existing-partitions-behavior")
    @ConfigDescription("What an INSERT does with the rows that its partitions hold already")
    public PaimonConfig setInsertExistingPartitionsBehavior(InsertExistingPartitionsBehavior insertExistingPartitionsBehavior)
    {
        this.insertExistingPartitionsBehavior = insertExistingPartitionsBehavior;
        return this;
    }
}
