package io.paimon.realtime.trino.filesystem;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.errorprone.annotations.CheckReturnValue;
import io.airlift.log.Logger;
import io.trino.filesystem.FileEntry;
import io.trino.filesystem.FileIterator;
import io.trino.filesystem.FileMayHaveAlreadyExistedException;
import io.trino.filesystem.Location;
import io.trino.filesystem.TrinoFileSystem;
import io.trino.filesystem.TrinoInputFile;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.RemoteIterator;
import org.apache.paimon.fs.SeekableInputStream;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * Paimon's file operations on a {@link TrinoFileSystem}, for object stores. An atomic write is a conditional put, so that two committers never both win; where the store or its
 * configuration has none, the write fails and says so. A directory made here holds an empty file named {@value #DIRECTORY_MARKER} if the store keeps no directories of its own,
 * and no listing shows it.
 */
@CheckReturnValue
public final class TrinoFileIO implements FileIO
{
    private static final long serialVersionUID = 1L;

    private static final Logger log = Logger.get(TrinoFileIO.class);

    static final String DIRECTORY_MARKER = ".paimon-directory";

    private static final Set<String> STORES_WITHOUT_DIRECTORIES = ImmutableSet.of("s3", "s3a", "s3n", "gs", "memory");

    private final transient TrinoFileSystem fileSystem;

    public TrinoFileIO(TrinoFileSystem fileSystem)
    {
        this.fileSystem = requireNonNull(fileSystem, "fileSystem is null");
    }

    private void writeObject(ObjectOutputStream out) throws IOException
    {
        throw new NotSerializableException("File systems belong to the Trino node that made them");
    }

    @Override
    public boolean isObjectStore()
    {
        return true;
    }

    @Override
    public void configure(CatalogContext context)
    {
        // the file system was configured by Trino's properties
    }

    private static Location location(Path path)
    {
        return Location.of(path.toString());
    }

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException
    {
        return new TrinoFileInputStream(fileSystem.newInputFile(location(path)));
    }

    /** The file is there, whole, when the stream was closed. */
    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException
    {
        if (exists(path)) {
            if (!overwrite) {
                throw new FileAlreadyExistsException(path.toString());
            }
            // not every store replaces what is there
            fileSystem.deleteFile(location(path));
        }
        return new TrinoFileOutputStream(fileSystem.newOutputFile(location(path)).create());
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException
    {
        Optional<FileStatus> file = file(path);
        if (file.isPresent()) {
            return file.get();
        }
        if (isDirectory(path)) {
            return new Status(path, true, 0, 0);
        }
        throw new FileNotFoundException(path.toString());
    }

    private Optional<FileStatus> file(Path path) throws IOException
    {
        Location location = location(path);
        if (isRoot(location)) {
            return Optional.empty();
        }
        TrinoInputFile file = fileSystem.newInputFile(location);
        if (!file.exists() || isRealDirectory(location)) {
            return Optional.empty();
        }
        return Optional.of(new Status(path, false, file.length(), file.lastModified().toEpochMilli()));
    }

    private boolean isDirectory(Path path) throws IOException
    {
        return fileSystem.directoryExists(location(path)).orElse(false);
    }

    /** Some stores that have directories say that they exist as files. */
    private boolean isRealDirectory(Location location) throws IOException
    {
        return !location.scheme().map(STORES_WITHOUT_DIRECTORIES::contains).orElse(false) && fileSystem.directoryExists(location).orElse(false);
    }

    private boolean isFile(Location location) throws IOException
    {
        return !isRoot(location) && fileSystem.newInputFile(location).exists() && !isRealDirectory(location);
    }

    private static boolean isRoot(Location location)
    {
        return location.path().isEmpty();
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException
    {
        ImmutableList.Builder<FileStatus> statuses = ImmutableList.builder();
        // object stores list the whole tree below: costly where there are many levels, but snapshots, manifests and schemas, which are listed often, have one
        statuses.add(listFiles(path, false));
        statuses.add(listDirectories(path));
        List<FileStatus> found = statuses.build();
        if (found.isEmpty()) {
            return file(path).map(file -> new FileStatus[]{file}).orElseGet(() -> new FileStatus[0]);
        }
        return found.toArray(FileStatus[]::new);
    }

    @Override
    public FileStatus[] listFiles(Path path, boolean recursive) throws IOException
    {
        ImmutableList.Builder<FileStatus> files = ImmutableList.builder();
        RemoteIterator<FileStatus> iterator = listFilesIterative(path, recursive);
        while (iterator.hasNext()) {
            files.add(iterator.next());
        }
        return files.build().toArray(FileStatus[]::new);
    }

    @Override
    public RemoteIterator<FileStatus> listFilesIterative(Path path, boolean recursive) throws IOException
    {
        FileIterator files = fileSystem.listFiles(location(path));
        return new FileStatuses(files, recursive ? Optional.empty() : Optional.of(path));
    }

    @Override
    public FileStatus[] listDirectories(Path path) throws IOException
    {
        return fileSystem.listDirectories(location(path)).stream()
                .map(directory -> new Status(new Path(directory.toString()), true, 0, 0))
                .toArray(FileStatus[]::new);
    }

    @Override
    public boolean exists(Path path) throws IOException
    {
        Location location = location(path);
        return (!isRoot(location) && fileSystem.newInputFile(location).exists()) || isDirectory(path);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException
    {
        Location location = location(path);
        if (isFile(location)) {
            fileSystem.deleteFile(location);
            return true;
        }
        if (!isDirectory(path)) {
            return false;
        }
        if (!recursive && (listFiles(path, false).length > 0 || listDirectories(path).length > 0)) {
            throw new IOException("Directory %s is not empty".formatted(path));
        }
        if (recursive) {
            fileSystem.deleteDirectory(location);
        }
        else {
            // a file may come in at any moment: nothing but the marker is taken away
            Location marker = location.appendPath(DIRECTORY_MARKER);
            if (fileSystem.newInputFile(marker).exists()) {
                fileSystem.deleteFile(marker);
            }
        }
        return true;
    }

    @Override
    public void deleteFilesQuietly(List<Path> files)
    {
        try {
            fileSystem.deleteFiles(files.stream().map(TrinoFileIO::location).toList());
        }
        catch (IOException e) {
            log.warn(e, "Cannot delete %s files, the first of them %s", files.size(), files.getFirst());
        }
    }

    @Override
    public boolean mkdirs(Path path) throws IOException
    {
        Location location = location(path);
        fileSystem.createDirectory(location);
        if (!isDirectory(path)) {
            fileSystem.newOutputFile(location.appendPath(DIRECTORY_MARKER)).createOrOverwrite(new byte[0]);
        }
        return true;
    }

    @Override
    public boolean rename(Path source, Path target) throws IOException
    {
        if (exists(target)) {
            return false;
        }
        if (isDirectory(source)) {
            fileSystem.renameDirectory(location(source), location(target));
        }
        else {
            fileSystem.renameFile(location(source), location(target));
        }
        return true;
    }

    /**
     * Puts the file if there is none of this name. True also if the file that is there has this very content: the answer to an earlier try of the same put may have been lost.
     */
    @Override
    public boolean tryToWriteAtomic(Path path, String content) throws IOException
    {
        try {
            fileSystem.newOutputFile(location(path)).createExclusive(content.getBytes(UTF_8));
            return true;
        }
        catch (FileAlreadyExistsException | FileMayHaveAlreadyExistedException e) {
            return readFileUtf8(path).equals(content);
        }
        catch (UnsupportedOperationException e) {
            throw new IOException("%s cannot be written: the file system has no conditional put, without which commits are lost".formatted(path), e);
        }
    }

    @Override
    public void writeFile(Path path, String content, boolean overwrite) throws IOException
    {
        if (overwrite) {
            overwriteFileUtf8(path, content);
        }
        else if (!tryToWriteAtomic(path, content)) {
            throw new FileAlreadyExistsException(path.toString());
        }
    }

    @Override
    public String readFileUtf8(Path path) throws IOException
    {
        try (SeekableInputStream in = newInputStream(path)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Override
    public void overwriteFileUtf8(Path path, String content) throws IOException
    {
        fileSystem.newOutputFile(location(path)).createOrOverwrite(content.getBytes(UTF_8));
    }

    @Override
    public void overwriteHintFile(Path path, String content) throws IOException
    {
        overwriteFileUtf8(path, content);
    }

    private record Status(Path path, boolean directory, long length, long modificationTime) implements FileStatus
    {
        @Override
        public long getLen()
        {
            return length;
        }

        @Override
        public boolean isDir()
        {
            return directory;
        }

        @Override
        public Path getPath()
        {
            return path;
        }

        @Override
        public long getModificationTime()
        {
            return modificationTime;
        }
    }

    /** Files of a tree, or of one level of it. */
    private static final class FileStatuses implements RemoteIterator<FileStatus>
    {
        private final FileIterator files;
        private final Optional<Path> parent;
        private final Deque<FileStatus> ready = new ArrayDeque<>(1);

        private FileStatuses(FileIterator files, Optional<Path> parent)
        {
            this.files = files;
            this.parent = parent;
        }

        @Override
        public boolean hasNext() throws IOException
        {
            while (ready.isEmpty() && files.hasNext()) {
                FileEntry entry = files.next();
                Path path = new Path(entry.location().toString());
                if (!path.getName().equals(DIRECTORY_MARKER) && parent.stream().allMatch(path.getParent()::equals)) {
                    ready.add(new Status(path, false, entry.length(), entry.lastModified().toEpochMilli()));
                }
            }
            return !ready.isEmpty();
        }

        @Override
        public FileStatus next() throws IOException
        {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return ready.remove();
        }
    }
}
