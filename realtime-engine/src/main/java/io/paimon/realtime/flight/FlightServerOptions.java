package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a {@link RealtimeFlightServer} listens, whom it lets in, and how much it takes at once.
 *
 * @param bindAddress host name or address to listen on
 * @param port port to listen on, 0 = any free one
 * @param advertisedAddress host under which others reach the server; empty = the bind address
 * @param token bearer token every call must carry; empty = no token
 * @param tls certificate and key; empty = plain text
 * @param tlsRequired whether anything but loopback needs TLS; false where a service mesh encrypts
 * @param maxMessageBytes largest record batch taken, as it is on the wire
 * @param maxInboundBytes bytes of received batches above which no further ones are read from the network while earlier ones are being appended
 * @param maxPutStreams DoPut streams open at the same time
 * @param maxGetStreams DoGet streams open at the same time
 * @param maxCalls other calls running at the same time
 * @param readerTimeout how long a DoGet waits for a client that takes nothing before it gives up
 */
public record FlightServerOptions(String bindAddress, int port, Optional<String> advertisedAddress, Optional<String> token, Optional<Tls> tls,
        boolean tlsRequired, int maxMessageBytes, long maxInboundBytes, int maxPutStreams, int maxGetStreams, int maxCalls, Duration readerTimeout)
{

    private static final int DEFAULT_MAX_MESSAGE_BYTES = 256 << 20;

    /** PEM files: certificate chain, and its key in PKCS#8 without a password. */
    public record Tls(Path certificate, Path key)
    {
        public Tls
        {
            requireNonNull(certificate, "certificate is null");
            requireNonNull(key, "key is null");
        }
    }

    public FlightServerOptions
    {
        requireNonNull(bindAddress, "bindAddress is null");
        requireNonNull(advertisedAddress, "advertisedAddress is null");
        requireNonNull(token, "token is null");
        requireNonNull(tls, "tls is null");
        requireNonNull(readerTimeout, "readerTimeout is null");
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("Not a port: " + port);
        }
        if (token.isPresent() && (token.get().isEmpty() || !token.get().chars().allMatch(c -> c > ' ' && c < 127))) {
            throw new IllegalArgumentException("The token must be of visible ASCII characters");
        }
        if (maxMessageBytes < 1 || maxInboundBytes < maxMessageBytes || maxPutStreams < 1 || maxGetStreams < 1 || maxCalls < 1) {
            throw new IllegalArgumentException("Limits must be positive, and maxInboundBytes at least maxMessageBytes");
        }
    }

    /** Any free port of the loopback address, neither token nor TLS. */
    public static FlightServerOptions loopback()
    {
        return new FlightServerOptions("127.0.0.1", 0, Optional.empty(), Optional.empty(), Optional.empty(), true,
                DEFAULT_MAX_MESSAGE_BYTES, 2L * DEFAULT_MAX_MESSAGE_BYTES, 64, 256, 64, Duration.ofMinutes(10));
    }

    public FlightServerOptions withBind(String bindAddress, int port)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, token, tls, tlsRequired, maxMessageBytes, maxInboundBytes, maxPutStreams,
                maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withAdvertisedAddress(String advertisedAddress)
    {
        return new FlightServerOptions(bindAddress, port, Optional.of(advertisedAddress), token, tls, tlsRequired, maxMessageBytes, maxInboundBytes,
                maxPutStreams, maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withToken(String token)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, Optional.of(token), tls, tlsRequired, maxMessageBytes, maxInboundBytes,
                maxPutStreams, maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withTls(Tls tls)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, token, Optional.of(tls), tlsRequired, maxMessageBytes, maxInboundBytes,
                maxPutStreams, maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withTlsRequired(boolean tlsRequired)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, token, tls, tlsRequired, maxMessageBytes, maxInboundBytes, maxPutStreams,
                maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withMessageLimits(int maxMessageBytes, long maxInboundBytes)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, token, tls, tlsRequired, maxMessageBytes, maxInboundBytes, maxPutStreams,
                maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withStreamLimits(int maxPutStreams, int maxGetStreams, int maxCalls)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, token, tls, tlsRequired, maxMessageBytes, maxInboundBytes, maxPutStreams,
                maxGetStreams, maxCalls, readerTimeout);
    }

    public FlightServerOptions withReaderTimeout(Duration readerTimeout)
    {
        return new FlightServerOptions(bindAddress, port, advertisedAddress, token, tls, tlsRequired, maxMessageBytes, maxInboundBytes, maxPutStreams,
                maxGetStreams, maxCalls, readerTimeout);
    }

    /** Without the token. */
    @Override
    public String toString()
    {
        return "FlightServerOptions[bindAddress=%s, port=%s, token=%s, tls=%s]".formatted(bindAddress, port, token.isPresent() ? "set" : "none",
                tls.isPresent());
    }
}
