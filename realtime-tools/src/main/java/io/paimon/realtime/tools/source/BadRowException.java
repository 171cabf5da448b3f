package io.paimon.realtime.tools.source;

/** A file, a row or a value that does not fit the table; the message names it and is for the one who sends the file. */
public final class BadRowException extends RuntimeException
{
    public BadRowException(String message)
    {
        super(message);
    }

    public BadRowException(String message, Throwable cause)
    {
        super(message, cause);
    }
}
