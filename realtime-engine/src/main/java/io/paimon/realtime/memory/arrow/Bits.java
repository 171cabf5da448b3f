package io.paimon.realtime.memory.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;
import static org.apache.arrow.memory.util.MemoryUtil.putByte;

import org.apache.arrow.memory.util.MemoryUtil;

/** Bit maps at raw addresses, least significant bit first as in Arrow. Targets must be zero where they are written. */
final class Bits
{
    private Bits()
    {}

    static int bytes(int bits)
    {
        return (bits + 7) >>> 3;
    }

    static boolean isSet(long address, int bit)
    {
        return (getByte(address + (bit >> 3)) >> (bit & 7) & 1) != 0;
    }

    static void set(long address, int bit)
    {
        long at = address + (bit >> 3);
        putByte(at, (byte) (getByte(at) | 1 << (bit & 7)));
    }

    static void clear(long address, int bit)
    {
        long at = address + (bit >> 3);
        putByte(at, (byte) (getByte(at) & ~(1 << (bit & 7))));
    }

    /** Number of set bits in {@code [0, bits)}. */
    static int count(long address, int bits)
    {
        int count = 0;
        int i = 0;
        for (; i + 64 <= bits; i += 64) {
            count += Long.bitCount(getLong(address + (i >> 3)));
        }
        for (; i + 8 <= bits; i += 8) {
            count += Integer.bitCount(getByte(address + (i >> 3)) & 0xFF);
        }
        for (; i < bits; i++) {
            count += isSet(address, i) ? 1 : 0;
        }
        return count;
    }

    static void setRange(long target, int at, int count)
    {
        int end = at + count;
        int i = at;
        for (; i < end && (i & 7) != 0; i++) {
            set(target, i);
        }
        int fullBytes = (end - i) >> 3;
        if (fullBytes > 0) {
            MemoryUtil.setMemory(target + (i >> 3), fullBytes, (byte) 0xFF);
            i += fullBytes << 3;
        }
        for (; i < end; i++) {
            set(target, i);
        }
    }

    static void copyRange(long source, int from, long target, int at, int count)
    {
        int i = 0;
        for (; i < count && ((at + i) & 7) != 0; i++) {
            copyBit(source, from + i, target, at + i);
        }
        int fullBytes = (count - i) >> 3;
        long sourceByte = source + ((from + i) >> 3);
        long targetByte = target + ((at + i) >> 3);
        int shift = (from + i) & 7;
        if (shift == 0) {
            MemoryUtil.copyMemory(sourceByte, targetByte, fullBytes);
        }
        else {
            for (int k = 0; k < fullBytes; k++) {
                int low = (getByte(sourceByte + k) & 0xFF) >>> shift;
                int high = getByte(sourceByte + k + 1) << (8 - shift);
                putByte(targetByte + k, (byte) (low | high));
            }
        }
        for (i += fullBytes << 3; i < count; i++) {
            copyBit(source, from + i, target, at + i);
        }
    }

    static void gather(long source, int[] positions, int from, long target, int at, int count)
    {
        int i = 0;
        for (; i < count && ((at + i) & 7) != 0; i++) {
            copyBit(source, positions[from + i], target, at + i);
        }
        for (; i + 8 <= count; i += 8) {
            int bits = 0;
            for (int k = 0; k < 8; k++) {
                int position = positions[from + i + k];
                bits |= (getByte(source + (position >> 3)) >> (position & 7) & 1) << k;
            }
            putByte(target + ((at + i) >> 3), (byte) bits);
        }
        for (; i < count; i++) {
            copyBit(source, positions[from + i], target, at + i);
        }
    }

    private static void copyBit(long source, int from, long target, int at)
    {
        if (isSet(source, from)) {
            set(target, at);
        }
    }
}
