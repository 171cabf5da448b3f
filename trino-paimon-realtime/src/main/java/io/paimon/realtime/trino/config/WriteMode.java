package io.paimon.realtime.trino.config;

/** Where rows written by SQL go. */
public enum WriteMode
{
    /** Through the writer, for tables with {@code realtime = true}. */
    REALTIME,
    /** Into data files and a snapshot of the statement's own. */
    COMMITTED
}
