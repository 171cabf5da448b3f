package io.paimon.realtime.trino.config;

/** When the writer's log is forced to disk. */
public enum LogSync
{
    /** Before an append is acknowledged. */
    ALWAYS,
    /** Every now and then. */
    INTERVAL,
    /** Never: acknowledged rows survive a crash of the process only. */
    NONE
}
