package io.paimon.realtime.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The directory of one service: locked against every other service, of this JVM or another, and with an id of its own.
 */
final class DataDirectory implements AutoCloseable
{
    @GuardedBy("DataDirectory.class")
    private static final Set<Path> IN_USE = new HashSet<>();

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;
    private final String id;

    private DataDirectory(Path path, FileChannel channel, FileLock lock, String id)
    {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
        this.id = id;
    }

    /**
     * @throws RealtimeException UNAVAILABLE if the directory cannot be used or another service has it
     */
    static DataDirectory open(Path directory)
    {
        Path path;
        try {
            Files.createDirectories(directory);
            path = directory.toRealPath();
        }
        catch (IOException e) {
            throw new RealtimeException(Code.UNAVAILABLE, "paimon.realtime.data-directory %s cannot be used: %s".formatted(directory, e), e);
        }
        synchronized (DataDirectory.class) {
            // within one JVM a file lock is an exception, not an answer
            if (!IN_USE.add(path)) {
                throw new RealtimeException(Code.UNAVAILABLE,
                        "paimon.realtime.data-directory %s is used by another catalog of this server".formatted(path));
            }
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new RealtimeException(Code.UNAVAILABLE, "paimon.realtime.data-directory %s is used by another process".formatted(path));
            }
            Path idFile = path.resolve("id");
            if (!Files.exists(idFile)) {
                Path temporary = path.resolve("id.tmp");
                Files.writeString(temporary, UUID.randomUUID().toString());
                Files.move(temporary, idFile);
            }
            DataDirectory opened = new DataDirectory(path, channel, lock, Files.readString(idFile).strip());
            opened.clear(opened.staging());
            return opened;
        }
        catch (IOException | RuntimeException e) {
            synchronized (DataDirectory.class) {
                IN_USE.remove(path);
            }
            try {
                if (channel != null) {
                    channel.close();
                }
            }
            catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            if (e instanceof RealtimeException realtimeException) {
                throw realtimeException;
            }
            throw new RealtimeException(Code.UNAVAILABLE, "paimon.realtime.data-directory %s cannot be used: %s".formatted(path, e), e);
        }
    }

    String id()
    {
        return id;
    }

    /** Where statements keep their rows until they are published; emptied at every start. */
    Path staging()
    {
        return path.resolve("staging");
    }

    /** Deletes a folder below this one. */
    void clear(Path folder) throws IOException
    {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((left, right) -> right.compareTo(left)).toList()) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close()
    {
        try (channel) {
            lock.release();
        }
        catch (IOException e) {
            throw new RealtimeException(Code.INTERNAL, "Cannot give up %s: %s".formatted(path, e), e);
        }
        finally {
            synchronized (DataDirectory.class) {
                IN_USE.remove(path);
            }
        }
    }
}
