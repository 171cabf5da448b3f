package io.paimon.realtime.tools;

/** A command line that means nothing; the message is for the one who typed it. */
public final class UsageException extends RuntimeException
{
    public UsageException(String message)
    {
        super(message);
    }

    public UsageException(String message, Throwable cause)
    {
        super(message, cause);
    }
}
