package io.paimon.realtime.service;

import com.google.common.collect.Sets;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.paimon.types.RowType;

/**
 * Rows of one statement until it is published: every part, the work of one task attempt, is some Arrow files in its folder, so that a statement of any size holds no memory.
 */
final class StagedStatement
{
    private final Path folder;
    private final RowType schema;
    @GuardedBy("this")
    private final Map<String, List<Path>> parts = new HashMap<>();
    @GuardedBy("this")
    private boolean closed;
    /** Names the files: each has a name that none had before. */
    @GuardedBy("this")
    private long fileCount;
    @GuardedBy("this")
    private long bytes;

    StagedStatement(Path folder, RowType schema)
    {
        this.folder = folder;
        this.schema = schema;
    }

    RowType schema()
    {
        return schema;
    }

    /** Writes one batch in canonical form. */
    synchronized void add(String part, VectorSchemaRoot rows)
    {
        if (closed) {
            throw new RealtimeException(Code.NOT_FOUND, "The statement is already published or abandoned");
        }
        Path file = folder.resolve(Long.toString(fileCount++) + ".arrow");
        try {
            Files.createDirectories(folder);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                write(rows, file, channel);
            }
        }
        catch (IOException e) {
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Cannot stage rows in %s: %s".formatted(folder, e), e);
        }
        parts.computeIfAbsent(part, _ -> new ArrayList<>()).add(file);
    }

    /** Writes a file that is new; a failure leaves none. */
    @GuardedBy("this")
    private void write(VectorSchemaRoot rows, Path file, FileChannel channel) throws IOException
    {
        try (ArrowFileWriter writer = new ArrowFileWriter(rows, null, channel)) {
            writer.writeBatch();
            writer.end();
            bytes += Files.size(file);
        }
        catch (IOException | RuntimeException e) {
            try {
                Files.deleteIfExists(file);
            }
            catch (IOException deletion) {
                e.addSuppressed(deletion);
            }
            throw e;
        }
    }

    /**
     * Files of the named parts; no row can be added any more.
     *
     * @throws RealtimeException NOT_FOUND if a part is not there
     */
    synchronized List<Path> seal(Set<String> published)
    {
        closed = true;
        if (!parts.keySet().containsAll(published)) {
            throw new RealtimeException(Code.NOT_FOUND, "Rows of the statement are missing: parts %s are not staged".formatted(
                    Sets.difference(published, parts.keySet())));
        }
        return parts.entrySet().stream().filter(entry -> published.contains(entry.getKey())).flatMap(entry -> entry.getValue().stream()).toList();
    }

    synchronized long bytes()
    {
        return bytes;
    }

    Path folder()
    {
        return folder;
    }
}
