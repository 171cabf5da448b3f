package io.paimon.realtime.trino.handle;

import com.google.common.collect.ImmutableList;

import java.util.List;

import static java.lang.Math.ceilDiv;
import static java.lang.Math.toIntExact;

/**
 * Positions [start, end) in a file: what begins at one of them belongs to the range.
 */
public record ByteRange(long start, long end)
{
    /** Of a file of any length. */
    public static final ByteRange WHOLE_FILE = new ByteRange(0, Long.MAX_VALUE);

    public ByteRange
    {
        if (start < 0 || end <= start) {
            throw new IllegalArgumentException("No bytes: [%s, %s)".formatted(start, end));
        }
    }

    /** Ranges of about equal length and at most {@code maxLength}; each position of the file is in one of them. */
    public static List<ByteRange> divide(long fileLength, long maxLength)
    {
        int pieces = toIntExact(ceilDiv(fileLength, maxLength));
        ImmutableList.Builder<ByteRange> ranges = ImmutableList.builderWithExpectedSize(pieces);
        for (int i = 0; i < pieces; i++) {
            ranges.add(new ByteRange(boundary(fileLength, i, pieces), boundary(fileLength, i + 1, pieces)));
        }
        return ranges.build();
    }

    private static long boundary(long fileLength, int piece, int pieces)
    {
        return fileLength / pieces * piece + fileLength % pieces * piece / pieces;
    }

    /** Of the ranges that a file is divided into, exactly one does. */
    public boolean startsFile()
    {
        return start == 0;
    }

    public long length()
    {
        return end - start;
    }

    @Override
    public String toString()
    {
        return "[%s, %s)".formatted(start, end);
    }
}
