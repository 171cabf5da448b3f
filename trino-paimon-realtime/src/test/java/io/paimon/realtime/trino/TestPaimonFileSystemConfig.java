package io.paimon.realtime.trino;

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

final class TestPaimonFileSystemConfig
{
    @Test
    void defaults()
    {
        assertRecordedDefaults(recordDefaults(PaimonFileSystemConfig.class)
                .setLocalEnabled(false)
                .setLocalLocation(null)
                .setS3Enabled(false));
    }

    @Test
    void explicitProperties()
    {
        assertFullMapping(
                ImmutableMap.of("fs.local.enabled", "true", "local.location", "/data", "fs.s3.enabled", "true"),
                new PaimonFileSystemConfig()
                        .setLocalEnabled(true)
                        .setLocalLocation("/data")
                        .setS3Enabled(true));
    }
}
