package io.paimon.realtime.trino;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;

import java.util.Optional;

/** File systems the warehouse may lie on, named as in Trino's other connectors. */
public class PaimonFileSystemConfig
{
    private boolean localEnabled;
    private Optional<String> localLocation = Optional.empty();
    private boolean s3Enabled;

    public boolean isLocalEnabled()
    {
        return localEnabled;
    }

    @Config("fs.local.enabled")
    @ConfigDescription("Allow local:///.. locations")
    public PaimonFileSystemConfig setLocalEnabled(boolean localEnabled)
    {
        this.localEnabled = localEnabled;
        return this;
    }

    public Optional<String> getLocalLocation()
    {
        return localLocation;
    }

    @Config("local.location")
    @ConfigDescription("Folder that local:///.. locations are relative to")
    public PaimonFileSystemConfig setLocalLocation(String localLocation)
    {
        this.localLocation = Optional.ofNullable(localLocation);
        return this;
    }

    public boolean isS3Enabled()
    {
        return s3Enabled;
    }

    @Config("fs.s3.enabled")
    @ConfigDescription("Allow s3://.. locations")
    public PaimonFileSystemConfig setS3Enabled(boolean s3Enabled)
    {
        this.s3Enabled = s3Enabled;
        return this;
    }
}
