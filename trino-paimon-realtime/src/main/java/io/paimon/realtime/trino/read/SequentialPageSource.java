package io.paimon.realtime.trino.read;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/** The pages of some page sources, each of which is opened when the one before it has ended. */
final class SequentialPageSource implements ConnectorPageSource
{
    private final Iterator<Supplier<ConnectorPageSource>> openers;
    private final Function<Exception, RuntimeException> failure;
    private ConnectorPageSource current;
    private boolean finished;
    private long closedBytes;
    private long closedPositions;
    private long closedNanos;
    private Metrics closedMetrics = Metrics.EMPTY;

    /** @param failure tells of a failure to close one of them */
    SequentialPageSource(List<Supplier<ConnectorPageSource>> openers, Function<Exception, RuntimeException> failure)
    {
        this.failure = requireNonNull(failure, "failure is null");
        this.openers = List.copyOf(openers).iterator();
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        while (!finished) {
            if (current == null) {
                if (!openers.hasNext()) {
                    finished = true;
                    return null;
                }
                current = openers.next().get();
            }
            SourcePage page = current.getNextSourcePage();
            if (page != null || !current.isFinished()) {
                return page;
            }
            try {
                closeCurrent();
            }
            catch (IOException e) {
                throw failure.apply(e);
            }
        }
        return null;
    }

    private void closeCurrent() throws IOException
    {
        ConnectorPageSource closing = current;
        if (closing == null) {
            return;
        }
        closedBytes += closing.getCompletedBytes();
        closedPositions += closing.getCompletedPositions().orElse(0);
        closedNanos += closing.getReadTimeNanos();
        closedMetrics = closedMetrics.mergeWith(closing.getMetrics());
        current = null;
        closing.close();
    }

    @Override
    public boolean isFinished()
    {
        return finished;
    }

    @Override
    public long getCompletedBytes()
    {
        return closedBytes + (current == null ? 0 : current.getCompletedBytes());
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(closedPositions + (current == null ? 0 : current.getCompletedPositions().orElse(0)));
    }

    @Override
    public long getReadTimeNanos()
    {
        return closedNanos + (current == null ? 0 : current.getReadTimeNanos());
    }

    @Override
    public Metrics getMetrics()
    {
        return current == null ? closedMetrics : closedMetrics.mergeWith(current.getMetrics());
    }

    @Override
    public void close() throws IOException
    {
        finished = true;
        closeCurrent();
    }
}
