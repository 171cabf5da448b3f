package io.paimon.realtime.trino.filesystem;

import jakarta.annotation.PreDestroy;
import org.apache.paimon.disk.IOManager;

/** Temporary files of Paimon's sorters in this JVM. Nothing is created on disk before the first of them spills. */
public class PaimonSpillSpace
{
    private final IOManager ioManager = IOManager.create(System.getProperty("java.io.tmpdir"));

    public IOManager ioManager()
    {
        return ioManager;
    }

    @PreDestroy
    public void close()
            throws Exception
    {
        ioManager.close();
    }
}
