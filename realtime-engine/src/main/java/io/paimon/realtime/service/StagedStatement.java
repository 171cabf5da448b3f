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
 * Rows of one statement until it is published: every part, the work of one task attempt, is a folder of Arrow files, so that a statement of any size holds no memory.
 */
final class StagedStatement
{
    private final Path folder;
    private final RowType schema;
    @GuardedBy("this")
    private final Map<String, List<Path>> parts = new HashMap<>();
    @GuardedBy("this")
    private boolean closed;
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
        List<Path> files = parts.computeIfAbsent(part, _ -> new ArrayList<>());
        Path file = folder.resolve(parts.size() + "-" + files.size() + "-" + Integer.toUnsignedString(part.hashCode()) + ".arrow");
        try {
            Files.createDirectories(folder);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    ArrowFileWriter writer = new ArrowFileWriter(rows, null, channel)) {
                writer.writeBatch();
                writer.end();
            }
            bytes += Files.size(file);
        }
        catch (IOException e) {
            try {
                // the part can be tried again under the same name
                Files.deleteIfExists(file);
            }
            catch (IOException deletion) {
                e.addSuppressed(deletion);
            }
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Cannot stage rows in %s: %s".formatted(folder, e), e);
        }
        files.add(file);
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
