package io.paimon.realtime.trino.filesystem;

import org.apache.paimon.fs.PositionOutputStream;

import java.io.IOException;
import java.io.OutputStream;

/** Counts what is written to a file. */
final class TrinoFileOutputStream extends PositionOutputStream
{
    private final OutputStream out;
    private long position;

    TrinoFileOutputStream(OutputStream out)
    {
        this.out = out;
    }

    @Override
    public long getPos()
    {
        return position;
    }

    @Override
    public void write(int value) throws IOException
    {
        out.write(value);
        position++;
    }

    @Override
    public void write(byte[] bytes) throws IOException
    {
        write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException
    {
        out.write(bytes, offset, length);
        position += length;
    }

    @Override
    public void flush() throws IOException
    {
        out.flush();
    }

    @Override
    public void close() throws IOException
    {
        out.close();
    }
}
