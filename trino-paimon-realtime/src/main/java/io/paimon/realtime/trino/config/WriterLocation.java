package io.paimon.realtime.trino.config;

/** Where the real-time writer runs. */
public enum WriterLocation
{
    /** In the coordinator's JVM. */
    EMBEDDED,
    /** In a process of its own. */
    REMOTE
}
