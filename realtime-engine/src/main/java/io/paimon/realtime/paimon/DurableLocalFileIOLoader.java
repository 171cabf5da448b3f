package io.paimon.realtime.paimon;

import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.fs.Path;

/**
 * Gives Paimon the {@link DurableLocalFileIO} for {@code file:} paths. Pass it as the preferred loader of a {@code CatalogContext}, and check the table's FileIO afterwards:
 * Paimon takes another one without a word when the first access through the preferred one fails.
 */
public final class DurableLocalFileIOLoader implements FileIOLoader
{
    private static final long serialVersionUID = 1L;

    @Override
    public String getScheme()
    {
        return "file";
    }

    @Override
    public FileIO load(Path path)
    {
        return new DurableLocalFileIO();
    }
}
