package io.paimon.realtime.tools.flight;

import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;

/** The writer refused a call; the message is its status and its reason. */
public final class WriterException extends RuntimeException
{
    private final FlightStatusCode code;

    WriterException(String call, FlightRuntimeException cause)
    {
        super("%s: %s: %s".formatted(call, cause.status().code(), cause.status().description()), cause);
        this.code = cause.status().code();
    }

    WriterException(String message, Throwable cause)
    {
        super(message, cause);
        this.code = FlightStatusCode.INTERNAL;
    }

    public FlightStatusCode code()
    {
        return code;
    }
}
