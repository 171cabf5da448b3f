package io.paimon.realtime.paimon;

import java.io.File;
import java.io.IOException;
import java.util.Objects;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.VectoredReadable;
import org.apache.paimon.fs.local.LocalFileIO.LocalSeekableInputStream;

/**
 * A local file, read through a buffer: Avro looks for the end of a manifest's header byte by byte, and each would be a system call.
 *
 * <p>Used by one thread, but for {@link #pread}, which has no position and takes no part in the buffer.
 */
final class BufferedLocalInput extends SeekableInputStream implements VectoredReadable
{
    static final int BUFFER_BYTES = 8192;

    private final LocalSeekableInputStream in;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    /** Position of the buffer's first byte in the file; the file itself stands at {@code start + length}. */
    private long start;
    private int length;
    private int next;

    BufferedLocalInput(File file) throws IOException
    {
        this.in = new LocalSeekableInputStream(file);
    }

    @Override
    public void seek(long position) throws IOException
    {
        if (position >= start && position <= start + length) {
            next = (int) (position - start);
            return;
        }
        in.seek(position);
        start = position;
        length = 0;
        next = 0;
    }

    @Override
    public long getPos()
    {
        return start + next;
    }

    @Override
    public int read() throws IOException
    {
        if (next == length && !fill()) {
            return -1;
        }
        return buffer[next++] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException
    {
        Objects.checkFromIndexSize(offset, count, target.length);
        if (count == 0) {
            return 0;
        }
        if (next == length && count >= BUFFER_BYTES) {
            int read = in.read(target, offset, count);
            start += length + Math.max(read, 0);
            length = 0;
            next = 0;
            return read;
        }
        if (next == length && !fill()) {
            return -1;
        }
        int copied = Math.min(count, length - next);
        System.arraycopy(buffer, next, target, offset, copied);
        next += copied;
        return copied;
    }

    /** Whether there is another byte. */
    private boolean fill() throws IOException
    {
        start += length;
        length = 0;
        next = 0;
        length = Math.max(in.read(buffer, 0, BUFFER_BYTES), 0);
        return length > 0;
    }

    @Override
    public int pread(long position, byte[] target, int offset, int count) throws IOException
    {
        return in.pread(position, target, offset, count);
    }

    @Override
    public void close() throws IOException
    {
        in.close();
    }
}
