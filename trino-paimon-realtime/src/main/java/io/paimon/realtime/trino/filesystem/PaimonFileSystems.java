package io.paimon.realtime.trino.filesystem;

import com.google.inject.Inject;
import io.trino.filesystem.Location;
import io.trino.filesystem.TrinoFileSystem;
import io.trino.filesystem.TrinoFileSystemFactory;
import io.trino.filesystem.TrinoInputFile;
import io.trino.filesystem.local.LocalFileSystem;
import io.trino.spi.security.ConnectorIdentity;
import org.apache.paimon.fs.Path;

import static java.util.Objects.requireNonNull;

/**
 * Trino's file systems by the paths that Paimon gives its files. Paimon has one catalog for all users, so files are accessed as the Trino server, not as the user of a query.
 */
public final class PaimonFileSystems
{
    private static final ConnectorIdentity SERVER = ConnectorIdentity.ofUser("trino");

    private final TrinoFileSystemFactory factory;
    private final TrinoFileSystem local = new LocalFileSystem(java.nio.file.Path.of("/"));

    @Inject
    public PaimonFileSystems(TrinoFileSystemFactory factory)
    {
        this.factory = requireNonNull(factory, "factory is null");
    }

    static boolean isLocal(Path path)
    {
        String scheme = path.toUri().getScheme();
        return scheme == null || scheme.equals("file");
    }

    /** The file system of everything that is not local. */
    TrinoFileSystem remote()
    {
        return factory.create(SERVER);
    }

    /**
     * A file to read.
     *
     * @param length of the file, as its manifest says
     */
    public TrinoInputFile newInputFile(Path path, long length)
    {
        if (isLocal(path)) {
            return local.newInputFile(Location.of("file://" + path.toUri().getPath()), length);
        }
        return remote().newInputFile(Location.of(path.toString()), length);
    }
}
