package io.paimon.realtime.trino.write;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.paimon.realtime.trino.block.BlockReader;
import io.paimon.realtime.trino.handle.CommitFragment;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSink;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.memory.HeapMemorySegmentPool;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.TableWriteImpl;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_WRITE_ERROR;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

/** Writes data files of one table; they become visible when the coordinator commits what {@link #finish} returns. */
class PaimonPageSink implements ConnectorPageSink
{
    private static final Logger log = Logger.get(PaimonPageSink.class);

    private final PaimonWriteHandle handle;
    private final TableWriteImpl<?> write;
    private final HeapMemorySegmentPool memoryPool;
    private final List<BlockReader> readers;
    /** Field of the Paimon row for each channel. */
    private final int[] fields;
    private final int fieldCount;
    private final int totalMemoryPages;

    private long completedBytes;

    /**
     * @param write closed with this page sink
     * @param fields field of the Paimon row for each channel
     */
    PaimonPageSink(PaimonWriteHandle handle, TableWriteImpl<?> write, HeapMemorySegmentPool memoryPool, int[] fields, int fieldCount)
    {
        this.handle = requireNonNull(handle, "handle is null");
        this.write = requireNonNull(write, "write is null");
        this.memoryPool = requireNonNull(memoryPool, "memoryPool is null");
        this.totalMemoryPages = memoryPool.freePages();
        this.readers = handle.columns().stream().map(column -> BlockReader.create(column.type())).collect(toImmutableList());
        this.fields = fields.clone();
        this.fieldCount = fieldCount;
    }

    @Override
    public long getCompletedBytes()
    {
        return completedBytes;
    }

    @Override
    public long getMemoryUsage()
    {
        return (long) (totalMemoryPages - memoryPool.freePages()) * memoryPool.pageSize();
    }

    @Override
    public CompletableFuture<?> appendPage(Page page)
    {
        List<Block> blocks = page.getChannelCount() == 0 ? ImmutableList.of() : channels(page);
        try {
            for (int position = 0; position < page.getPositionCount(); position++) {
                GenericRow row = new GenericRow(fieldCount);
                for (int channel = 0; channel < fields.length; channel++) {
                    row.setField(fields[channel], readers.get(channel).read(blocks.get(channel), position));
                }
                write.write(row);
            }
        }
        catch (Exception e) {
            throw failure(e);
        }
        completedBytes += page.getSizeInBytes();
        return NOT_BLOCKED;
    }

    private static List<Block> channels(Page page)
    {
        ImmutableList.Builder<Block> blocks = ImmutableList.builder();
        for (int channel = 0; channel < page.getChannelCount(); channel++) {
            blocks.add(page.getBlock(channel));
        }
        return blocks.build();
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish()
    {
        try {
            List<CommitMessage> messages = write.prepareCommit(false, PaimonWriteHandle.COMMIT_IDENTIFIER);
            write.close();
            return completedFuture(messages.isEmpty() ? ImmutableList.of() : ImmutableList.of(CommitFragment.serialize(messages)));
        }
        catch (Exception e) {
            throw failure(e);
        }
    }

    @Override
    public void abort()
    {
        try {
            // writers delete the files they have not handed out
            write.close();
        }
        catch (Exception e) {
            log.warn(e, "Files written for %s may have been left behind", handle.name());
        }
    }

    private TrinoException failure(Exception failure)
    {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        if (failure instanceof TrinoException trinoException) {
            return trinoException;
        }
        return new TrinoException(PAIMON_WRITE_ERROR, "Cannot write to %s: %s".formatted(handle.name(), failure.getMessage()), failure);
    }
}
