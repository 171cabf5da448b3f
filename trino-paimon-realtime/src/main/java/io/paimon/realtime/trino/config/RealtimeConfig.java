package io.paimon.realtime.trino.config;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

import java.util.Optional;

import static io.airlift.units.DataSize.Unit.GIGABYTE;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

public class RealtimeConfig
{
    private boolean enabled;
    private ReadMode readMode = ReadMode.UNION;
    private WriteMode writeMode = WriteMode.REALTIME;
    private WriterLocation writer = WriterLocation.EMBEDDED;
    private Optional<String> writerUri = Optional.empty();
    private Optional<String> dataDirectory = Optional.empty();
    private String flightBindAddress = "127.0.0.1";
    private int flightPort = 0;
    private Optional<String> flightAdvertisedAddress = Optional.empty();
    private Optional<String> flightToken = Optional.empty();
    private Optional<String> flightTokenFile = Optional.empty();
    private Optional<String> flightTlsCertificate = Optional.empty();
    private Optional<String> flightTlsKey = Optional.empty();
    private Optional<String> flightTlsTrustCertificate = Optional.empty();
    private boolean flightTlsRequired = true;
    private DataSize memoryLimit = DataSize.of(1, GIGABYTE);
    private int maxPartitionBuckets = 10_000;
    private int flushThreads = 2;
    private Duration commitInterval = new Duration(1, MINUTES);
    private LogSync logSync = LogSync.ALWAYS;
    private Duration appendTimeout = new Duration(30, SECONDS);
    private Duration readLeaseTimeout = new Duration(5, MINUTES);
    private Duration shutdownTimeout = new Duration(1, MINUTES);
    private Duration writerLeaseTimeout = new Duration(30, SECONDS);
    private String memIndexer = "arrow";

    public boolean isEnabled()
    {
        return enabled;
    }

    @Config("paimon.realtime.enabled")
    @ConfigDescription("Real-time reads and writes; needs the JVM flags of Arrow")
    public RealtimeConfig setEnabled(boolean enabled)
    {
        this.enabled = enabled;
        return this;
    }

    @NotNull
    public ReadMode getReadMode()
    {
        return readMode;
    }

    @Config("paimon.realtime.read-mode")
    @ConfigDescription("What queries of real-time tables see")
    public RealtimeConfig setReadMode(ReadMode readMode)
    {
        this.readMode = readMode;
        return this;
    }

    @NotNull
    public WriteMode getWriteMode()
    {
        return writeMode;
    }

    @Config("paimon.realtime.write-mode")
    @ConfigDescription("Where rows written to real-time tables go")
    public RealtimeConfig setWriteMode(WriteMode writeMode)
    {
        this.writeMode = writeMode;
        return this;
    }

    @NotNull
    public WriterLocation getWriter()
    {
        return writer;
    }

    @Config("paimon.realtime.writer")
    @ConfigDescription("Where the writer runs")
    public RealtimeConfig setWriter(WriterLocation writer)
    {
        this.writer = writer;
        return this;
    }

    @NotNull
    public Optional<String> getWriterUri()
    {
        return writerUri;
    }

    @Config("paimon.realtime.writer-uri")
    @ConfigDescription("grpc://host:port or grpc+tls://host:port of a remote writer")
    public RealtimeConfig setWriterUri(String writerUri)
    {
        this.writerUri = Optional.ofNullable(writerUri);
        return this;
    }

    @NotNull
    public Optional<String> getDataDirectory()
    {
        return dataDirectory;
    }

    @Config("paimon.realtime.data-directory")
    @ConfigDescription("Folder for the log and spilled rows of an embedded writer")
    public RealtimeConfig setDataDirectory(String dataDirectory)
    {
        this.dataDirectory = Optional.ofNullable(dataDirectory);
        return this;
    }

    @NotNull
    public String getFlightBindAddress()
    {
        return flightBindAddress;
    }

    @Config("paimon.realtime.flight.bind-address")
    @ConfigDescription("Address the Flight endpoint listens on")
    public RealtimeConfig setFlightBindAddress(String flightBindAddress)
    {
        this.flightBindAddress = flightBindAddress;
        return this;
    }

    @Min(0)
    @Max(65535)
    public int getFlightPort()
    {
        return flightPort;
    }

    @Config("paimon.realtime.flight.port")
    @ConfigDescription("Port the Flight endpoint listens on; 0 takes any free one")
    public RealtimeConfig setFlightPort(int flightPort)
    {
        this.flightPort = flightPort;
        return this;
    }

    @NotNull
    public Optional<String> getFlightAdvertisedAddress()
    {
        return flightAdvertisedAddress;
    }

    @Config("paimon.realtime.flight.advertised-address")
    @ConfigDescription("Address under which other nodes reach the Flight endpoint; the bind address if not set")
    public RealtimeConfig setFlightAdvertisedAddress(String flightAdvertisedAddress)
    {
        this.flightAdvertisedAddress = Optional.ofNullable(flightAdvertisedAddress);
        return this;
    }

    @NotNull
    public Optional<String> getFlightToken()
    {
        return flightToken;
    }

    @Config("paimon.realtime.flight.token")
    @ConfigDescription("Secret that clients must present")
    @ConfigSecuritySensitive
    public RealtimeConfig setFlightToken(String flightToken)
    {
        this.flightToken = Optional.ofNullable(flightToken);
        return this;
    }

    @NotNull
    public Optional<String> getFlightTokenFile()
    {
        return flightTokenFile;
    }

    @Config("paimon.realtime.flight.token-file")
    @ConfigDescription("File that holds the secret")
    public RealtimeConfig setFlightTokenFile(String flightTokenFile)
    {
        this.flightTokenFile = Optional.ofNullable(flightTokenFile);
        return this;
    }

    @NotNull
    public Optional<String> getFlightTlsCertificate()
    {
        return flightTlsCertificate;
    }

    @Config("paimon.realtime.flight.tls.certificate")
    @ConfigDescription("PEM file of the server's certificate chain")
    public RealtimeConfig setFlightTlsCertificate(String flightTlsCertificate)
    {
        this.flightTlsCertificate = Optional.ofNullable(flightTlsCertificate);
        return this;
    }

    @NotNull
    public Optional<String> getFlightTlsKey()
    {
        return flightTlsKey;
    }

    @Config("paimon.realtime.flight.tls.key")
    @ConfigDescription("PEM file of the server's private key")
    public RealtimeConfig setFlightTlsKey(String flightTlsKey)
    {
        this.flightTlsKey = Optional.ofNullable(flightTlsKey);
        return this;
    }

    @NotNull
    public Optional<String> getFlightTlsTrustCertificate()
    {
        return flightTlsTrustCertificate;
    }

    @Config("paimon.realtime.flight.tls.trust-certificate")
    @ConfigDescription("PEM file of the certificates that clients trust")
    public RealtimeConfig setFlightTlsTrustCertificate(String flightTlsTrustCertificate)
    {
        this.flightTlsTrustCertificate = Optional.ofNullable(flightTlsTrustCertificate);
        return this;
    }

    public boolean isFlightTlsRequired()
    {
        return flightTlsRequired;
    }

    @Config("paimon.realtime.flight.tls.required")
    @ConfigDescription("Refuse to bind anything but loopback without TLS")
    public RealtimeConfig setFlightTlsRequired(boolean flightTlsRequired)
    {
        this.flightTlsRequired = flightTlsRequired;
        return this;
    }

    @NotNull
    @MinDataSize("4MB")
    public DataSize getMemoryLimit()
    {
        return memoryLimit;
    }

    @Config("paimon.realtime.memory-limit")
    @ConfigDescription("Everything the writer holds: vectors, key index, flush buffers")
    public RealtimeConfig setMemoryLimit(DataSize memoryLimit)
    {
        this.memoryLimit = memoryLimit;
        return this;
    }

    @Min(1)
    public int getMaxPartitionBuckets()
    {
        return maxPartitionBuckets;
    }

    @Config("paimon.realtime.max-partition-buckets")
    @ConfigDescription("Partition-buckets the writer may hold at a time")
    public RealtimeConfig setMaxPartitionBuckets(int maxPartitionBuckets)
    {
        this.maxPartitionBuckets = maxPartitionBuckets;
        return this;
    }

    @Min(1)
    @Max(256)
    public int getFlushThreads()
    {
        return flushThreads;
    }

    @Config("paimon.realtime.flush-threads")
    @ConfigDescription("Threads that write segments to files")
    public RealtimeConfig setFlushThreads(int flushThreads)
    {
        this.flushThreads = flushThreads;
        return this;
    }

    @NotNull
    @MinDuration("100ms")
    public Duration getCommitInterval()
    {
        return commitInterval;
    }

    @Config("paimon.realtime.commit-interval")
    @ConfigDescription("How often what is in memory is committed")
    public RealtimeConfig setCommitInterval(Duration commitInterval)
    {
        this.commitInterval = commitInterval;
        return this;
    }

    @NotNull
    public LogSync getLogSync()
    {
        return logSync;
    }

    @Config("paimon.realtime.log.sync")
    @ConfigDescription("When the log is forced to disk")
    public RealtimeConfig setLogSync(LogSync logSync)
    {
        this.logSync = logSync;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getAppendTimeout()
    {
        return appendTimeout;
    }

    @Config("paimon.realtime.append-timeout")
    @ConfigDescription("How long an append waits for memory")
    public RealtimeConfig setAppendTimeout(Duration appendTimeout)
    {
        this.appendTimeout = appendTimeout;
        return this;
    }

    @NotNull
    @MinDuration("1s")
    public Duration getReadLeaseTimeout()
    {
        return readLeaseTimeout;
    }

    @Config("paimon.realtime.read-lease-timeout")
    @ConfigDescription("How long memory stays pinned for a coordinator that died")
    public RealtimeConfig setReadLeaseTimeout(Duration readLeaseTimeout)
    {
        this.readLeaseTimeout = readLeaseTimeout;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getShutdownTimeout()
    {
        return shutdownTimeout;
    }

    @Config("paimon.realtime.shutdown-timeout")
    @ConfigDescription("How long a closing writer may flush and commit")
    public RealtimeConfig setShutdownTimeout(Duration shutdownTimeout)
    {
        this.shutdownTimeout = shutdownTimeout;
        return this;
    }

    @NotNull
    @MinDuration("1s")
    public Duration getWriterLeaseTimeout()
    {
        return writerLeaseTimeout;
    }

    @Config("paimon.realtime.writer-lease-timeout")
    @ConfigDescription("How long a writer that does not renew its lease on a table is taken for alive")
    public RealtimeConfig setWriterLeaseTimeout(Duration writerLeaseTimeout)
    {
        this.writerLeaseTimeout = writerLeaseTimeout;
        return this;
    }

    @NotNull
    public String getMemIndexer()
    {
        return memIndexer;
    }

    @Config("paimon.realtime.mem-indexer")
    @ConfigDescription("Name of the MemIndexerFactory")
    public RealtimeConfig setMemIndexer(String memIndexer)
    {
        this.memIndexer = memIndexer;
        return this;
    }

    @AssertTrue(message = "paimon.realtime.flight.tls.certificate and paimon.realtime.flight.tls.key need each other")
    public boolean isFlightTlsValid()
    {
        return flightTlsCertificate.isPresent() == flightTlsKey.isPresent();
    }

    @AssertTrue(message = "paimon.realtime.writer-uri is required for, and only for, paimon.realtime.writer=remote")
    public boolean isWriterUriValid()
    {
        return !enabled || writerUri.isPresent() == (writer == WriterLocation.REMOTE);
    }

    @AssertTrue(message = "paimon.realtime.data-directory is required for paimon.realtime.writer=embedded")
    public boolean isDataDirectoryValid()
    {
        return !enabled || writer != WriterLocation.EMBEDDED || dataDirectory.isPresent();
    }

    @AssertTrue(message = "Only one of paimon.realtime.flight.token and paimon.realtime.flight.token-file may be set")
    public boolean isFlightTokenValid()
    {
        return flightToken.isEmpty() || flightTokenFile.isEmpty();
    }
}
