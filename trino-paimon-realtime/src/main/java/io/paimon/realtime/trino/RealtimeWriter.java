package io.paimon.realtime.trino;

import static io.paimon.realtime.trino.PaimonErrorCode.PAIMON_REALTIME_UNAVAILABLE;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.paimon.realtime.flight.FlightServerOptions;
import io.paimon.realtime.flight.RealtimeFlightServer;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.service.RealtimeServiceOptions;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorContext;
import jakarta.annotation.PreDestroy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The writer of this catalog: in the coordinator's JVM, with a Flight endpoint in front. Whatever is wrong with it, the catalog is created: the reason is kept and told to whoever
 * needs the writer.
 */
public class RealtimeWriter
{
    private static final Logger log = Logger.get(RealtimeWriter.class);

    private final Optional<EmbeddedRealtimeService> service;
    private final Optional<RealtimeFlightServer> server;
    private final String unavailableReason;

    @Inject
    public RealtimeWriter(RealtimeConfig config, PaimonCatalog catalog, ConnectorContext context)
    {
        requireNonNull(catalog, "catalog is null");
        EmbeddedRealtimeService startedService = null;
        RealtimeFlightServer startedServer = null;
        String reason = "paimon.realtime.enabled is false";
        if (config.isEnabled() && config.getWriter() == WriterLocation.REMOTE) {
            reason = "paimon.realtime.writer=remote is not supported yet";
        }
        else if (config.isEnabled() && !context.getCurrentNode().isCoordinator()) {
            reason = "the writer lives on the coordinator";
        }
        else if (config.isEnabled()) {
            try {
                Path directory = Path.of(config.getDataDirectory()
                        .orElseThrow(() -> new RealtimeException(Code.UNAVAILABLE, "paimon.realtime.data-directory is not set")));
                startedService = new EmbeddedRealtimeService(
                        new RealtimeServiceOptions(directory, config.getMemoryLimit().toBytes(), config.getMaxPartitionBuckets(),
                                config.getFlushThreads(), config.getCommitInterval().toJavaTime(), config.getAppendTimeout().toJavaTime(),
                                config.getReadLeaseTimeout().toJavaTime(), config.getShutdownTimeout().toJavaTime(),
                                config.getWriterLeaseTimeout().toJavaTime(),
                                config.getMemIndexer()),
                        identifier -> catalog.load(identifier)
                                .orElseThrow(
                                        () -> new RealtimeException(Code.NOT_FOUND, "Table %s does not exist".formatted(identifier.getFullName()))));
                startedServer = RealtimeFlightServer.start(startedService, startedService.transferAllocator(), flightOptions(config));
                startedService.setAddress(startedServer.address());
                reason = "";
            }
            catch (Exception | LinkageError e) {
                log.error(e, "The real-time writer did not start: COMMITTED reads work, UNION reads and appends do not");
                reason = String.valueOf(e.getMessage());
                if (startedService != null) {
                    startedService.close();
                    startedService = null;
                }
            }
        }
        this.service = Optional.ofNullable(startedService);
        this.server = Optional.ofNullable(startedServer);
        this.unavailableReason = reason;
    }

    private static FlightServerOptions flightOptions(RealtimeConfig config) throws java.io.IOException
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

    static Optional<String> token(RealtimeConfig config) throws java.io.IOException
    {
        if (config.getFlightTokenFile().isPresent()) {
            return Optional.of(Files.readString(Path.of(config.getFlightTokenFile().get())).strip());
        }
        return config.getFlightToken();
    }

    /** The writer, or an error that says why there is none. */
    public EmbeddedRealtimeService service()
    {
        return service
                .orElseThrow(() -> new TrinoException(PAIMON_REALTIME_UNAVAILABLE, "The real-time writer is not available: " + unavailableReason));
    }

    /** The writer, if it is in this JVM. */
    public Optional<EmbeddedRealtimeService> local()
    {
        return service;
    }

    public String unavailableReason()
    {
        return unavailableReason;
    }

    /** The connector's error for one of the engine. */
    public static TrinoException toTrinoException(RealtimeException e)
    {
        PaimonErrorCode code = switch (e.code()) {
            case BAD_DATA, INVALID_ARGUMENT -> PaimonErrorCode.PAIMON_BAD_DATA;
            case NOT_FOUND, NOT_REALTIME -> PaimonErrorCode.PAIMON_CATALOG_ERROR;
            case FENCED, UNAVAILABLE, RESOURCE_EXHAUSTED -> PAIMON_REALTIME_UNAVAILABLE;
            case CUT_EXPIRED -> PaimonErrorCode.PAIMON_REALTIME_CUT_EXPIRED;
            case COMMIT_FAILED -> PaimonErrorCode.PAIMON_COMMIT_ERROR;
            case INTERNAL -> PaimonErrorCode.PAIMON_INTERNAL_ERROR;
        };
        return new TrinoException(code, e.getMessage(), e);
    }

    @PreDestroy
    public void close()
    {
        server.ifPresent(RealtimeFlightServer::close);
        service.ifPresent(EmbeddedRealtimeService::close);
    }
}
