package io.paimon.realtime.trino.read;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjLongConsumer;

import static java.util.Objects.requireNonNull;

/** Columns of a page source and fields of its rows; a field of a row that is NULL is NULL. */
final class FieldsPageSource implements ConnectorPageSource
{
    private final ConnectorPageSource source;
    private final List<FieldProjection.Output> outputs;

    FieldsPageSource(ConnectorPageSource source, List<FieldProjection.Output> outputs)
    {
        this.source = requireNonNull(source, "source is null");
        this.outputs = List.copyOf(outputs);
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        SourcePage page = source.getNextSourcePage();
        return page == null ? null : new FieldsPage(page, outputs);
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

    private record FieldsPage(SourcePage page, List<FieldProjection.Output> outputs) implements SourcePage
    {
        @Override
        public int getPositionCount()
        {
            return page.getPositionCount();
        }

        @Override
        public long getSizeInBytes()
        {
            return page.getSizeInBytes();
        }

        @Override
        public long getRetainedSizeInBytes()
        {
            return page.getRetainedSizeInBytes();
        }

        @Override
        public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer)
        {
            page.retainedBytesForEachPart(consumer);
        }

        @Override
        public int getChannelCount()
        {
            return outputs.size();
        }

        @Override
        public Block getBlock(int channel)
        {
            FieldProjection.Output output = outputs.get(channel);
            Block block = page.getBlock(output.channel());
            for (int ordinal : output.ordinals()) {
                // fields of a row that is NULL are NULL themselves
                block = RowBlock.getRowFieldsFromBlock(block).get(ordinal);
            }
            return block;
        }

        @Override
        public Page getPage()
        {
            Block[] blocks = new Block[getChannelCount()];
            for (int i = 0; i < blocks.length; i++) {
                blocks[i] = getBlock(i);
            }
            return new Page(getPositionCount(), blocks);
        }

        @Override
        public void selectPositions(int[] positions, int offset, int size)
        {
            page.selectPositions(positions, offset, size);
        }
    }
}
