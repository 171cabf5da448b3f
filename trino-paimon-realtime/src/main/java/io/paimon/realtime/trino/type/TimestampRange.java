package io.paimon.realtime.trino.type;

import static io.trino.spi.StandardErrorCode.NUMERIC_VALUE_OUT_OF_RANGE;

import io.trino.spi.TrinoException;

/** Which of Paimon's timestamps the types of the engine hold: Paimon's own are 64 bits of milliseconds. */
public final class TimestampRange
{
    private static final long MICROS_PER_MILLI = 1_000;
    /** A timestamp with time zone has 52 bits of milliseconds. */
    private static final long MAX_ZONED_MILLIS = (1L << 51) - 1;

    private TimestampRange()
    {}

    /**
     * @throws TrinoException NUMERIC_VALUE_OUT_OF_RANGE if a long cannot hold the microseconds since 1970
     */
    public static long micros(long epochMillis, long microsOfMilli)
    {
        long high = Math.multiplyHigh(epochMillis, MICROS_PER_MILLI);
        long scaled = epochMillis * MICROS_PER_MILLI;
        long micros = scaled + microsOfMilli;
        if (high != scaled >> 63 || (scaled > 0 && micros < 0)) {
            throw outOfRange(epochMillis, "timestamp");
        }
        return micros;
    }

    /**
     * @throws TrinoException NUMERIC_VALUE_OUT_OF_RANGE if a timestamp with time zone cannot hold the milliseconds since 1970
     */
    public static long checkZoned(long epochMillis)
    {
        if (epochMillis > MAX_ZONED_MILLIS || epochMillis < -MAX_ZONED_MILLIS - 1) {
            throw outOfRange(epochMillis, "timestamp with time zone");
        }
        return epochMillis;
    }

    private static TrinoException outOfRange(long epochMillis, String type)
    {
        return new TrinoException(NUMERIC_VALUE_OUT_OF_RANGE, "%s milliseconds since 1970 are out of the range of %s".formatted(epochMillis, type));
    }
}
