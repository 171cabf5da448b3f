package io.paimon.realtime.tools.quickstart;

/** The server did not behave as promised; the message says how. */
final class CheckFailedException extends RuntimeException
{
    CheckFailedException(String message)
    {
        super(message);
    }

    CheckFailedException(String message, Throwable cause)
    {
        super(message, cause);
    }
}
