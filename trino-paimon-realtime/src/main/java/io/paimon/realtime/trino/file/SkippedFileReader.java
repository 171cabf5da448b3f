package io.paimon.realtime.trino.file;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

/**
 * A file without a matching row.
 *
 * @param counted whether it is told of, as is one part of a file that is divided
 */
record SkippedFileReader(boolean counted) implements FileReader
{
    @Override
    public SourcePage next()
    {
        return null;
    }

    @Override
    public boolean isNative()
    {
        return false;
    }

    @Override
    public long readBytes()
    {
        return 0;
    }

    @Override
    public long readTimeNanos()
    {
        return 0;
    }

    @Override
    public Metrics metrics()
    {
        return new ScanMetrics().add(ScanMetrics.FILES_SKIPPED, counted ? 1 : 0).build();
    }

    @Override
    public void close()
    {}
}
