package io.paimon.realtime.trino.config;

/** What a query of a real-time table sees. */
public enum ReadMode
{
    /** Committed rows and those the writer holds in memory. */
    UNION,
    /** Committed rows only; never depends on the writer. */
    COMMITTED
}
