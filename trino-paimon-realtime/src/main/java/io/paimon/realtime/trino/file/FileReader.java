package io.paimon.realtime.trino.file;

import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;

import java.io.Closeable;
import java.io.IOException;

/** Rows of one data file, for one thread. */
interface FileReader extends Closeable
{
    /** The next page; null at the end. It is valid until the following one is asked for. */
    SourcePage next() throws IOException;

    /** Whether Trino's reader reads it. */
    default boolean isNative()
    {
        return true;
    }

    long readBytes();

    long readTimeNanos();

    /** What a reader of another kind tells of itself. */
    default Metrics metrics()
    {
        return Metrics.EMPTY;
    }
}
