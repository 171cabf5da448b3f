package io.paimon.realtime.trino.read;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Some of the rows of another page source. Columns that the selection does not look at are decoded for these rows only.
 */
final class SelectedPageSource implements ConnectorPageSource
{
    private final ConnectorPageSource source;
    private final Selection selection;

    /** Chooses rows. */
    interface Selection
    {
        /** How many rows of the page are chosen; their positions are put first into {@code chosen}, ascending. */
        int select(SourcePage page, int[] chosen);
    }

    SelectedPageSource(ConnectorPageSource source, Selection selection)
    {
        this.source = requireNonNull(source, "source is null");
        this.selection = requireNonNull(selection, "selection is null");
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        SourcePage page = source.getNextSourcePage();
        if (page == null) {
            return null;
        }
        int[] chosen = new int[page.getPositionCount()];
        int count = selection.select(page, chosen);
        if (count == 0) {
            return null;
        }
        if (count < page.getPositionCount()) {
            page.selectPositions(chosen, 0, count);
        }
        return page;
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
