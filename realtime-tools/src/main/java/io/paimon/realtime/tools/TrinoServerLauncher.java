package io.paimon.realtime.tools;

import io.trino.server.Server;

/** Starts a Trino server from the jars of trino-main; everything else comes from {@code -Dconfig=etc/config.properties}. */
public final class TrinoServerLauncher
{
    private static final String VERSION = "483";

    private TrinoServerLauncher()
    {}

    public static void main(String[] arguments)
    {
        new Server().start(VERSION);
    }
}
