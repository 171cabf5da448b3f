package io.paimon.realtime.testing;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;

/**
 * A file system on the heap with the promises of an object store: a file appears whole when its stream is closed, and an atomic write is exclusive. Folders exist as long as something is in
 * them. For tests that make thousands of tables.
 */
public final class MemoryFileIO implements FileIO
{
    private static final long serialVersionUID = 1L;

    private final transient NavigableMap<String, byte[]> files = new ConcurrentSkipListMap<>();

    /** A file system of its own with the files there are now. */
    public MemoryFileIO copy()
    {
        MemoryFileIO copy = new MemoryFileIO();
        copy.files.putAll(files);
        return copy;
    }

    /** Drops everything. */
    public void clear()
    {
        files.clear();
    }

    @Override
    public boolean isObjectStore()
    {
        return true;
    }

    @Override
    public void configure(CatalogContext context)
    {}

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException
    {
        byte[] bytes = files.get(path.toString());
        if (bytes == null) {
            throw new FileNotFoundException(path.toString());
        }
        return new HeapInputStream(bytes);
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException
    {
        if (!overwrite && files.containsKey(path.toString())) {
            throw new FileAlreadyExistsException(path.toString());
        }
        return new HeapOutputStream(path.toString());
    }

    @Override
    public boolean tryToWriteAtomic(Path path, String content)
    {
        return files.putIfAbsent(path.toString(), content.getBytes(StandardCharsets.UTF_8)) == null;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException
    {
        byte[] bytes = files.get(path.toString());
        if (bytes != null) {
            return new Status(path, bytes.length, false);
        }
        if (isFolder(path)) {
            return new Status(path, 0, true);
        }
        throw new FileNotFoundException(path.toString());
    }

    private boolean isFolder(Path path)
    {
        String next = files.ceilingKey(path + "/");
        return next != null && next.startsWith(path + "/");
    }

    @Override
    public FileStatus[] listStatus(Path path)
    {
        String prefix = path + "/";
        Map<String, FileStatus> children = new LinkedHashMap<>();
        for (Map.Entry<String, byte[]> entry : files.tailMap(prefix).entrySet()) {
            if (!entry.getKey().startsWith(prefix)) {
                break;
            }
            String rest = entry.getKey().substring(prefix.length());
            int slash = rest.indexOf('/');
            String name = slash < 0 ? rest : rest.substring(0, slash);
            children.putIfAbsent(name, new Status(new Path(path, name), slash < 0 ? entry.getValue().length : 0, slash >= 0));
        }
        return children.values().toArray(FileStatus[]::new);
    }

    @Override
    public boolean exists(Path path)
    {
        return files.containsKey(path.toString()) || isFolder(path);
    }

    @Override
    public boolean delete(Path path, boolean recursive)
    {
        boolean deleted = files.remove(path.toString()) != null;
        if (recursive) {
            deleted |= files.subMap(path + "/", path + "0").keySet().removeIf(_ -> true);
        }
        return deleted;
    }

    @Override
    public boolean mkdirs(Path path)
    {
        return true;
    }

    @Override
    public boolean rename(Path from, Path to)
    {
        byte[] bytes = files.get(from.toString());
        if (bytes == null || files.putIfAbsent(to.toString(), bytes) != null) {
            return false;
        }
        files.remove(from.toString());
        return true;
    }

    private record Status(Path path, long length, boolean folder) implements FileStatus
    {
        @Override
        public long getLen()
        {
            return length;
        }

        @Override
        public boolean isDir()
        {
            return folder;
        }

        @Override
        public Path getPath()
        {
            return path;
        }

        @Override
        public long getModificationTime()
        {
            return 0;
        }
    }

    private static final class HeapInputStream extends SeekableInputStream
    {
        private final byte[] bytes;
        private int position;

        private HeapInputStream(byte[] bytes)
        {
            this.bytes = bytes;
        }

        @Override
        public void seek(long target)
        {
            position = Math.toIntExact(target);
        }

        @Override
        public long getPos()
        {
            return position;
        }

        @Override
        public int read()
        {
            return position < bytes.length ? bytes[position++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length)
        {
            if (length == 0) {
                return 0;
            }
            int count = Math.min(length, bytes.length - position);
            if (count <= 0) {
                return -1;
            }
            System.arraycopy(bytes, position, target, offset, count);
            position += count;
            return count;
        }

        @Override
        public void close()
        {}
    }

    private final class HeapOutputStream extends PositionOutputStream
    {
        private final String path;
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        private HeapOutputStream(String path)
        {
            this.path = path;
        }

        @Override
        public long getPos()
        {
            return out.size();
        }

        @Override
        public void write(int value)
        {
            out.write(value);
        }

        @Override
        public void write(byte[] bytes)
        {
            out.writeBytes(bytes);
        }

        @Override
        public void write(byte[] bytes, int offset, int length)
        {
            out.write(bytes, offset, length);
        }

        @Override
        public void flush()
        {}

        @Override
        public void close()
        {
            files.put(path, out.toByteArray());
        }
    }
}
