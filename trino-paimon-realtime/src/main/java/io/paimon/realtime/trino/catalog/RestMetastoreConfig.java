package io.paimon.realtime.trino.catalog;

import com.google.common.collect.ImmutableMap;
import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.configuration.LegacyConfig;
import jakarta.validation.constraints.NotNull;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.rest.RESTCatalogOptions;

import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** Tables, and their snapshots, are known to a server that speaks Paimon's REST protocol. */
public class RestMetastoreConfig implements MetastoreConfig
{
    private URI uri;
    private Optional<String> warehouse = Optional.empty();
    private Optional<String> prefix = Optional.empty();
    private Optional<String> token = Optional.empty();

    @NotNull
    public URI getUri()
    {
        return uri;
    }

    @Config("paimon.rest-catalog.uri")
    @LegacyConfig("uri")
    @ConfigDescription("Address of the REST server")
    public RestMetastoreConfig setUri(URI uri)
    {
        this.uri = uri;
        return this;
    }

    @NotNull
    public Optional<String> getWarehouse()
    {
        return warehouse;
    }

    @Config("paimon.rest-catalog.warehouse")
    @ConfigDescription("Name of the warehouse at the REST server; the same as paimon.warehouse")
    public RestMetastoreConfig setWarehouse(String warehouse)
    {
        this.warehouse = Optional.ofNullable(warehouse);
        return this;
    }

    @NotNull
    public Optional<String> getPrefix()
    {
        return prefix;
    }

    @Config("paimon.rest-catalog.prefix")
    @ConfigDescription("Prefix of the server's resource paths, if the server does not tell it")
    public RestMetastoreConfig setPrefix(String prefix)
    {
        this.prefix = Optional.ofNullable(prefix);
        return this;
    }

    @NotNull
    public Optional<String> getToken()
    {
        return token;
    }

    @Config("paimon.rest-catalog.oauth2.token")
    @ConfigDescription("Bearer token for the REST server; other ways to authenticate are set by paimon.catalog.option.token.provider and what belongs to it")
    @ConfigSecuritySensitive
    public RestMetastoreConfig setToken(String token)
    {
        this.token = Optional.ofNullable(token);
        return this;
    }

    @Override
    public Map<String, String> paimonOptions()
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.<String, String>builder()
                .put(CatalogOptions.METASTORE.key(), "rest")
                .put(RESTCatalogOptions.URI.key(), uri.toString());
        prefix.ifPresent(value -> options.put("prefix", value));
        token.ifPresent(value -> options
                .put(RESTCatalogOptions.TOKEN_PROVIDER.key(), "bear")
                .put(RESTCatalogOptions.TOKEN.key(), value));
        return options.buildOrThrow();
    }

    @Override
    public Optional<String> ownWarehouse()
    {
        return warehouse;
    }

    @Override
    public boolean isWarehouseFolder()
    {
        return false;
    }
}
