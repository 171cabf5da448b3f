package io.paimon.realtime.trino.catalog;

import com.google.common.collect.ImmutableMap;
import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.LegacyConfig;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import org.apache.paimon.options.CatalogOptions;

import java.util.Map;

/** Tables are known to a Hive metastore. */
public class HiveMetastoreConfig implements MetastoreConfig
{
    private String uri;

    @NotNull
    @NotEmpty
    public String getUri()
    {
        return uri;
    }

    @Config("hive.metastore.uri")
    @LegacyConfig("uri")
    @ConfigDescription("Addresses of the Hive metastore, separated by commas: thrift://host:port")
    public HiveMetastoreConfig setUri(String uri)
    {
        this.uri = uri;
        return this;
    }

    @Override
    public Map<String, String> paimonOptions()
    {
        return ImmutableMap.of(
                CatalogOptions.METASTORE.key(), "hive",
                CatalogOptions.URI.key(), uri);
    }
}
