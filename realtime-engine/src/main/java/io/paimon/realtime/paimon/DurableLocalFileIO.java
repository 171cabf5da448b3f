package io.paimon.realtime.paimon;

import com.google.errorprone.annotations.CheckReturnValue;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.local.LocalFileIO;

/**
 * Paimon's local file system with the two things it lacks: what was closed is on the disk (files and their directories are forced), and an atomic write is exclusive over
 * all processes of the machine (a hard link, where Paimon's own checks and then renames over what another process wrote meanwhile).
 */
@CheckReturnValue
public final class DurableLocalFileIO extends LocalFileIO
{
    private static final long serialVersionUID = 1L;

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException
    {
        return new BufferedLocalInput(toFile(path));
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException
    {
        File file = toFile(path);
        java.nio.file.Path parent = file.toPath().toAbsolutePath().getParent();
        if (!Files.isDirectory(parent)) {
            createDirectories(parent);
        }
        FileChannel channel = overwrite
                ? FileChannel.open(file.toPath(), StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)
                : FileChannel.open(file.toPath(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new ForcedOutputStream(channel, parent);
    }

    @Override
    public boolean tryToWriteAtomic(Path path, String content) throws IOException
    {
        java.nio.file.Path target = toFile(path).toPath().toAbsolutePath();
        createDirectories(target.getParent());
        java.nio.file.Path temporary = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
        try {
            Path temporaryPath = new Path(path.getParent(), temporary.getFileName().toString());
            writeFile(temporaryPath, content, false);
            Files.createLink(target, temporary);
            forceDirectory(target.getParent());
            return true;
        }
        catch (FileAlreadyExistsException e) {
            return false;
        }
        finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Replaces the file at once: a reader sees the old content or the new one, never a part. */
    @Override
    public void overwriteFileUtf8(Path path, String content) throws IOException
    {
        java.nio.file.Path target = toFile(path).toPath().toAbsolutePath();
        java.nio.file.Path temporary = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
        try {
            writeFile(new Path(path.getParent(), temporary.getFileName().toString()), content, false);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            forceDirectory(target.getParent());
        }
        finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void createDirectories(java.nio.file.Path directory) throws IOException
    {
        if (Files.isDirectory(directory)) {
            return;
        }
        java.nio.file.Path existing = directory;
        while (existing != null && !Files.isDirectory(existing)) {
            existing = existing.getParent();
        }
        Files.createDirectories(directory);
        for (java.nio.file.Path made = directory; made != null && !made.equals(existing); made = made.getParent()) {
            forceDirectory(made.getParent());
        }
    }

    static void forceDirectory(java.nio.file.Path directory) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Forces the file, then its directory entry, when it is closed. */
    private static final class ForcedOutputStream extends PositionOutputStream
    {
        private final FileChannel channel;
        private final OutputStream out;
        private final java.nio.file.Path directory;

        private ForcedOutputStream(FileChannel channel, java.nio.file.Path directory)
        {
            this.channel = channel;
            this.out = Channels.newOutputStream(channel);
            this.directory = directory;
        }

        @Override
        public long getPos() throws IOException
        {
            return channel.position();
        }

        @Override
        public void write(int value) throws IOException
        {
            out.write(value);
        }

        @Override
        public void write(byte[] bytes) throws IOException
        {
            out.write(bytes);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException
        {
            out.write(bytes, offset, length);
        }

        @Override
        public void flush()
        {
            // nothing is buffered here; durability comes with close
        }

        @Override
        public void close() throws IOException
        {
            if (!channel.isOpen()) {
                return;
            }
            try (channel) {
                channel.force(true);
            }
            forceDirectory(directory);
        }
    }
}
