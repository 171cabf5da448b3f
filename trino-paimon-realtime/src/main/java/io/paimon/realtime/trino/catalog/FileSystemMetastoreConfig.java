package io.paimon.realtime.trino.catalog;

import com.google.common.collect.ImmutableMap;
import org.apache.paimon.options.CatalogOptions;

import java.util.Map;

/** Tables are folders, and nothing else knows of them. */
final class FileSystemMetastoreConfig implements MetastoreConfig
{
    @Override
    public Map<String, String> paimonOptions()
    {
        return ImmutableMap.of(CatalogOptions.METASTORE.key(), "filesystem");
    }
}
