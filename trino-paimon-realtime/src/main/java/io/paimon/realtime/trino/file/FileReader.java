package io.paimon.realtime.trino.file;

import io.trino.spi.connector.SourcePage;

import java.io.Closeable;
import java.io.IOException;

/** Rows of one data file, for one thread. */
interface FileReader extends Closeable
{
    /** The next page; null at the end. It is valid until the following one is asked for. */
    SourcePage next() throws IOException;

    long readBytes();

    long readTimeNanos();
}
