package io.paimon.realtime.trino.read;

import io.paimon.realtime.trino.block.DerivedPage;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import static java.util.Objects.requireNonNull;

/** Columns made of those of another page source. */
final class DerivedPageSource implements ConnectorPageSource
{
    private final ConnectorPageSource source;
    private final DerivedPage.Layout layout;

    DerivedPageSource(ConnectorPageSource source, DerivedPage.Layout layout)
    {
        this.source = requireNonNull(source, "source is null");
        this.layout = requireNonNull(layout, "layout is null");
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        SourcePage page = source.getNextSourcePage();
        return page == null ? null : new DerivedPage(page, layout);
    }

    @Override
    public long getCompletedBytes()
    {
        return source.getCompletedBytes();
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return source.getCompletedPositions();
    }

    @Override
    public long getReadTimeNanos()
    {
        return source.getReadTimeNanos();
    }

    @Override
    public boolean isFinished()
    {
        return source.isFinished();
    }

    @Override
    public CompletableFuture<?> isBlocked()
    {
        return source.isBlocked();
    }

    @Override
    public Metrics getMetrics()
    {
        return source.getMetrics();
    }

    @Override
    public void close() throws IOException
    {
        source.close();
    }
}
