package io.paimon.realtime.trino.catalog;

import java.util.Map;
import java.util.Optional;

/** What a type of catalog needs beside warehouse and file system. */
public interface MetastoreConfig
{
    /** Options of the Paimon catalog, the type among them. May hold secrets. */
    Map<String, String> paimonOptions();

    /** The warehouse by a property of this type's own, if it has one and it is set. */
    default Optional<String> ownWarehouse()
    {
        return Optional.empty();
    }

    /** Whether the warehouse is a folder; otherwise it is a name that the catalog's server knows. */
    default boolean isWarehouseFolder()
    {
        return true;
    }
}
