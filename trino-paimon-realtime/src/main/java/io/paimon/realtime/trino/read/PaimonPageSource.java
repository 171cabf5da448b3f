package io.paimon.realtime.trino.read;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.paimon.realtime.trino.block.ColumnAppender;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.trino.spi.PageBuilder;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.columnar.VectorizedColumnBatch;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.reader.RecordReader.RecordIterator;
import org.apache.paimon.reader.VectorizedRecordIterator;
import org.apache.paimon.types.RowType;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/** Pages from a reader of Paimon, vector by vector where it yields vectors. */
class PaimonPageSource implements ConnectorPageSource
{
    private static final int MAX_PAGE_POSITIONS = 8192;

    private final RecordReader<InternalRow> reader;
    private final List<ColumnAppender> appenders;
    private final PaimonTableHandle handle;
    private final MemoryContext memoryContext;
    private final PageBuilder pageBuilder;
    private final String metric;

    private RecordIterator<InternalRow> batch;
    private boolean finished;
    private long completedBytes;
    private long completedPositions;
    private long readTimeNanos;
    private boolean byColumns;

    /**
     * @param reader closed with this page source
     * @param metric where rows are counted that are read one by one
     * @param readType types of what the reader yields; one field per column, or any if there are no columns
     */
    PaimonPageSource(RecordReader<InternalRow> reader, RowType readType, List<PaimonColumnHandle> columns, PaimonTableHandle handle,
            MemoryContext memoryContext, String metric)
    {
        this.metric = requireNonNull(metric, "metric is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.handle = requireNonNull(handle, "handle is null");
        this.memoryContext = requireNonNull(memoryContext, "memoryContext is null");
        this.appenders = IntStream.range(0, columns.size())
                .mapToObj(i -> ColumnAppender.create(readType.getTypeAt(i), columns.get(i).type()))
                .collect(toImmutableList());
        this.pageBuilder = new PageBuilder(columns.stream().map(PaimonColumnHandle::type).collect(toImmutableList()));
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        if (finished) {
            return null;
        }
        long start = System.nanoTime();
        try {
            fillPage();
        }
        catch (IOException | RuntimeException e) {
            throw PaimonPageSourceProvider.readFailure(handle, e);
        }
        finally {
            readTimeNanos += System.nanoTime() - start;
        }
        memoryContext.setBytes(pageBuilder.getRetainedSizeInBytes());
        if (pageBuilder.isEmpty()) {
            return null;
        }
        SourcePage page = SourcePage.create(pageBuilder.build());
        completedPositions += page.getPositionCount();
        completedBytes += page.getSizeInBytes();
        pageBuilder.reset();
        if (handle.limit().isPresent() && handle.unenforced().isAll() && completedPositions >= handle.limit().getAsLong()) {
            finished = true;
        }
        return page;
    }

    private void fillPage()
            throws IOException
    {
        while (!pageBuilder.isFull() && pageBuilder.getPositionCount() < MAX_PAGE_POSITIONS) {
            if (batch == null) {
                batch = reader.readBatch();
                if (batch == null) {
                    finished = true;
                    return;
                }
                if (batch instanceof VectorizedRecordIterator vectorized) {
                    byColumns = true;
                    append(vectorized.batch());
                    releaseBatch();
                    continue;
                }
            }
            InternalRow row = batch.next();
            if (row == null) {
                releaseBatch();
                continue;
            }
            pageBuilder.declarePosition();
            for (int i = 0; i < appenders.size(); i++) {
                appenders.get(i).append(row, i, pageBuilder.getBlockBuilder(i));
            }
        }
    }

    private void append(VectorizedColumnBatch vectors)
    {
        int rows = vectors.getNumRows();
        for (int i = 0; i < appenders.size(); i++) {
            appenders.get(i).append(vectors.columns[i], rows, pageBuilder.getBlockBuilder(i));
        }
        pageBuilder.declarePositions(rows);
    }

    private void releaseBatch()
    {
        batch.releaseBatch();
        batch = null;
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
        return finished && pageBuilder.isEmpty();
    }

    @Override
    public Metrics getMetrics()
    {
        return new ScanMetrics().add(byColumns ? ScanMetrics.DISK_COLUMNS : metric, completedPositions).build();
    }

    @Override
    public void close()
            throws IOException
    {
        finished = true;
        memoryContext.setBytes(0);
        reader.close();
    }
}
