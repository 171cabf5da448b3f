package io.paimon.realtime.trino.file;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;

import java.util.function.ObjLongConsumer;

import static java.util.Objects.requireNonNull;

/** Columns of a scan over a page of a file, whose columns are decoded when they are asked for. */
final class FilePage implements SourcePage
{
    private final SourcePage page;
    private final Layout layout;

    /**
     * @param channels channel of the file's page for each column, negative for a constant
     * @param constants values of the columns without a channel, one position each
     */
    record Layout(int[] channels, Block[] constants)
    {}

    FilePage(SourcePage page, Layout layout)
    {
        this.page = requireNonNull(page, "page is null");
        this.layout = requireNonNull(layout, "layout is null");
    }

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
        return layout.channels().length;
    }

    @Override
    public Block getBlock(int channel)
    {
        int source = layout.channels()[channel];
        return source >= 0 ? page.getBlock(source) : RunLengthEncodedBlock.create(layout.constants()[channel], page.getPositionCount());
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
