package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

/**
 * An error of the real-time layer with a code that every carrier (Java, Flight, SQL) translates into its own terms.
 *
 * <p>Whoever throws it has changed nothing: no row of the refused call is kept.
 */
public final class RealtimeException extends RuntimeException
{
    /** What went wrong, in terms of what the caller can do about it. */
    public enum Code
    {
        /** The rows do not fit the table: the message names table, column and row. Sending them again fails again. */
        BAD_DATA(false),
        /** The request itself makes no sense: unknown field, malformed JSON, an option that is not allowed. */
        INVALID_ARGUMENT(false),
        /** No such table, statement or ticket. */
        NOT_FOUND(false),
        /** The table is not a real-time table, or its options do not allow real-time writes. */
        NOT_REALTIME(false),
        /** Another writer owns the table, or took it over. */
        FENCED(false),
        /** Memory, pins or queues are at their limit; the same call may succeed later. */
        RESOURCE_EXHAUSTED(true),
        /** Starting, recovering, closing, unreachable or broken, with the reason. */
        UNAVAILABLE(true),
        /** The view of this query is gone: run the query again. */
        CUT_EXPIRED(true),
        /** A commit was refused or failed; the rows are still in memory and the next round tries again. */
        COMMIT_FAILED(true),
        /** A promise of the engine was broken; never expected. */
        INTERNAL(false);

        private final boolean retryable;

        Code(boolean retryable)
        {
            this.retryable = retryable;
        }

        /** Whether the very same call may succeed later. */
        public boolean isRetryable()
        {
            return retryable;
        }
    }

    private final Code code;

    public RealtimeException(Code code, String message)
    {
        this(code, message, null);
    }

    public RealtimeException(Code code, String message, Throwable cause)
    {
        super(requireNonNull(message, "message is null"), cause);
        this.code = requireNonNull(code, "code is null");
    }

    public Code code()
    {
        return code;
    }
}
