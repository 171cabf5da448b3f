package io.paimon.realtime.model;

/**
 * Positions {@code [start, end)} of rows in one partition-bucket. Offsets begin at 0 and have no gaps.
 */
public record OffsetRange(long start, long end)
{
    /** Offsets stay below this value, so that {@code end} never overflows. */
    public static final long MAX_OFFSET = Long.MAX_VALUE - 1;

    public OffsetRange
    {
        if (start < 0 || end < start || end > MAX_OFFSET) {
            throw new IllegalArgumentException("Not an offset range: [%s, %s)".formatted(start, end));
        }
    }

    public long rows()
    {
        return end - start;
    }

    public boolean isEmpty()
    {
        return start == end;
    }

    @Override
    public String toString()
    {
        return "[%d, %d)".formatted(start, end);
    }
}
