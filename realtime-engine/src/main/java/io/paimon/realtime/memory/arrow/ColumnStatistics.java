package io.paimon.realtime.memory.arrow;

import org.apache.arrow.vector.FieldVector;

/**
 * What is known of a stored column as a whole. Bounds only for types whose values are ordered as 64-bit numbers.
 *
 * @param bounded whether min and max hold, which takes a value that is not NULL
 * @param min smallest value as {@link LongValues} reads it
 * @param max largest value
 */
record ColumnStatistics(int nullCount, boolean bounded, long min, long max)
{
    static ColumnStatistics of(FieldVector vector)
    {
        int count = vector.getValueCount();
        int nullCount = vector.getNullCount();
        LongValues values = LongValues.exact(vector);
        if (values == null || nullCount == count) {
            return new ColumnStatistics(nullCount, false, 0, 0);
        }
        long[] decoded = new long[count];
        values.read(Positions.range(0, count), decoded);
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        if (nullCount == 0) {
            for (long value : decoded) {
                min = Math.min(min, value);
                max = Math.max(max, value);
            }
        }
        else {
            long validity = vector.getValidityBufferAddress();
            for (int i = 0; i < count; i++) {
                if (Bits.isSet(validity, i)) {
                    min = Math.min(min, decoded[i]);
                    max = Math.max(max, decoded[i]);
                }
            }
        }
        return new ColumnStatistics(nullCount, true, min, max);
    }
}
