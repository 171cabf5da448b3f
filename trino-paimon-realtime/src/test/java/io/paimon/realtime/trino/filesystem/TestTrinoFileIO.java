package io.paimon.realtime.trino.filesystem;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.filesystem.TrinoFileSystem;
import io.trino.filesystem.memory.MemoryFileSystemFactory;
import io.trino.spi.security.ConnectorIdentity;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.VectoredReadable;
import org.junit.jupiter.api.Test;

/** Paimon's file operations on Trino's file system in memory, which has no directories of its own, like object stores. */
final class TestTrinoFileIO
{
    private static final Path TABLE = new Path("memory:///warehouse/s.db/t");

    private final TrinoFileSystem fileSystem = new MemoryFileSystemFactory().create(ConnectorIdentity.ofUser("test"));
    private final TrinoFileIO files = new TrinoFileIO(fileSystem);

    private static List<String> names(FileStatus[] statuses)
    {
        return Arrays.stream(statuses).map(status -> status.getPath().getName()).sorted().toList();
    }

    @Test
    void anAtomicWriteIsWonOnce() throws IOException
    {
        Path snapshot = new Path(TABLE, "snapshot/snapshot-1");
        assertThat(files.tryToWriteAtomic(snapshot, "mine")).isTrue();
        assertThat(files.tryToWriteAtomic(snapshot, "theirs")).isFalse();
        assertThat(files.readFileUtf8(snapshot)).isEqualTo("mine");
        // the put went through, its answer was lost, and it is tried again
        assertThat(files.tryToWriteAtomic(snapshot, "mine")).isTrue();
    }

    @Test
    void filesAreReplacedOnlyWhereAskedFor() throws IOException
    {
        Path hint = new Path(TABLE, "snapshot/LATEST");
        files.overwriteHintFile(hint, "1");
        files.overwriteFileUtf8(hint, "2");
        assertThat(files.readFileUtf8(hint)).isEqualTo("2");
        files.writeFile(hint, "3", true);
        assertThatThrownBy(() -> files.writeFile(hint, "4", false)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> files.newOutputStream(hint, false)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(files.readFileUtf8(hint)).isEqualTo("3");
    }

    @Test
    void listingsShowOneLevelOrAll() throws IOException
    {
        assertThat(files.listStatus(TABLE)).isEmpty();
        files.writeFile(new Path(TABLE, "p=1/bucket-0/data-1"), "1", false);
        files.writeFile(new Path(TABLE, "p=1/bucket-0/data-2"), "22", false);
        files.writeFile(new Path(TABLE, "README"), "", false);
        assertThat(names(files.listStatus(TABLE))).containsExactly("README", "p=1");
        assertThat(names(files.listDirectories(TABLE))).containsExactly("p=1");
        assertThat(names(files.listFiles(TABLE, false))).containsExactly("README");
        assertThat(names(files.listFiles(TABLE, true))).containsExactly("README", "data-1", "data-2");
        assertThat(names(files.listStatus(new Path(TABLE, "README")))).containsExactly("README");

        FileStatus file = files.getFileStatus(new Path(TABLE, "p=1/bucket-0/data-2"));
        assertThat(file.getLen()).isEqualTo(2);
        assertThat(file.isDir()).isFalse();
        assertThat(file.getModificationTime()).isPositive();
        assertThat(files.getFileStatus(new Path(TABLE, "p=1")).isDir()).isTrue();
        assertThatThrownBy(() -> files.getFileStatus(new Path(TABLE, "p=2"))).isInstanceOf(FileNotFoundException.class);
    }

    @Test
    void aDirectoryThatWasMadeIsThere() throws IOException
    {
        Path database = TABLE.getParent();
        assertThat(files.exists(database)).isFalse();
        assertThat(files.mkdirs(database)).isTrue();
        assertThat(files.mkdirs(database)).isTrue();
        assertThat(files.exists(database)).isTrue();
        assertThat(names(files.listDirectories(database.getParent()))).containsExactly("s.db");
        assertThat(files.listStatus(database)).isEmpty();
        assertThat(files.listFiles(database, true)).isEmpty();
        // empty in the eyes of Paimon
        assertThat(files.delete(database, false)).isTrue();
        assertThat(files.exists(database)).isFalse();
        assertThat(files.delete(database, false)).isFalse();
    }

    @Test
    void deletes() throws IOException
    {
        Path data = new Path(TABLE, "bucket-0/data-1");
        files.writeFile(data, "1", false);
        assertThatThrownBy(() -> files.delete(TABLE, false)).hasMessageContaining("is not empty");
        assertThat(files.delete(data, false)).isTrue();
        assertThat(files.delete(data, false)).isFalse();
        files.writeFile(data, "1", false);
        files.writeFile(new Path(TABLE, "bucket-0/data-2"), "1", false);
        files.deleteFilesQuietly(List.of(data));
        assertThat(names(files.listFiles(TABLE, true))).containsExactly("data-2");
        assertThat(files.delete(TABLE, true)).isTrue();
        assertThat(files.exists(TABLE)).isFalse();
    }

    @Test
    void renames() throws IOException
    {
        Path source = new Path(TABLE, "tag/tag-a");
        Path target = new Path(TABLE, "tag/tag-b");
        files.writeFile(source, "a", false);
        assertThat(files.rename(source, target)).isTrue();
        assertThat(files.readFileUtf8(target)).isEqualTo("a");
        files.writeFile(source, "again", false);
        assertThat(files.rename(source, target)).describedAs("nothing is overwritten").isFalse();
        assertThat(files.readFileUtf8(target)).isEqualTo("a");
    }

    @Test
    void streamsSeekAndReadRanges() throws IOException
    {
        Path data = new Path(TABLE, "data-1");
        try (PositionOutputStream out = files.newOutputStream(data, false)) {
            out.write('0');
            out.write("123".getBytes(UTF_8));
            out.write("x456789x".getBytes(UTF_8), 1, 6);
            assertThat(out.getPos()).isEqualTo(10);
        }
        try (SeekableInputStream in = files.newInputStream(data)) {
            assertThat(in.read()).isEqualTo('0');
            in.seek(8);
            byte[] range = new byte[3];
            ((VectoredReadable) in).preadFully(2, range, 0, 3);
            assertThat(new String(range, UTF_8)).isEqualTo("234");
            assertThat(in.getPos()).isEqualTo(8);
            assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo("89");
            assertThat(in.read()).isEqualTo(-1);
            assertThatThrownBy(() -> ((VectoredReadable) in).preadFully(9, range, 0, 3)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> files.newInputStream(new Path(TABLE, "data-2")).read()).isInstanceOf(FileNotFoundException.class);
    }

    @Test
    void itStaysOnItsNode()
    {
        assertThatThrownBy(() -> new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(files)).isInstanceOf(NotSerializableException.class);
    }
}
