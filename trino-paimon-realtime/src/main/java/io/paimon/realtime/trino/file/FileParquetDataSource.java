package io.paimon.realtime.trino.file;

import io.airlift.slice.Slice;
import io.trino.filesystem.TrinoInput;
import io.trino.filesystem.TrinoInputFile;
import io.trino.parquet.AbstractParquetDataSource;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;

/** A Parquet file on one of Trino's file systems. */
final class FileParquetDataSource extends AbstractParquetDataSource
{
    private final TrinoInput input;

    FileParquetDataSource(TrinoInputFile file, ParquetReaderOptions options) throws IOException
    {
        super(new ParquetDataSourceId(file.location().toString()), file.length(), options);
        this.input = file.newInput();
    }

    @Override
    protected Slice readTailInternal(int length) throws IOException
    {
        return input.readTail(length);
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength) throws IOException
    {
        input.readFully(position, buffer, bufferOffset, bufferLength);
    }

    @Override
    public Metrics getMetrics()
    {
        return input.getMetrics();
    }

    @Override
    public void close() throws IOException
    {
        input.close();
    }
}
