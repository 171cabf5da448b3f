package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.errorprone.annotations.ThreadSafe;
import io.airlift.log.Logger;
import io.grpc.ServerBuilder;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.service.RealtimeService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;

/**
 * A {@link RealtimeService} on the network, as Arrow Flight. Does not own the service: close the server first, then the service.
 */
@ThreadSafe
public final class RealtimeFlightServer implements AutoCloseable
{
    private static final Logger log = Logger.get(RealtimeFlightServer.class);
    private static final int BACKPRESSURE_BYTES = 4 << 20;
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(20);

    private final FlightServer server;
    private final ExecutorService executor;
    private final BufferAllocator inbound;
    private final BufferAllocator outbound;
    private final String address;
    private final AtomicBoolean closed = new AtomicBoolean();

    private RealtimeFlightServer(FlightServer server, ExecutorService executor, BufferAllocator inbound, BufferAllocator outbound, String address)
    {
        this.server = server;
        this.executor = executor;
        this.inbound = inbound;
        this.outbound = outbound;
        this.address = address;
    }

    /**
     * Starts to listen.
     *
     * @param allocator parent of what the server takes for messages; at most {@code 2 * maxInboundBytes} for received ones
     * @throws RealtimeException INVALID_ARGUMENT if the options would open an unprotected port to the network or TLS files cannot be used; UNAVAILABLE if the
     *         port cannot be bound
     */
    public static RealtimeFlightServer start(RealtimeService service, BufferAllocator allocator, FlightServerOptions options)
    {
        requireNonNull(service, "service is null");
        checkProtected(options);
        long inboundLimit = Math.addExact(options.maxInboundBytes(), options.maxInboundBytes());
        BufferAllocator inbound = allocator.newChildAllocator("flight-inbound", 0, inboundLimit);
        BufferAllocator outbound = allocator.newChildAllocator("flight-outbound", 0, Long.MAX_VALUE);
        ExecutorService executor = Executors
                .newCachedThreadPool(new ThreadFactoryBuilder().setNameFormat("realtime-flight-%d").setDaemon(true).build());
        boolean started = false;
        try {
            InboundGate gate = new InboundGate(inbound, options.maxInboundBytes());
            CallGuard guard = new CallGuard(options, gate);
            Consumer<ServerBuilder<?>> transport = builder -> builder
                    .intercept(guard)
                    .keepAliveTime(60, TimeUnit.SECONDS)
                    .keepAliveTimeout(20, TimeUnit.SECONDS)
                    .permitKeepAliveTime(10, TimeUnit.SECONDS)
                    .permitKeepAliveWithoutCalls(true);
            FlightServer.Builder builder = FlightServer.builder(inbound, location(options),
                    new RealtimeFlightProducer(service, options, gate, executor, inbound, outbound))
                    .executor(executor)
                    .maxInboundMessageSize(options.maxMessageBytes())
                    .backpressureThreshold(BACKPRESSURE_BYTES)
                    .transportHint("grpc.builderConsumer", transport);
            if (options.tls().isPresent()) {
                useTls(builder, options.tls().get());
            }
            FlightServer server = build(builder, options);
            try {
                server.start();
            }
            catch (IOException e) {
                throw new RealtimeException(Code.UNAVAILABLE, "Cannot listen on %s port %s: %s".formatted(options.bindAddress(), options.port(),
                        rootMessage(e)), e);
            }
            started = true;
            String host = options.advertisedAddress().orElse(options.bindAddress());
            String address = "%s://%s:%s".formatted(options.tls().isPresent() ? "grpc+tls" : "grpc", host.contains(":") ? "[" + host + "]" : host,
                    server.getPort());
            log.info("Arrow Flight listens on %s", address);
            return new RealtimeFlightServer(server, executor, inbound, outbound, address);
        }
        finally {
            if (!started) {
                try (outbound; inbound) {
                    executor.shutdownNow();
                }
            }
        }
    }

    private static void checkProtected(FlightServerOptions options)
    {
        InetAddress address;
        try {
            address = InetAddress.getByName(options.bindAddress());
        }
        catch (UnknownHostException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Unknown bind address " + options.bindAddress(), e);
        }
        if (address.isLoopbackAddress()) {
            return;
        }
        if (options.token().isEmpty()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "Flight on %s, which is not the loopback address, needs a token".formatted(options.bindAddress()));
        }
        if (options.tls().isEmpty() && options.tlsRequired()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "Flight on %s, which is not the loopback address, needs a TLS certificate and key, or TLS not to be required".formatted(
                            options.bindAddress()));
        }
    }

    private static Location location(FlightServerOptions options)
    {
        return options.tls().isPresent()
                ? Location.forGrpcTls(options.bindAddress(), options.port())
                : Location.forGrpcInsecure(options.bindAddress(), options.port());
    }

    private static void useTls(FlightServer.Builder builder, FlightServerOptions.Tls tls)
    {
        try {
            builder.useTls(tls.certificate().toFile(), tls.key().toFile());
        }
        catch (IOException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Cannot read the TLS certificate or key: " + e.getMessage(), e);
        }
    }

    /** Arrow reads the certificate and the key only here. */
    private static FlightServer build(FlightServer.Builder builder, FlightServerOptions options)
    {
        try {
            return builder.build();
        }
        catch (IllegalArgumentException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Cannot serve %s: %s".formatted(options, rootMessage(e)), e);
        }
    }

    private static String rootMessage(Throwable failure)
    {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage();
    }

    /** Where clients reach it: {@code grpc://host:port} or {@code grpc+tls://host:port}. */
    public String address()
    {
        return address;
    }

    /** The port it listens on. */
    public int port()
    {
        return server.getPort();
    }

    /** Most bytes of received batches that were held at one time. */
    long peakInboundBytes()
    {
        return inbound.getPeakMemoryAllocation();
    }

    /**
     * Ends open streams (their clients see UNAVAILABLE or a cancelled call) and frees everything. An interrupt does not cut this short; it is kept for the caller.
     *
     * @throws IllegalStateException if a call still runs after 20 s and holds memory
     */
    @Override
    public void close()
    {
        close(CLOSE_WAIT);
    }

    void close(Duration wait)
    {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        boolean interrupted = false;
        // both, also if a call that goes on holds memory of the first
        try (BufferAllocator _ = outbound; BufferAllocator _ = inbound) {
            while (true) {
                try {
                    endCalls(wait);
                    break;
                }
                catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void endCalls(Duration wait) throws InterruptedException
    {
        server.close();
        executor.shutdownNow();
        if (!executor.awaitTermination(wait.toMillis(), TimeUnit.MILLISECONDS)) {
            log.warn("Calls are still running %s after Arrow Flight was closed", wait);
        }
    }
}
