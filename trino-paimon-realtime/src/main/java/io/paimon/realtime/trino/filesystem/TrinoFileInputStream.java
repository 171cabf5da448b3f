package io.paimon.realtime.trino.filesystem;

import io.trino.filesystem.TrinoInput;
import io.trino.filesystem.TrinoInputFile;
import io.trino.filesystem.TrinoInputStream;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.VectoredReadable;

import java.io.IOException;

/** A file read from a position on, and in ranges beside that. For one thread, but for the ranges. */
final class TrinoFileInputStream extends SeekableInputStream implements VectoredReadable
{
    private final TrinoInputFile file;
    private final TrinoInputStream stream;
    private TrinoInput ranges;

    TrinoFileInputStream(TrinoInputFile file) throws IOException
    {
        this.file = file;
        this.stream = file.newStream();
    }

    @Override
    public void seek(long position) throws IOException
    {
        stream.seek(position);
    }

    @Override
    public long getPos() throws IOException
    {
        return stream.getPosition();
    }

    @Override
    public int read() throws IOException
    {
        return stream.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException
    {
        return stream.read(buffer, offset, length);
    }

    @Override
    public long skip(long count) throws IOException
    {
        return stream.skip(count);
    }

    @Override
    public int available() throws IOException
    {
        return stream.available();
    }

    /** Reads all of the range, or fails. */
    @Override
    public int pread(long position, byte[] buffer, int offset, int length) throws IOException
    {
        ranges().readFully(position, buffer, offset, length);
        return length;
    }

    private synchronized TrinoInput ranges() throws IOException
    {
        if (ranges == null) {
            ranges = file.newInput();
        }
        return ranges;
    }

    @Override
    public synchronized void close() throws IOException
    {
        try (stream; TrinoInput opened = ranges) {
            ranges = null;
        }
    }
}
