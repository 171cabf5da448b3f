package io.paimon.realtime.trino;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.model.RealtimeException;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.types.RowType;

/**
 * Pages from rows in the writer's memory, one copy per column.
 */
final class RealtimePageSource implements ConnectorPageSource
{
    private static final int MAX_PAGE_POSITIONS = 8192;

    private final Deque<MemBatchReader> readers;
    private final RowType readType;
    private final List<PaimonColumnHandle> columns;
    private final String carrier;
    private MemBatch batch;
    private int next;
    private long completedPositions;
    private long completedBytes;
    private long readTimeNanos;
    private boolean closed;

    /**
     * @param readers closed with this page source
     * @param carrier how the rows got here, for the metrics
     */
    RealtimePageSource(List<MemBatchReader> readers, RowType readType, List<PaimonColumnHandle> columns, String carrier)
    {
        this.readers = new ArrayDeque<>(readers);
        this.readType = requireNonNull(readType, "readType is null");
        this.columns = List.copyOf(columns);
        this.carrier = requireNonNull(carrier, "carrier is null");
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        long start = System.nanoTime();
        try {
            while (batch == null) {
                if (readers.isEmpty()) {
                    return null;
                }
                Optional<MemBatch> following = readers.getFirst().next();
                if (following.isEmpty()) {
                    readers.removeFirst().close();
                    continue;
                }
                batch = following.get();
                next = 0;
            }
            int count = Math.min(MAX_PAGE_POSITIONS, batch.rowCount() - next);
            Page page = page(count);
            next += count;
            if (next == batch.rowCount()) {
                batch.close();
                batch = null;
            }
            completedPositions += count;
            completedBytes += page.getSizeInBytes();
            return SourcePage.create(page);
        }
        catch (RealtimeException e) {
            throw RealtimeWriter.toTrinoException(e);
        }
        finally {
            readTimeNanos += System.nanoTime() - start;
        }
    }

    private Page page(int count)
    {
        if (columns.isEmpty()) {
            return new Page(count);
        }
        int[] positions = null;
        int from = 0;
        if (batch.isRange()) {
            from = batch.from() + next;
        }
        else {
            positions = java.util.Arrays.copyOfRange(batch.positions(), next, next + count);
        }
        try (MemBatch part = new MemBatch(batch.columns(), positions, from, count, () -> {
        })) {
            Block[] blocks = new Block[columns.size()];
            for (int i = 0; i < blocks.length; i++) {
                blocks[i] = ArrowBlocks.toBlock(part, i, readType.getTypeAt(i), columns.get(i).type());
            }
            return new Page(count, blocks);
        }
    }

    @Override
    public long getCompletedBytes()
    {
        return completedBytes;
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(completedPositions);
    }

    @Override
    public long getReadTimeNanos()
    {
        return readTimeNanos;
    }

    @Override
    public boolean isFinished()
    {
        return closed || (batch == null && readers.isEmpty());
    }

    @Override
    public long getMemoryUsage()
    {
        return 0;
    }

    @Override
    public Metrics getMetrics()
    {
        return new Metrics(Map.of("Rows from memory, " + carrier, new LongCount(completedPositions)));
    }

    @Override
    public void close()
    {
        if (closed) {
            return;
        }
        closed = true;
        if (batch != null) {
            batch.close();
            batch = null;
        }
        readers.forEach(MemBatchReader::close);
        readers.clear();
    }
}
