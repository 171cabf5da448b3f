package io.paimon.realtime.trino.arrow;

import static io.paimon.realtime.trino.arrow.ArrowValidity.isValid;
import static java.lang.Math.toIntExact;
import static java.nio.ByteOrder.nativeOrder;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;

import org.apache.arrow.memory.ArrowBuf;

/**
 * Offsets of what has a length of its own in each row: strings, arrays and maps.
 */
final class ArrowOffsets
{
    private ArrowOffsets()
    {}

    /** Whether the rows' contents are one piece of the vector's. */
    static boolean isOnePiece(ArrowRows rows, long[] validity)
    {
        return rows.isRange() && validity == null;
    }

    /** Where the contents of the i-th row start. */
    static int start(ArrowBuf offsets, ArrowRows rows, int i)
    {
        return getInt(offsets.memoryAddress() + (long) rows.get(i) * Integer.BYTES);
    }

    /** Offsets of the rows' contents if they follow each other from 0 on; NULLs have none. One more than there are rows. */
    static int[] compact(ArrowBuf offsets, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        int[] ends = new int[count + 1];
        if (isOnePiece(rows, validity)) {
            offsets.nioBuffer((long) rows.from() * Integer.BYTES, ends.length * Integer.BYTES).order(nativeOrder()).asIntBuffer().get(ends);
            int start = ends[0];
            for (int i = 0; i < ends.length; i++) {
                ends[i] -= start;
            }
            return ends;
        }
        long address = offsets.memoryAddress();
        long total = 0;
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                long offset = address + (long) rows.get(i) * Integer.BYTES;
                total += getInt(offset + Integer.BYTES) - getInt(offset);
            }
            ends[i + 1] = toIntExact(total);
        }
        return ends;
    }
}
