package io.paimon.realtime.trino.config;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static io.airlift.configuration.testing.ConfigAssertions.assertDeprecatedEquivalence;
import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

final class TestPaimonConfig
{
    @Test
    void defaults()
    {
        assertRecordedDefaults(recordDefaults(PaimonConfig.class)
                .setCatalogType(PaimonCatalogType.FILESYSTEM)
                .setWarehouse(null)
                .setSecurity(PaimonSecurity.ALLOW_ALL)
                .setMetadataCacheTtl(new Duration(0, SECONDS))
                .setMaxSplitSize(DataSize.of(128, MEGABYTE))
                .setTargetMaxFileSize(null)
                .setWriteBufferSize(DataSize.of(64, MEGABYTE))
                .setDynamicFilteringWaitTimeout(new Duration(1, SECONDS))
                .setTableStatisticsEnabled(true)
                .setProjectionPushdownEnabled(true)
                .setQueryPartitionFilterRequired(false)
                .setInsertExistingPartitionsBehavior(InsertExistingPartitionsBehavior.APPEND));
    }

    @Test
    void explicitProperties()
    {
        Map<String, String> properties = ImmutableMap.<String, String>builder()
                .put("paimon.catalog.type", "REST")
                .put("paimon.warehouse", "file:///warehouse")
                .put("paimon.security", "read-only")
                .put("paimon.metadata.cache-ttl", "5m")
                .put("paimon.max-split-size", "64MB")
                .put("paimon.target-max-file-size", "256MB")
                .put("paimon.write-buffer-size", "32MB")
                .put("paimon.dynamic-filtering.wait-timeout", "3s")
                .put("paimon.table-statistics-enabled", "false")
                .put("paimon.projection-pushdown-enabled", "false")
                .put("paimon.query-partition-filter-required", "true")
                .put("paimon.insert-existing-partitions-behavior", "overwrite")
                .buildOrThrow();
        assertFullMapping(properties, new PaimonConfig()
                .setCatalogType(PaimonCatalogType.REST)
                .setWarehouse("file:///warehouse")
                .setSecurity(PaimonSecurity.READ_ONLY)
                .setMetadataCacheTtl(new Duration(5, MINUTES))
                .setMaxSplitSize(DataSize.of(64, MEGABYTE))
                .setTargetMaxFileSize(DataSize.of(256, MEGABYTE))
                .setWriteBufferSize(DataSize.of(32, MEGABYTE))
                .setDynamicFilteringWaitTimeout(new Duration(3, SECONDS))
                .setTableStatisticsEnabled(false)
                .setProjectionPushdownEnabled(false)
                .setQueryPartitionFilterRequired(true)
                .setInsertExistingPartitionsBehavior(InsertExistingPartitionsBehavior.OVERWRITE));
    }

    @Test
    void namesOfTheOtherPaimonConnector()
    {
        assertDeprecatedEquivalence(PaimonConfig.class,
                ImmutableMap.of("paimon.warehouse", "file:///warehouse", "paimon.catalog.type", "filesystem"),
                ImmutableMap.of("warehouse", "file:///warehouse", "metastore", "filesystem"));
    }
}
