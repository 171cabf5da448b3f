package io.paimon.realtime.trino.writer;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_REALTIME_UNAVAILABLE;
import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.paimon.realtime.flight.FlightServerOptions;
import io.paimon.realtime.flight.RealtimeFlightServer;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.service.RealtimeServiceOptions;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.RealtimeConfig;
import io.paimon.realtime.trino.config.WriterLocation;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorContext;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The writer of this catalog: in the coordinator's JVM, with a Flight endpoint in front. Whatever is wrong with it, the catalog is created: the reason is kept and told to whoever
 * needs the writer, and the start is tried again and again, for most reasons pass: a port or a folder that is still in use, a disk that is full.
 */
public class RealtimeWriter
{
    private static final Logger log = Logger.get(RealtimeWriter.class);
    private static final long FIRST_RETRY_MILLIS = 500;
    private static final long LAST_RETRY_MILLIS = 30_000;

    private final RealtimeConfig config;
    private final PaimonCatalog catalog;
    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(
            new ThreadFactoryBuilder().setNameFormat("paimon-realtime-start-%d").setDaemon(true).build());
    @GuardedBy("this")
    private boolean closed;
    private volatile Optional<Started> started = Optional.empty();
    private volatile String unavailableReason;

    private record Started(EmbeddedRealtimeService service, RealtimeFlightServer server)
    {
        /** Closes both, also if one of them fails: the service, which commits what is in memory, last. */
        private void close()
        {
            try (service; server) {
                log.info("The real-time writer at %s is closing", server.address());
            }
        }
    }

    @Inject
    public RealtimeWriter(RealtimeConfig config, PaimonCatalog catalog, ConnectorContext context)
    {
        this.config = requireNonNull(config, "config is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        if (!config.isEnabled()) {
            unavailableReason = "paimon.realtime.enabled is false";
        }
        else if (config.getWriter() == WriterLocation.REMOTE) {
            unavailableReason = "paimon.realtime.writer=remote is not supported yet";
        }
        else if (!context.getCurrentNode().isCoordinator()) {
            unavailableReason = "the writer lives on the coordinator";
        }
        else {
            unavailableReason = "it is starting";
            start(FIRST_RETRY_MILLIS);
        }
    }

    private synchronized void start(long retryMillis)
    {
        if (closed) {
            return;
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            started = Optional.of(start());
            unavailableReason = "";
        }
        catch (Exception | LinkageError e) {
            String reason = String.valueOf(e.getMessage());
            if (reason.equals(unavailableReason)) {
                log.debug(e, "The real-time writer did not start, for the same reason as before");
            }
            else {
                log.error(e, "The real-time writer did not start: COMMITTED reads work, UNION reads and appends do not until it does");
            }
            unavailableReason = reason;
            // the flags of a JVM are not going to change
            if (!(e instanceof LinkageError) && ArrowMemory.problem().isEmpty()) {
                Future<?> _ = retries.schedule(() -> start(Math.min(retryMillis * 2, LAST_RETRY_MILLIS)), retryMillis, TimeUnit.MILLISECONDS);
            }
        }
    }

    private Started start() throws IOException
    {
        Path directory = Path.of(config.getDataDirectory()
                .orElseThrow(() -> new RealtimeException(Code.UNAVAILABLE, "paimon.realtime.data-directory is not set")));
        EmbeddedRealtimeService service = new EmbeddedRealtimeService(
                new RealtimeServiceOptions(directory, config.getMemoryLimit().toBytes(), config.getMaxPartitionBuckets(),
                        config.getFlushThreads(), config.getCommitInterval().toJavaTime(), config.getAppendTimeout().toJavaTime(),
                        config.getReadLeaseTimeout().toJavaTime(), config.getShutdownTimeout().toJavaTime(),
                        config.getWriterLeaseTimeout().toJavaTime(),
                        config.getMemIndexer()),
                identifier -> catalog.load(identifier)
                        .orElseThrow(
                                () -> new RealtimeException(Code.NOT_FOUND, "Table %s does not exist".formatted(identifier.getFullName()))));
        try {
            RealtimeFlightServer server = RealtimeFlightServer.start(service, service.transferAllocator(), flightOptions(config));
            service.setAddress(server.address());
            return new Started(service, server);
        }
        catch (Exception | LinkageError e) {
            try {
                service.close();
            }
            catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static FlightServerOptions flightOptions(RealtimeConfig config) throws IOException
    {
        FlightServerOptions options = FlightServerOptions.loopback().withBind(config.getFlightBindAddress(), config.getFlightPort())
                .withTlsRequired(config.isFlightTlsRequired());
        if (config.getFlightAdvertisedAddress().isPresent()) {
            options = options.withAdvertisedAddress(config.getFlightAdvertisedAddress().get());
        }
        Optional<String> token = token(config);
        if (token.isPresent()) {
            options = options.withToken(token.get());
        }
        if (config.getFlightTlsCertificate().isPresent() && config.getFlightTlsKey().isPresent()) {
            options = options
                    .withTls(new FlightServerOptions.Tls(Path.of(config.getFlightTlsCertificate().get()), Path.of(config.getFlightTlsKey().get())));
        }
        return options;
    }

    static Optional<String> token(RealtimeConfig config) throws IOException
    {
        if (config.getFlightTokenFile().isPresent()) {
            return Optional.of(Files.readString(Path.of(config.getFlightTokenFile().get())).strip());
        }
        return config.getFlightToken();
    }

    /** The writer, or an error that says why there is none. */
    public EmbeddedRealtimeService service()
    {
        return local()
                .orElseThrow(() -> new TrinoException(PAIMON_REALTIME_UNAVAILABLE, "The real-time writer is not available: " + unavailableReason));
    }

    /** The writer, if it is in this JVM. */
    public Optional<EmbeddedRealtimeService> local()
    {
        return started.map(Started::service);
    }

    public String unavailableReason()
    {
        return unavailableReason;
    }

    @PreDestroy
    public void close()
    {
        retries.shutdownNow();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        started.ifPresent(Started::close);
    }
}
