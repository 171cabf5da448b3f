package io.paimon.realtime.trino.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.getByte;

/**
 * Which rows have a value, as Trino's blocks keep it: a bit that is set stands for a value, as in Arrow; null for a mask of set bits only.
 */
final class ArrowValidity
{
    private ArrowValidity()
    {}

    /**
     * The rows of the column that have a value.
     *
     * @param visible those of the rows that what the column is nested in shows; what the others hold does not matter
     */
    static long[] of(ArrowColumn column, ArrowRows rows, long[] visible)
    {
        if (column.nullCount() == 0) {
            return visible;
        }
        int count = rows.count();
        long[] valid = new long[(count + 63) / 64];
        long address = column.vector().getValidityBufferAddress();
        for (int i = 0; i < count; i++) {
            valid[i >> 6] |= bit(address, rows.get(i)) << i;
        }
        if (visible != null) {
            for (int i = 0; i < valid.length; i++) {
                valid[i] &= visible[i];
            }
        }
        return valid;
    }

    static boolean isValid(long[] validity, int i)
    {
        return validity == null || (validity[i >> 6] >>> i & 1) != 0;
    }

    /** A bit, 0 or 1, of bits that are packed as Arrow packs them. */
    static long bit(long address, int position)
    {
        return getByte(address + (position >> 3)) >> (position & 7) & 1;
    }
}
