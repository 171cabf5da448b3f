package io.paimon.realtime.trino.read;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.OptionalLong;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/** The pages of one page source, then those of another, which is opened only then. */
final class ConcatenatedPageSource implements ConnectorPageSource
{
    private final ConnectorPageSource first;
    private final Supplier<ConnectorPageSource> opener;
    private ConnectorPageSource second;
    private boolean closed;

    ConcatenatedPageSource(ConnectorPageSource first, Supplier<ConnectorPageSource> opener)
    {
        this.first = requireNonNull(first, "first is null");
        this.opener = requireNonNull(opener, "opener is null");
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        if (closed) {
            return null;
        }
        if (second == null) {
            SourcePage page = first.getNextSourcePage();
            if (page != null || !first.isFinished()) {
                return page;
            }
            try {
                // gives its memory back
                first.close();
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            second = opener.get();
        }
        return second.getNextSourcePage();
    }

    @Override
    public boolean isFinished()
    {
        return closed || (second != null && second.isFinished());
    }

    @Override
    public long getCompletedBytes()
    {
        return first.getCompletedBytes() + (second == null ? 0 : second.getCompletedBytes());
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(first.getCompletedPositions().orElse(0) + (second == null ? 0 : second.getCompletedPositions().orElse(0)));
    }

    @Override
    public long getReadTimeNanos()
    {
        return first.getReadTimeNanos() + (second == null ? 0 : second.getReadTimeNanos());
    }

    @Override
    public Metrics getMetrics()
    {
        return second == null ? first.getMetrics() : first.getMetrics().mergeWith(second.getMetrics());
    }

    @Override
    public void close() throws IOException
    {
        closed = true;
        try (first) {
            if (second != null) {
                second.close();
            }
        }
    }
}
