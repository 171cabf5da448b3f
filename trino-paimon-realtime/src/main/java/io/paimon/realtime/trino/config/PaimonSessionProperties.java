package io.paimon.realtime.trino.config;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;

import java.util.List;
import java.util.Optional;

import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static io.trino.plugin.base.session.PropertyMetadataUtil.dataSizeProperty;
import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.plugin.base.session.PropertyMetadataUtil.validateMinDataSize;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.enumProperty;

public final class PaimonSessionProperties implements SessionPropertiesProvider
{
    private static final String REALTIME_READ_MODE = "realtime_read_mode";
    private static final String REALTIME_WRITE_MODE = "realtime_write_mode";
    private static final String MAX_SPLIT_SIZE = "max_split_size";
    private static final String TARGET_MAX_FILE_SIZE = "target_max_file_size";
    private static final String DYNAMIC_FILTERING_WAIT_TIMEOUT = "dynamic_filtering_wait_timeout";
    private static final String STATISTICS_ENABLED = "table_statistics_enabled";
    private static final String PROJECTION_PUSHDOWN_ENABLED = "projection_pushdown_enabled";
    private static final String QUERY_PARTITION_FILTER_REQUIRED = "query_partition_filter_required";
    private static final String INSERT_EXISTING_PARTITIONS_BEHAVIOR = "insert_existing_partitions_behavior";

    private final List<PropertyMetadata<?>> sessionProperties;

    @Inject
    public PaimonSessionProperties(PaimonConfig config, RealtimeConfig realtimeConfig)
    {
        sessionProperties = ImmutableList.of(
                enumProperty(REALTIME_READ_MODE, "What queries of real-time tables see", ReadMode.class, realtimeConfig.getReadMode(), false),
                enumProperty(REALTIME_WRITE_MODE, "Where rows written to real-time tables go", WriteMode.class, realtimeConfig.getWriteMode(), false),
                dataSizeProperty(MAX_SPLIT_SIZE, "Files of one bucket are put together, and bigger ones divided, into splits of about this size",
                        config.getMaxSplitSize(),
                        value -> validateMinDataSize(MAX_SPLIT_SIZE, value, DataSize.of(1, MEGABYTE)), false),
                dataSizeProperty(TARGET_MAX_FILE_SIZE, "Data files are rolled at this size; the table's own option if not set",
                        config.getTargetMaxFileSize().orElse(null),
                        value -> validateMinDataSize(TARGET_MAX_FILE_SIZE, value, DataSize.of(1, MEGABYTE)), false),
                durationProperty(DYNAMIC_FILTERING_WAIT_TIMEOUT, "How long a scan waits for dynamic filters before it is planned",
                        config.getDynamicFilteringWaitTimeout(), false),
                booleanProperty(STATISTICS_ENABLED, "Give statistics to the optimizer", config.isTableStatisticsEnabled(), false),
                booleanProperty(PROJECTION_PUSHDOWN_ENABLED, "Read no more of rows than the fields that a query asks for",
                        config.isProjectionPushdownEnabled(), false),
                booleanProperty(QUERY_PARTITION_FILTER_REQUIRED, "Refuse queries of partitioned tables without a filter on a partition column",
                        config.isQueryPartitionFilterRequired(), false),
                enumProperty(INSERT_EXISTING_PARTITIONS_BEHAVIOR, "What an INSERT does with the rows that its partitions hold already",
                        InsertExistingPartitionsBehavior.class, config.getInsertExistingPartitionsBehavior(), false));
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties()
    {
        return sessionProperties;
    }

    public static InsertExistingPartitionsBehavior getInsertExistingPartitionsBehavior(ConnectorSession session)
    {
        return session.getProperty(INSERT_EXISTING_PARTITIONS_BEHAVIOR, InsertExistingPartitionsBehavior.class);
    }

    public static ReadMode getReadMode(ConnectorSession session)
    {
        return session.getProperty(REALTIME_READ_MODE, ReadMode.class);
    }

    public static WriteMode getWriteMode(ConnectorSession session)
    {
        return session.getProperty(REALTIME_WRITE_MODE, WriteMode.class);
    }

    public static DataSize getMaxSplitSize(ConnectorSession session)
    {
        return session.getProperty(MAX_SPLIT_SIZE, DataSize.class);
    }

    public static Optional<DataSize> getTargetMaxFileSize(ConnectorSession session)
    {
        return Optional.ofNullable(session.getProperty(TARGET_MAX_FILE_SIZE, DataSize.class));
    }

    public static Duration getDynamicFilteringWaitTimeout(ConnectorSession session)
    {
        return session.getProperty(DYNAMIC_FILTERING_WAIT_TIMEOUT, Duration.class);
    }

    public static boolean isStatisticsEnabled(ConnectorSession session)
    {
        return session.getProperty(STATISTICS_ENABLED, Boolean.class);
    }

    public static boolean isProjectionPushdownEnabled(ConnectorSession session)
    {
        return session.getProperty(PROJECTION_PUSHDOWN_ENABLED, Boolean.class);
    }

    public static boolean isQueryPartitionFilterRequired(ConnectorSession session)
    {
        return session.getProperty(QUERY_PARTITION_FILTER_REQUIRED, Boolean.class);
    }
}
