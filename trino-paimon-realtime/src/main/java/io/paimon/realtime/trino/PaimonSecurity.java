package io.paimon.realtime.trino;

/** Who may do what in the catalog. */
public enum PaimonSecurity
{
    ALLOW_ALL, READ_ONLY, FILE
}
