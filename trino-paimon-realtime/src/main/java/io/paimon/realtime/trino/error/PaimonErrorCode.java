package io.paimon.realtime.trino.error;

import io.paimon.realtime.model.RealtimeException;
import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;
import io.trino.spi.TrinoException;

import static io.trino.spi.ErrorType.EXTERNAL;
import static io.trino.spi.ErrorType.INTERNAL_ERROR;
import static io.trino.spi.ErrorType.USER_ERROR;

/** Errors of this connector; the numbers are stable. */
public enum PaimonErrorCode implements ErrorCodeSupplier
{
    /** The catalog or the metadata of a table cannot be read or changed. */
    PAIMON_CATALOG_ERROR(0, EXTERNAL),
    /** A column that a statement uses is gone from the table. */
    PAIMON_INVALID_METADATA(1, EXTERNAL),
    /** A split cannot be opened, most often because its snapshot has expired. */
    PAIMON_CANNOT_OPEN_SPLIT(2, EXTERNAL),
    /** Reading failed after the split was opened. */
    PAIMON_READ_ERROR(3, EXTERNAL),
    /** A data file cannot be written. */
    PAIMON_WRITE_ERROR(4, EXTERNAL),
    /** The commit failed or was refused; nothing of it is visible unless the message says that this is unknown. */
    PAIMON_COMMIT_ERROR(5, EXTERNAL),
    /** Rows do not fit the table. */
    PAIMON_BAD_DATA(6, USER_ERROR),
    /** The real-time writer is starting, recovering, unreachable or broken; the message gives the reason. */
    PAIMON_REALTIME_UNAVAILABLE(7, EXTERNAL),
    /** The writer does not hold the state this query was planned on any more: run the query again. */
    PAIMON_REALTIME_CUT_EXPIRED(8, EXTERNAL),
    /** A promise between parts of the connector was broken. */
    PAIMON_INTERNAL_ERROR(9, INTERNAL_ERROR),
    /**/;

    private static final int OFFSET = 0x0521_0000;

    private final ErrorCode errorCode;

    PaimonErrorCode(int code, ErrorType type)
    {
        errorCode = new ErrorCode(OFFSET + code, name(), type);
    }

    /** The code for an error of the engine. */
    public static PaimonErrorCode of(RealtimeException e)
    {
        return switch (e.code()) {
            case BAD_DATA, INVALID_ARGUMENT -> PAIMON_BAD_DATA;
            case NOT_FOUND, NOT_REALTIME -> PAIMON_CATALOG_ERROR;
            case FENCED, UNAVAILABLE, RESOURCE_EXHAUSTED -> PAIMON_REALTIME_UNAVAILABLE;
            case CUT_EXPIRED -> PAIMON_REALTIME_CUT_EXPIRED;
            case COMMIT_FAILED -> PAIMON_COMMIT_ERROR;
            case INTERNAL -> PAIMON_INTERNAL_ERROR;
        };
    }

    /** Trino's exception for an error of the engine, which is its cause. */
    public static TrinoException toTrinoException(RealtimeException e)
    {
        return new TrinoException(of(e), e.getMessage(), e);
    }

    @Override
    public ErrorCode toErrorCode()
    {
        return errorCode;
    }
}
