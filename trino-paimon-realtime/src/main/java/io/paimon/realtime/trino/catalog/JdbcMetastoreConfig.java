package io.paimon.realtime.trino.catalog;

import com.google.common.collect.ImmutableMap;
import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.configuration.LegacyConfig;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import org.apache.paimon.jdbc.JdbcCatalogOptions;
import org.apache.paimon.options.CatalogOptions;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

/** Tables are known to a relational database. */
public class JdbcMetastoreConfig implements MetastoreConfig
{
    private static final Pattern PASSWORD = Pattern.compile("[?&;]password=|//[^/@]*:[^/@]*@", CASE_INSENSITIVE);

    private String driverClass;
    private String connectionUrl;
    private Optional<String> connectionUser = Optional.empty();
    private Optional<String> connectionPassword = Optional.empty();
    private Optional<String> catalogName = Optional.empty();
    private Optional<String> defaultWarehouseDir = Optional.empty();

    @NotNull
    @NotEmpty
    public String getDriverClass()
    {
        return driverClass;
    }

    @Config("paimon.jdbc-catalog.driver-class")
    @ConfigDescription("Class of the JDBC driver; its jar lies in the folder of the plugin")
    public JdbcMetastoreConfig setDriverClass(String driverClass)
    {
        this.driverClass = driverClass;
        return this;
    }

    @NotNull
    @NotEmpty
    public String getConnectionUrl()
    {
        return connectionUrl;
    }

    @Config("paimon.jdbc-catalog.connection-url")
    @LegacyConfig("uri")
    @ConfigDescription("JDBC URL of the database")
    @ConfigSecuritySensitive
    public JdbcMetastoreConfig setConnectionUrl(String connectionUrl)
    {
        this.connectionUrl = connectionUrl;
        return this;
    }

    /** The URL is part of what Paimon says when it cannot connect. */
    @AssertTrue(message = "paimon.jdbc-catalog.connection-url must not hold a password: set paimon.jdbc-catalog.connection-password")
    public boolean isConnectionUrlWithoutPassword()
    {
        return connectionUrl == null || !PASSWORD.matcher(connectionUrl).find();
    }

    @NotNull
    public Optional<String> getConnectionUser()
    {
        return connectionUser;
    }

    @Config("paimon.jdbc-catalog.connection-user")
    @ConfigDescription("User of the database")
    public JdbcMetastoreConfig setConnectionUser(String connectionUser)
    {
        this.connectionUser = Optional.ofNullable(connectionUser);
        return this;
    }

    @NotNull
    public Optional<String> getConnectionPassword()
    {
        return connectionPassword;
    }

    @Config("paimon.jdbc-catalog.connection-password")
    @ConfigDescription("Password of the database")
    @ConfigSecuritySensitive
    public JdbcMetastoreConfig setConnectionPassword(String connectionPassword)
    {
        this.connectionPassword = Optional.ofNullable(connectionPassword);
        return this;
    }

    @NotNull
    public Optional<String> getCatalogName()
    {
        return catalogName;
    }

    @Config("paimon.jdbc-catalog.catalog-name")
    @ConfigDescription("Name of the catalog in the database (Paimon's catalog-key)")
    public JdbcMetastoreConfig setCatalogName(String catalogName)
    {
        this.catalogName = Optional.ofNullable(catalogName);
        return this;
    }

    @NotNull
    public Optional<String> getDefaultWarehouseDir()
    {
        return defaultWarehouseDir;
    }

    @Config("paimon.jdbc-catalog.default-warehouse-dir")
    @ConfigDescription("Root folder of the tables; the same as paimon.warehouse")
    public JdbcMetastoreConfig setDefaultWarehouseDir(String defaultWarehouseDir)
    {
        this.defaultWarehouseDir = Optional.ofNullable(defaultWarehouseDir);
        return this;
    }

    @Override
    public Map<String, String> paimonOptions()
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.<String, String>builder()
                .put(CatalogOptions.METASTORE.key(), "jdbc")
                .put(CatalogOptions.URI.key(), connectionUrl);
        connectionUser.ifPresent(user -> options.put("jdbc.user", user));
        connectionPassword.ifPresent(password -> options.put("jdbc.password", password));
        catalogName.ifPresent(name -> options.put(JdbcCatalogOptions.CATALOG_KEY.key(), name));
        return options.buildOrThrow();
    }

    @Override
    public Optional<String> ownWarehouse()
    {
        return defaultWarehouseDir;
    }
}
