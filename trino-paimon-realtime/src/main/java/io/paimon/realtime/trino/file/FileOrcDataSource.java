package io.paimon.realtime.trino.file;

import io.airlift.slice.Slice;
import io.trino.filesystem.TrinoInput;
import io.trino.filesystem.TrinoInputFile;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;

import java.io.IOException;

/** An ORC file on one of Trino's file systems. */
final class FileOrcDataSource extends AbstractOrcDataSource
{
    private final TrinoInput input;

    FileOrcDataSource(TrinoInputFile file, OrcReaderOptions options) throws IOException
    {
        super(new OrcDataSourceId(file.location().toString()), file.length(), options);
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
    public void close() throws IOException
    {
        input.close();
    }
}
