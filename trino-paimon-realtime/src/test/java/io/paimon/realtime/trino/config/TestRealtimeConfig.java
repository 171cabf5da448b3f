package io.paimon.realtime.trino.config;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import jakarta.validation.constraints.AssertTrue;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.testing.ValidationAssertions.assertFailsValidation;
import static io.airlift.testing.ValidationAssertions.assertValidates;
import static io.airlift.units.DataSize.Unit.GIGABYTE;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

final class TestRealtimeConfig
{
    @Test
    void defaults()
    {
        assertRecordedDefaults(recordDefaults(RealtimeConfig.class)
                .setEnabled(false)
                .setReadMode(ReadMode.UNION)
                .setWriteMode(WriteMode.REALTIME)
                .setWriter(WriterLocation.EMBEDDED)
                .setWriterUri(null)
                .setDataDirectory(null)
                .setFlightBindAddress("127.0.0.1")
                .setFlightPort(0)
                .setFlightAdvertisedAddress(null)
                .setFlightToken(null)
                .setFlightTokenFile(null)
                .setFlightTlsCertificate(null)
                .setFlightTlsKey(null)
                .setFlightTlsTrustCertificate(null)
                .setFlightTlsRequired(true)
                .setMemoryLimit(DataSize.of(1, GIGABYTE))
                .setMaxPartitionBuckets(10_000)
                .setFlushThreads(2)
                .setCommitInterval(new Duration(1, MINUTES))
                .setLogSync(LogSync.ALWAYS)
                .setAppendTimeout(new Duration(30, SECONDS))
                .setReadLeaseTimeout(new Duration(5, MINUTES))
                .setShutdownTimeout(new Duration(1, MINUTES))
                .setWriterLeaseTimeout(new Duration(30, SECONDS))
                .setMemIndexer("arrow"));
    }

    @Test
    void explicitProperties()
    {
        Map<String, String> properties = ImmutableMap.<String, String>builder()
                .put("paimon.realtime.enabled", "true")
                .put("paimon.realtime.read-mode", "committed")
                .put("paimon.realtime.write-mode", "Committed")
                .put("paimon.realtime.writer", "remote")
                .put("paimon.realtime.writer-uri", "grpc://writer:8815")
                .put("paimon.realtime.data-directory", "/data")
                .put("paimon.realtime.flight.bind-address", "0.0.0.0")
                .put("paimon.realtime.flight.port", "8815")
                .put("paimon.realtime.flight.advertised-address", "writer")
                .put("paimon.realtime.flight.token", "secret")
                .put("paimon.realtime.flight.tls.certificate", "/certificate")
                .put("paimon.realtime.flight.tls.key", "/key")
                .put("paimon.realtime.flight.tls.trust-certificate", "/trust")
                .put("paimon.realtime.flight.tls.required", "false")
                .put("paimon.realtime.memory-limit", "2GB")
                .put("paimon.realtime.max-partition-buckets", "100")
                .put("paimon.realtime.flush-threads", "3")
                .put("paimon.realtime.commit-interval", "2s")
                .put("paimon.realtime.log.sync", "none")
                .put("paimon.realtime.append-timeout", "3s")
                .put("paimon.realtime.read-lease-timeout", "4m")
                .put("paimon.realtime.shutdown-timeout", "5m")
                .put("paimon.realtime.writer-lease-timeout", "45s")
                .put("paimon.realtime.mem-indexer", "other")
                .buildOrThrow();
        // a token file and a token exclude each other
        assertFullMapping(properties, new RealtimeConfig()
                .setEnabled(true)
                .setReadMode(ReadMode.COMMITTED)
                .setWriteMode(WriteMode.COMMITTED)
                .setWriter(WriterLocation.REMOTE)
                .setWriterUri("grpc://writer:8815")
                .setDataDirectory("/data")
                .setFlightBindAddress("0.0.0.0")
                .setFlightPort(8815)
                .setFlightAdvertisedAddress("writer")
                .setFlightToken("secret")
                .setFlightTlsCertificate("/certificate")
                .setFlightTlsKey("/key")
                .setFlightTlsTrustCertificate("/trust")
                .setFlightTlsRequired(false)
                .setMemoryLimit(DataSize.of(2, GIGABYTE))
                .setMaxPartitionBuckets(100)
                .setFlushThreads(3)
                .setCommitInterval(new Duration(2, SECONDS))
                .setLogSync(LogSync.NONE)
                .setAppendTimeout(new Duration(3, SECONDS))
                .setReadLeaseTimeout(new Duration(4, MINUTES))
                .setShutdownTimeout(new Duration(5, MINUTES))
                .setWriterLeaseTimeout(new Duration(45, SECONDS))
                .setMemIndexer("other"),
                ImmutableSet.of("paimon.realtime.flight.token-file"));
    }

    @Test
    void settingsThatNeedEachOther()
    {
        assertThat(new RealtimeConfig().setEnabled(true).isDataDirectoryValid()).isFalse();
        assertThat(new RealtimeConfig().setEnabled(true).setDataDirectory("/data").isDataDirectoryValid()).isTrue();
        assertThat(new RealtimeConfig().setEnabled(true).setWriter(WriterLocation.REMOTE).isWriterUriValid()).isFalse();
        assertThat(new RealtimeConfig().setEnabled(true).setWriterUri("grpc://writer:8815").isWriterUriValid()).isFalse();
        assertThat(new RealtimeConfig().setFlightToken("a").setFlightTokenFile("/b").isFlightTokenValid()).isFalse();
        assertFailsValidation(new RealtimeConfig().setFlightTlsCertificate("/certificate"), "flightTlsValid",
                "paimon.realtime.flight.tls.certificate and paimon.realtime.flight.tls.key need each other", AssertTrue.class);
        assertFailsValidation(new RealtimeConfig().setFlightTlsKey("/key"), "flightTlsValid",
                "paimon.realtime.flight.tls.certificate and paimon.realtime.flight.tls.key need each other", AssertTrue.class);
        assertValidates(new RealtimeConfig().setFlightTlsCertificate("/certificate").setFlightTlsKey("/key"));
    }
}
