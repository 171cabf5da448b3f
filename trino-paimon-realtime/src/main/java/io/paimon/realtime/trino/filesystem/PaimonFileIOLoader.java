package io.paimon.realtime.trino.filesystem;

import com.google.inject.Inject;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.fs.Path;

import static java.util.Objects.requireNonNull;

/** Chooses the file operations of a path by its scheme: the engine's durable ones for local files, Trino's file system for all others. */
public final class PaimonFileIOLoader implements FileIOLoader
{
    private static final long serialVersionUID = 1L;

    private final transient PaimonFileSystems fileSystems;

    @Inject
    public PaimonFileIOLoader(PaimonFileSystems fileSystems)
    {
        this.fileSystems = requireNonNull(fileSystems, "fileSystems is null");
    }

    @Override
    public String getScheme()
    {
        return "file";
    }

    @Override
    public FileIO load(Path path)
    {
        return PaimonFileSystems.isLocal(path) ? new DurableLocalFileIO() : new TrinoFileIO(fileSystems.remote());
    }
}
