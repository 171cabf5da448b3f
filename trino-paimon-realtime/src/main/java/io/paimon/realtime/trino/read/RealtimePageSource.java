package io.paimon.realtime.trino.read;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import com.google.common.collect.ImmutableList;
import io.paimon.realtime.trino.arrow.ArrowBlockReader;
import io.paimon.realtime.trino.arrow.ArrowColumn;
import io.paimon.realtime.trino.arrow.ArrowRows;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.io.Closer;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.trino.writer.RealtimeCarrier.OpenRead;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ObjLongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.vector.FieldVector;
import org.apache.paimon.types.RowType;

/**
 * Pages from rows in the writer's memory. A column is copied when it is first asked for, and then only the rows that are still selected.
 *
 * <p>A page reads the writer's memory until the next page is asked for or the page source is closed, which another thread may do at any time: copying and closing exclude each other.
 */
final class RealtimePageSource implements ConnectorPageSource
{
    private static final int MAX_PAGE_POSITIONS = 8192;

    private final Deque<MemBatchReader> readers;
    private final int columnCount;
    /** One for each column. */
    @GuardedBy("this")
    private final List<ArrowBlockReader> blockReaders;
    private final OpenRead source;
    private final MemoryContext memoryContext;
    @GuardedBy("this")
    private MemBatch batch;
    private long batchBytes;
    /** Those of the batch's columns that were asked for. */
    @GuardedBy("this")
    private final ArrowColumn[] batchColumns;
    private int next;
    private long completedPositions;
    private long completedBytes;
    private long readTimeNanos;
    @GuardedBy("this")
    private boolean closed;

    /**
     * @param source its readers are closed with this page source
     * @param blockReaders one for each column
     * @param memoryContext told what the rows in hand take: received ones, and in place those that this page source keeps the writer from giving up
     */
    RealtimePageSource(OpenRead source, List<ArrowBlockReader> blockReaders, MemoryContext memoryContext)
    {
        this.source = requireNonNull(source, "source is null");
        this.readers = new ArrayDeque<>(source.readers());
        this.columnCount = blockReaders.size();
        this.blockReaders = ImmutableList.copyOf(blockReaders);
        this.memoryContext = requireNonNull(memoryContext, "memoryContext is null");
        this.batchColumns = new ArrowColumn[columnCount];
    }

    /** What makes blocks of the columns of a read. */
    static List<ArrowBlockReader> blockReaders(RowType readType, List<PaimonColumnHandle> columns)
    {
        return IntStream.range(0, columns.size())
                .mapToObj(i -> ArrowBlockReader.create(readType.getTypeAt(i), columns.get(i).type()))
                .collect(toImmutableList());
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        long start = System.nanoTime();
        try {
            MemBatch current = current();
            memoryContext.setBytes(batchBytes);
            if (current == null) {
                return null;
            }
            int count = Math.min(MAX_PAGE_POSITIONS, current.rowCount() - next);
            ArrowRows rows = current.isRange()
                    ? ArrowRows.range(current.from() + next, count)
                    : new ArrowRows(current.positions(), next, count);
            next += count;
            completedPositions += count;
            return columnCount == 0 ? SourcePage.create(count) : new MemoryPage(current, rows);
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
        finally {
            readTimeNanos += System.nanoTime() - start;
        }
    }

    /** The batch that has rows left; null at the end. */
    private MemBatch current()
    {
        while (true) {
            MemBatchReader reader;
            synchronized (this) {
                if (closed) {
                    return null;
                }
                if (batch != null && next < batch.rowCount()) {
                    return batch;
                }
                if (batch != null) {
                    batch.close();
                    batch = null;
                    batchBytes = 0;
                }
                if (readers.isEmpty()) {
                    return null;
                }
                reader = readers.getFirst();
            }
            // may wait for the network: closing must not wait for it
            Optional<MemBatch> following = reader.next();
            synchronized (this) {
                if (closed) {
                    following.ifPresent(MemBatch::close);
                    return null;
                }
                next = 0;
                if (following.isPresent()) {
                    batch = following.get();
                    batchBytes = bytes(batch);
                    Arrays.fill(batchColumns, null);
                }
                else {
                    readers.removeFirst().close();
                }
            }
        }
    }

    private static long bytes(MemBatch batch)
    {
        return batch.columns().stream().mapToLong(FieldVector::getBufferSize).sum();
    }

    private synchronized Block load(MemBatch source, ArrowRows rows, int channel)
    {
        if (closed || source != batch) {
            throw new IllegalStateException("The page is no longer valid");
        }
        long start = System.nanoTime();
        if (batchColumns[channel] == null) {
            batchColumns[channel] = blockReaders.get(channel).column(source.columns().get(channel));
        }
        Block block = blockReaders.get(channel).read(batchColumns[channel], rows);
        completedBytes += block.getSizeInBytes();
        readTimeNanos += System.nanoTime() - start;
        return block;
    }

    /** Rows of a batch that are copied on demand. */
    private final class MemoryPage implements SourcePage
    {
        private final MemBatch source;
        private final Block[] blocks = new Block[columnCount];
        private ArrowRows rows;

        private MemoryPage(MemBatch source, ArrowRows rows)
        {
            this.source = source;
            this.rows = rows;
        }

        @Override
        public int getPositionCount()
        {
            return rows.count();
        }

        @Override
        public long getSizeInBytes()
        {
            return loaded().mapToLong(Block::getSizeInBytes).sum();
        }

        @Override
        public long getRetainedSizeInBytes()
        {
            return loaded().mapToLong(Block::getRetainedSizeInBytes).sum();
        }

        @Override
        public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer)
        {
            loaded().forEach(block -> block.retainedBytesForEachPart(consumer));
        }

        private Stream<Block> loaded()
        {
            return Arrays.stream(blocks).filter(Objects::nonNull);
        }

        @Override
        public int getChannelCount()
        {
            return blocks.length;
        }

        @Override
        public Block getBlock(int channel)
        {
            if (blocks[channel] == null) {
                blocks[channel] = load(source, rows, channel);
            }
            return blocks[channel];
        }

        @Override
        public Page getPage()
        {
            for (int channel = 0; channel < blocks.length; channel++) {
                getBlock(channel);
            }
            return new Page(rows.count(), blocks.clone());
        }

        @Override
        public void selectPositions(int[] positions, int offset, int size)
        {
            rows = rows.select(positions, offset, size);
            for (int channel = 0; channel < blocks.length; channel++) {
                if (blocks[channel] != null) {
                    blocks[channel] = blocks[channel].getPositions(positions, offset, size);
                }
            }
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
    public synchronized boolean isFinished()
    {
        return closed || (readers.isEmpty() && (batch == null || next == batch.rowCount()));
    }

    @Override
    public Metrics getMetrics()
    {
        ScanMetrics metrics = new ScanMetrics().add(source.inPlace() ? ScanMetrics.MEMORY_IN_PLACE : ScanMetrics.MEMORY_OVER_FLIGHT,
                completedPositions);
        if (source.inPlace()) {
            metrics.add(ScanMetrics.MEMORY_SCANNED, source.context().rowsScanned().sum())
                    .add(ScanMetrics.MEMORY_BATCHES_PRUNED, source.context().batchesPruned().sum());
        }
        return metrics.build();
    }

    @Override
    public synchronized void close() throws IOException
    {
        if (closed) {
            return;
        }
        closed = true;
        // one that fails keeps nothing else from being given up
        try (Closer closer = Closer.create()) {
            readers.forEach(reader -> closer.register(reader::close));
            readers.clear();
            if (batch != null) {
                MemBatch held = batch;
                closer.register(held::close);
                batch = null;
            }
        }
    }
}
