package io.paimon.realtime.trino;

import com.google.common.collect.ImmutableMap;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metric;
import io.trino.spi.metrics.Metrics;

/** Names of what EXPLAIN ANALYZE VERBOSE shows of scans. */
final class ScanMetrics
{
    static final String MEMORY_IN_PLACE = "Rows from memory, in place";
    static final String MEMORY_OVER_FLIGHT = "Rows from memory, over Flight";
    static final String MEMORY_SCANNED = "Rows in memory looked at";
    static final String MEMORY_BATCHES_PRUNED = "Batches in memory skipped by minimum and maximum";
    static final String DISK_COLUMNS = "Rows from disk, by columns";
    static final String DISK_ROWS = "Rows from disk, row by row";
    static final String DISK_COUNTED = "Rows from disk, counted by metadata";

    static final String MEMORY_SPLITS = "Splits in memory";
    static final String MEMORY_SPLITS_PRUNED = "Splits in memory left out by partition and bucket";
    static final String DISK_SPLITS = "Splits on disk";

    private final ImmutableMap.Builder<String, Metric<?>> metrics = ImmutableMap.builder();

    /** Adds a number, unless it is 0. */
    ScanMetrics add(String name, long value)
    {
        if (value != 0) {
            metrics.put(name, new LongCount(value));
        }
        return this;
    }

    Metrics build()
    {
        return new Metrics(metrics.buildOrThrow());
    }
}
