package io.paimon.realtime.flight;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.OutOfMemoryException;

/**
 * {@link RealtimeException}s on the wire and back.
 *
 * <p>Every error carries its {@link Code} in the trailer {@value #CODE_TRAILER}. For clients that do not know it the gRPC status says the same more coarsely:
 * FAILED_PRECONDITION for NOT_REALTIME, FENCED and CUT_EXPIRED (Arrow's Java client shows it as INVALID_ARGUMENT, having no such code of its own),
 * UNAVAILABLE for COMMIT_FAILED, else the status of the same name.
 */
final class FlightErrors
{
    static final String CODE_TRAILER = "realtime-code";

    private static final Metadata.Key<String> CODE_KEY = Metadata.Key.of(CODE_TRAILER, Metadata.ASCII_STRING_MARSHALLER);
    /** gRPC allows 8 KB of trailers and writes each byte beyond ASCII as three. */
    private static final int MAX_DESCRIPTION_BYTES = 2000;

    private FlightErrors()
    {}

    /** What goes to the client. */
    static StatusRuntimeException toGrpc(Throwable failure)
    {
        return switch (failure) {
            case RealtimeException e -> toGrpc(e.code(), e.getMessage(), e);
            case StatusRuntimeException e -> e;
            case FlightRuntimeException e -> toGrpc(codeOf(e), String.valueOf(e.status().description()), e);
            case OutOfMemoryException e -> toGrpc(Code.RESOURCE_EXHAUSTED, "No memory for this message now: " + e.getMessage(), e);
            // Arrow wraps what wakes a waiting stream when the server closes
            case RuntimeException e when e.getCause() instanceof InterruptedException -> toGrpc(Code.UNAVAILABLE, "The writer is closing", e);
            default -> toGrpc(Code.INTERNAL, "Unexpected failure: " + failure, failure);
        };
    }

    static StatusRuntimeException toGrpc(Code code, String message, Throwable cause)
    {
        Metadata trailers = trailers(code);
        return new StatusRuntimeException(status(code).withDescription(shorten(message)).withCause(cause), trailers);
    }

    static Metadata trailers(Code code)
    {
        Metadata trailers = new Metadata();
        trailers.put(CODE_KEY, code.name());
        return trailers;
    }

    /** What the client throws. */
    static RealtimeException fromFlight(FlightRuntimeException failure, String address)
    {
        CallStatus status = failure.status();
        String description = Optional.ofNullable(status.description()).orElseGet(() -> status.code().name());
        Optional<Code> sent = sentCode(status);
        String message = sent.isPresent() ? description : "Writer at %s: %s (%s)".formatted(address, description, status.code());
        return new RealtimeException(sent.orElseGet(() -> codeOf(failure)), message, failure);
    }

    private static Optional<Code> sentCode(CallStatus status)
    {
        CallHeaders metadata = status.metadata();
        if (metadata == null || !metadata.containsKey(CODE_TRAILER)) {
            return Optional.empty();
        }
        String name = new String(metadata.getByte(CODE_TRAILER), StandardCharsets.US_ASCII);
        for (Code code : Code.values()) {
            if (code.name().equals(name)) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }

    private static Code codeOf(FlightRuntimeException failure)
    {
        FlightStatusCode code = failure.status().code();
        return switch (code) {
            case INVALID_ARGUMENT, UNAUTHENTICATED, UNAUTHORIZED, UNIMPLEMENTED, ALREADY_EXISTS -> Code.INVALID_ARGUMENT;
            case NOT_FOUND -> Code.NOT_FOUND;
            case RESOURCE_EXHAUSTED -> Code.RESOURCE_EXHAUSTED;
            case UNAVAILABLE, CANCELLED, TIMED_OUT -> Code.UNAVAILABLE;
            case OK, UNKNOWN, INTERNAL -> Code.INTERNAL;
        };
    }

    private static Status status(Code code)
    {
        return switch (code) {
            case BAD_DATA, INVALID_ARGUMENT -> Status.INVALID_ARGUMENT;
            case NOT_FOUND -> Status.NOT_FOUND;
            case NOT_REALTIME, FENCED, CUT_EXPIRED -> Status.FAILED_PRECONDITION;
            case RESOURCE_EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            case UNAVAILABLE, COMMIT_FAILED -> Status.UNAVAILABLE;
            case INTERNAL -> Status.INTERNAL;
        };
    }

    private static String shorten(String message)
    {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= MAX_DESCRIPTION_BYTES) {
            return message;
        }
        int end = MAX_DESCRIPTION_BYTES;
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + "...";
    }
}
