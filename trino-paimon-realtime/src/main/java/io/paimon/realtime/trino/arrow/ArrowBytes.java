package io.paimon.realtime.trino.arrow;

import static io.airlift.slice.Slices.wrappedBuffer;
import static io.trino.spi.type.Chars.byteCountWithoutTrailingSpace;
import static org.apache.arrow.memory.util.MemoryUtil.copyFromMemory;
import static org.apache.arrow.memory.util.MemoryUtil.getByte;

import io.airlift.slice.Slice;
import io.trino.spi.block.Block;
import io.trino.spi.block.VariableWidthBlock;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/**
 * Copies of strings and binary values. Ranges without NULLs are copied in one piece.
 */
final class ArrowBytes
{
    /** Values up to this length are copied byte by byte, longer ones by a call. */
    private static final int SHORT_VALUE = 16;

    private ArrowBytes()
    {}

    static Block values(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int[] ends = ArrowOffsets.compact(vector.getOffsetBuffer(), rows, validity);
        byte[] bytes = bytes(vector, rows, validity, ends);
        return new VariableWidthBlock(rows.count(), wrappedBuffer(bytes), ends, Optional.ofNullable(validity));
    }

    /** Paimon neither pads nor cuts CHAR; Trino's blocks hold it without trailing spaces. */
    static Block chars(FieldVector vector, ArrowRows rows, long[] validity, int length)
    {
        int[] ends = ArrowOffsets.compact(vector.getOffsetBuffer(), rows, validity);
        byte[] bytes = bytes(vector, rows, validity, ends);
        Slice slice = wrappedBuffer(bytes);
        int from = 0;
        int to = 0;
        for (int i = 0; i < rows.count(); i++) {
            int next = ends[i + 1];
            int kept = byteCountWithoutTrailingSpace(slice, from, next - from, length);
            System.arraycopy(bytes, from, bytes, to, kept);
            from = next;
            to += kept;
            ends[i + 1] = to;
        }
        return new VariableWidthBlock(rows.count(), slice.slice(0, to), ends, Optional.ofNullable(validity));
    }

    private static byte[] bytes(FieldVector vector, ArrowRows rows, long[] validity, int[] ends)
    {
        ArrowBuf offsets = vector.getOffsetBuffer();
        byte[] bytes = new byte[ends[rows.count()]];
        if (ArrowOffsets.isOnePiece(rows, validity)) {
            vector.getDataBuffer().getBytes(ArrowOffsets.start(offsets, rows, 0), bytes, 0, bytes.length);
            return bytes;
        }
        long data = vector.getDataBufferAddress();
        for (int i = 0; i < rows.count(); i++) {
            int length = ends[i + 1] - ends[i];
            if (length > 0) {
                copyValue(data + ArrowOffsets.start(offsets, rows, i), bytes, ends[i], length);
            }
        }
        return bytes;
    }

    private static void copyValue(long address, byte[] target, int at, int length)
    {
        if (length > SHORT_VALUE) {
            copyFromMemory(address, target, at, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            target[at + i] = getByte(address + i);
        }
    }
}
