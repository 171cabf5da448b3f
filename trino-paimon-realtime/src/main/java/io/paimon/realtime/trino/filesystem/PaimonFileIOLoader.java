package io.paimon.realtime.trino.filesystem;

import com.google.inject.Inject;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import io.trino.filesystem.TrinoFileSystemFactory;
import io.trino.spi.security.ConnectorIdentity;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.fs.Path;

import static java.util.Objects.requireNonNull;

/**
 * Chooses the file operations of a path by its scheme: the engine's durable ones for local files, Trino's file system for all others. Paimon has one catalog for all users, so
 * files are accessed as the Trino server, not as the user of a query.
 */
public final class PaimonFileIOLoader implements FileIOLoader
{
    private static final long serialVersionUID = 1L;

    private static final ConnectorIdentity SERVER = ConnectorIdentity.ofUser("trino");

    private final transient TrinoFileSystemFactory fileSystemFactory;

    @Inject
    public PaimonFileIOLoader(TrinoFileSystemFactory fileSystemFactory)
    {
        this.fileSystemFactory = requireNonNull(fileSystemFactory, "fileSystemFactory is null");
    }

    @Override
    public String getScheme()
    {
        return "file";
    }

    @Override
    public FileIO load(Path path)
    {
        String scheme = path.toUri().getScheme();
        if (scheme == null || scheme.equals("file")) {
            return new DurableLocalFileIO();
        }
        return new TrinoFileIO(fileSystemFactory.create(SERVER));
    }
}
