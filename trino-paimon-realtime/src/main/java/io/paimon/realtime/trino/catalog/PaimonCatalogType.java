package io.paimon.realtime.trino.catalog;

/** Where the catalog keeps what tables there are. */
public enum PaimonCatalogType
{
    FILESYSTEM, HIVE, JDBC, REST
}
