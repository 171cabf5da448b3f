package io.paimon.realtime.trino.file;

import io.trino.memory.context.LocalMemoryContext;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/** A file that needs Paimon's reader, among others that do not. */
final class PaimonFileReader implements FileReader
{
    private final ConnectorPageSource pages;
    private final LocalMemoryContext memory;

    PaimonFileReader(ConnectorPageSource pages, LocalMemoryContext memory)
    {
        this.pages = requireNonNull(pages, "pages is null");
        this.memory = requireNonNull(memory, "memory is null");
    }

    @Override
    public SourcePage next()
    {
        while (!pages.isFinished()) {
            SourcePage page = pages.getNextSourcePage();
            if (page != null) {
                return page;
            }
        }
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
        return pages.getCompletedBytes();
    }

    @Override
    public long readTimeNanos()
    {
        return pages.getReadTimeNanos();
    }

    @Override
    public Metrics metrics()
    {
        return pages.getMetrics();
    }

    @Override
    public void close() throws IOException
    {
        try {
            pages.close();
        }
        finally {
            memory.close();
        }
    }
}
