package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a {@link RealtimeFlightClient} reaches its writer.
 *
 * @param uri {@code grpc://host:port} or {@code grpc+tls://host:port}
 * @param token bearer token sent with every call; empty = none
 * @param trustCertificate PEM file of the certificates to trust; empty = those the JVM trusts
 * @param maxUnacknowledged batches of a put stream sent ahead of their acknowledgement
 * @param maxMessageBytes batches larger than this are refused before they are sent; not more than the writer's own limit
 * @param timeout how long a put waits for an acknowledgement, and other calls but {@code flush} for their answer
 */
public record FlightClientOptions(String uri, Optional<String> token, Optional<Path> trustCertificate, int maxUnacknowledged, int maxMessageBytes,
        Duration timeout)
{
    public FlightClientOptions
    {
        requireNonNull(uri, "uri is null");
        requireNonNull(token, "token is null");
        requireNonNull(trustCertificate, "trustCertificate is null");
        requireNonNull(timeout, "timeout is null");
        if (maxUnacknowledged < 1 || maxMessageBytes < 1) {
            throw new IllegalArgumentException("Limits must be positive");
        }
    }

    public static FlightClientOptions of(String uri)
    {
        return new FlightClientOptions(uri, Optional.empty(), Optional.empty(), 4, 256 << 20, Duration.ofMinutes(2));
    }

    public FlightClientOptions withUri(String uri)
    {
        return new FlightClientOptions(uri, token, trustCertificate, maxUnacknowledged, maxMessageBytes, timeout);
    }

    public FlightClientOptions withToken(String token)
    {
        return new FlightClientOptions(uri, Optional.of(token), trustCertificate, maxUnacknowledged, maxMessageBytes, timeout);
    }

    public FlightClientOptions withTrustCertificate(Path trustCertificate)
    {
        return new FlightClientOptions(uri, token, Optional.of(trustCertificate), maxUnacknowledged, maxMessageBytes, timeout);
    }

    public FlightClientOptions withMaxUnacknowledged(int maxUnacknowledged)
    {
        return new FlightClientOptions(uri, token, trustCertificate, maxUnacknowledged, maxMessageBytes, timeout);
    }

    public FlightClientOptions withMaxMessageBytes(int maxMessageBytes)
    {
        return new FlightClientOptions(uri, token, trustCertificate, maxUnacknowledged, maxMessageBytes, timeout);
    }

    public FlightClientOptions withTimeout(Duration timeout)
    {
        return new FlightClientOptions(uri, token, trustCertificate, maxUnacknowledged, maxMessageBytes, timeout);
    }

    /** Without the token. */
    @Override
    public String toString()
    {
        return "FlightClientOptions[uri=%s, token=%s]".formatted(uri, token.isPresent() ? "set" : "none");
    }
}
