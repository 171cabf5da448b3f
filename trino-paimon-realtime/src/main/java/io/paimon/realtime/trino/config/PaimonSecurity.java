package io.paimon.realtime.trino.config;

/** Who may do what in the catalog. */
public enum PaimonSecurity
{
    ALLOW_ALL, READ_ONLY, FILE
}
