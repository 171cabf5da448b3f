package io.paimon.realtime.trino.arrow;

import static java.nio.ByteOrder.nativeOrder;
import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;
import static org.apache.arrow.memory.util.MemoryUtil.getShort;

import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ShortArrayBlock;
import java.util.Optional;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;

/**
 * Copies of values of a fixed width that Trino keeps as Arrow does. Ranges of the wide ones are copied in one piece; what lies under a NULL is copied with the rest.
 */
final class ArrowNumbers
{
    private ArrowNumbers()
    {}

    static Block longs(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        if (rows.isRange()) {
            vector.getDataBuffer().nioBuffer((long) rows.from() * Long.BYTES, count * Long.BYTES).order(nativeOrder()).asLongBuffer().get(values);
        }
        else {
            long address = vector.getDataBufferAddress();
            for (int i = 0; i < count; i++) {
                values[i] = getLong(address + (long) rows.get(i) * Long.BYTES);
            }
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    static Block ints(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        int[] values = new int[count];
        if (rows.isRange()) {
            vector.getDataBuffer().nioBuffer((long) rows.from() * Integer.BYTES, count * Integer.BYTES).order(nativeOrder()).asIntBuffer()
                    .get(values);
        }
        else {
            long address = vector.getDataBufferAddress();
            for (int i = 0; i < count; i++) {
                values[i] = getInt(address + (long) rows.get(i) * Integer.BYTES);
            }
        }
        return new IntArrayBlock(count, Optional.ofNullable(validity), values);
    }

    static Block shorts(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        short[] values = new short[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = getShort(address + (long) rows.get(i) * Short.BYTES);
        }
        return new ShortArrayBlock(count, Optional.ofNullable(validity), values);
    }

    static Block bytes(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        byte[] values = new byte[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = getByte(address + rows.get(i));
        }
        return new ByteArrayBlock(count, Optional.ofNullable(validity), values);
    }

    static Block booleans(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        byte[] values = new byte[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = (byte) ArrowValidity.bit(address, rows.get(i));
        }
        return new ByteArrayBlock(count, Optional.ofNullable(validity), values);
    }

    static Block shortDecimals(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            values[i] = getLong(address + (long) rows.get(i) * DecimalVector.TYPE_WIDTH);
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    static Block longDecimals(FieldVector vector, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        // Trino has the high half first
        long[] values = new long[count * 2];
        long address = vector.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            long position = address + (long) rows.get(i) * DecimalVector.TYPE_WIDTH;
            values[2 * i] = getLong(position + Long.BYTES);
            values[2 * i + 1] = getLong(position);
        }
        return new Int128ArrayBlock(count, Optional.ofNullable(validity), values);
    }
}
