package io.paimon.realtime.tools;

/** A command line that means nothing; the message is for the one who typed it. */
final class UsageException extends RuntimeException
{
    UsageException(String message)
    {
        super(message);
    }

    UsageException(String message, Throwable cause)
    {
        super(message, cause);
    }
}
