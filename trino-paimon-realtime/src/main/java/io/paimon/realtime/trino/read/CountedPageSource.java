package io.paimon.realtime.trino.read;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.util.OptionalLong;

/** Rows of which only the number is asked for, and known without reading them. */
final class CountedPageSource implements ConnectorPageSource
{
    /** Columns that are constant may be put to the rows, and are written out for clients page by page. */
    private static final int MAX_PAGE_POSITIONS = 65_536;

    private final long rows;
    private long returned;
    private boolean closed;

    CountedPageSource(long rows)
    {
        this.rows = rows;
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        if (isFinished()) {
            return null;
        }
        int count = (int) Math.min(rows - returned, MAX_PAGE_POSITIONS);
        returned += count;
        return SourcePage.create(count);
    }

    @Override
    public boolean isFinished()
    {
        return closed || returned == rows;
    }

    @Override
    public long getCompletedBytes()
    {
        return 0;
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(returned);
    }

    @Override
    public long getReadTimeNanos()
    {
        return 0;
    }

    @Override
    public Metrics getMetrics()
    {
        return new ScanMetrics().add(ScanMetrics.DISK_COUNTED, returned).build();
    }

    @Override
    public void close()
    {
        closed = true;
    }
}
