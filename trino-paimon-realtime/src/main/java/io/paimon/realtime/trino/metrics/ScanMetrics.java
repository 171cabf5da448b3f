package io.paimon.realtime.trino.metrics;

import com.google.common.collect.ImmutableMap;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metric;
import io.trino.spi.metrics.Metrics;

/** Names of what EXPLAIN ANALYZE VERBOSE shows of scans. */
public final class ScanMetrics
{
    public static final String MEMORY_IN_PLACE = "Rows from memory, in place";
    public static final String MEMORY_OVER_FLIGHT = "Rows from memory, over Flight";
    public static final String MEMORY_SCANNED = "Rows in memory looked at";
    public static final String MEMORY_BATCHES_PRUNED = "Batches in memory skipped by minimum and maximum";
    public static final String DISK_NATIVE = "Rows from disk, by Trino's readers";
    public static final String DISK_COLUMNS = "Rows from disk, by Paimon's reader, by columns";
    public static final String DISK_ROWS = "Rows from disk, by Paimon's reader, row by row";
    public static final String MERGED = "Rows merged of disk and memory";
    public static final String DISK_COUNTED = "Rows from disk, counted by metadata";

    public static final String FILES_NATIVE = "Files, or parts of them, read by Trino's readers";
    public static final String FILES_SKIPPED = "Files skipped by their indexes";

    public static final String MEMORY_SPLITS = "Splits in memory";
    public static final String MEMORY_SPLITS_PRUNED = "Splits in memory left out by partition and bucket";
    public static final String DISK_SPLITS = "Splits on disk";

    private final ImmutableMap.Builder<String, Metric<?>> metrics = ImmutableMap.builder();

    /** Adds a number, unless it is 0. */
    public ScanMetrics add(String name, long value)
    {
        if (value != 0) {
            metrics.put(name, new LongCount(value));
        }
        return this;
    }

    public Metrics build()
    {
        return new Metrics(metrics.buildOrThrow());
    }
}
