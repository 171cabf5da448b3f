package io.paimon.realtime.trino.file;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

import static io.trino.memory.context.AggregatedMemoryContext.newAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

/** The files of a split, one after the other. */
final class FilesPageSource implements ConnectorPageSource
{
    private final Iterator<Opener> files;
    private final OptionalLong limit;
    private final AggregatedMemoryContext memoryContext;
    private final Function<Exception, RuntimeException> failure;

    private FileReader reader;
    private boolean finished;
    private long closedBytes;
    private long closedNanos;
    private Metrics closedMetrics = Metrics.EMPTY;
    private long nativeFiles;
    private long nativePositions;
    private long completedPositions;

    interface Opener
    {
        FileReader open(AggregatedMemoryContext memoryContext) throws IOException;
    }

    FilesPageSource(List<Opener> files, OptionalLong limit, MemoryContext memoryContext, Function<Exception, RuntimeException> failure)
    {
        this.files = files.iterator();
        this.limit = requireNonNull(limit, "limit is null");
        this.memoryContext = newAggregatedMemoryContext(memoryContext);
        this.failure = requireNonNull(failure, "failure is null");
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        if (finished) {
            return null;
        }
        try {
            SourcePage page = next();
            if (page == null) {
                finished = true;
                return null;
            }
            completedPositions += page.getPositionCount();
            nativePositions += reader.isNative() ? page.getPositionCount() : 0;
            if (limit.isPresent() && completedPositions >= limit.getAsLong()) {
                finished = true;
            }
            return page;
        }
        catch (IOException | RuntimeException e) {
            throw failure.apply(e);
        }
    }

    private SourcePage next() throws IOException
    {
        while (true) {
            if (reader == null) {
                if (!files.hasNext()) {
                    return null;
                }
                reader = files.next().open(memoryContext.newAggregatedMemoryContext());
                nativeFiles += reader.isNative() ? 1 : 0;
            }
            SourcePage page = reader.next();
            if (page != null) {
                return page;
            }
            closeReader();
        }
    }

    private void closeReader() throws IOException
    {
        if (reader != null) {
            closedBytes += reader.readBytes();
            closedNanos += reader.readTimeNanos();
            closedMetrics = closedMetrics.mergeWith(reader.metrics());
            FileReader closing = reader;
            reader = null;
            closing.close();
        }
    }

    @Override
    public long getCompletedBytes()
    {
        return closedBytes + (reader == null ? 0 : reader.readBytes());
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(completedPositions);
    }

    @Override
    public long getReadTimeNanos()
    {
        return closedNanos + (reader == null ? 0 : reader.readTimeNanos());
    }

    @Override
    public boolean isFinished()
    {
        return finished;
    }

    @Override
    public Metrics getMetrics()
    {
        Metrics counts = new ScanMetrics().add(ScanMetrics.DISK_NATIVE, nativePositions).add(ScanMetrics.FILES_NATIVE, nativeFiles).build();
        Metrics closed = counts.mergeWith(closedMetrics);
        return reader == null ? closed : closed.mergeWith(reader.metrics());
    }

    @Override
    public void close() throws IOException
    {
        finished = true;
        try {
            closeReader();
        }
        finally {
            memoryContext.close();
        }
    }
}
