package io.paimon.realtime.trino.block;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;

import java.util.function.ObjLongConsumer;

import static java.util.Objects.requireNonNull;

/** Columns made of those of another page, which may be decoded only when they are asked for: constants, and columns as they are or converted. */
public final class DerivedPage implements SourcePage
{
    private final SourcePage page;
    private final Layout layout;

    /**
     * @param channels channel of the other page for each column, negative for a constant
     * @param constants values of the columns without a channel, one position each
     * @param conversions null for columns that are as they are to be
     */
    public record Layout(int[] channels, Block[] constants, Conversion[] conversions)
    {
        public Layout(int[] channels, Block[] constants)
        {
            this(channels, constants, new Conversion[channels.length]);
        }
    }

    /** Makes what a column is to be of what the other page has. */
    public interface Conversion
    {
        Block convert(Block block);
    }

    public DerivedPage(SourcePage page, Layout layout)
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
        if (source < 0) {
            return RunLengthEncodedBlock.create(layout.constants()[channel], page.getPositionCount());
        }
        Block block = page.getBlock(source);
        Conversion conversion = layout.conversions()[channel];
        return conversion == null ? block : conversion.convert(block);
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
