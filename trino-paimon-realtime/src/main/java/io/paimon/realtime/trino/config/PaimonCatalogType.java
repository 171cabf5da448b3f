package io.paimon.realtime.trino.config;

/** Where the catalog keeps what tables there are. */
public enum PaimonCatalogType
{
    FILESYSTEM, HIVE, JDBC, REST
}
