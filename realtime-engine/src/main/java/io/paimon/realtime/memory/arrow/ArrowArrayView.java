package io.paimon.realtime.memory.arrow;

import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Blob;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.InternalVector;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.Variant;

/** One array of a canonical vector, read in place; strings and bytes are copied. */
final class ArrowArrayView implements InternalArray
{
    private final ColumnReader elements;
    private final int start;
    private final int size;

    ArrowArrayView(ColumnReader elements, int start, int size)
    {
        this.elements = elements;
        this.start = start;
        this.size = size;
    }

    @Override
    public int size()
    {
        return size;
    }

    @Override
    public boolean isNullAt(int position)
    {
        return elements.isNull(start + position);
    }

    @Override
    public boolean getBoolean(int position)
    {
        return elements.getBoolean(start + position);
    }

    @Override
    public byte getByte(int position)
    {
        return elements.getByte(start + position);
    }

    @Override
    public short getShort(int position)
    {
        return elements.getShort(start + position);
    }

    @Override
    public int getInt(int position)
    {
        return elements.getInt(start + position);
    }

    @Override
    public long getLong(int position)
    {
        return elements.getLong(start + position);
    }

    @Override
    public float getFloat(int position)
    {
        return elements.getFloat(start + position);
    }

    @Override
    public double getDouble(int position)
    {
        return elements.getDouble(start + position);
    }

    @Override
    public BinaryString getString(int position)
    {
        return elements.getString(start + position);
    }

    @Override
    public Decimal getDecimal(int position, int precision, int scale)
    {
        return elements.getDecimal(start + position, precision, scale);
    }

    @Override
    public Timestamp getTimestamp(int position, int precision)
    {
        return elements.getTimestamp(start + position);
    }

    @Override
    public byte[] getBinary(int position)
    {
        return elements.getBytes(start + position);
    }

    @Override
    public Variant getVariant(int position)
    {
        throw new UnsupportedOperationException("No variants in memory");
    }

    @Override
    public Blob getBlob(int position)
    {
        throw new UnsupportedOperationException("No blobs in memory");
    }

    @Override
    public InternalVector getVector(int position)
    {
        throw new UnsupportedOperationException("No vectors in memory");
    }

    @Override
    public InternalArray getArray(int position)
    {
        return elements.getArray(start + position);
    }

    @Override
    public InternalMap getMap(int position)
    {
        return elements.getMap(start + position);
    }

    @Override
    public InternalRow getRow(int position, int fieldCount)
    {
        return elements.getRow(start + position);
    }

    @Override
    public boolean[] toBooleanArray()
    {
        boolean[] values = new boolean[size];
        for (int i = 0; i < size; i++) {
            values[i] = getBoolean(i);
        }
        return values;
    }

    @Override
    public byte[] toByteArray()
    {
        byte[] values = new byte[size];
        for (int i = 0; i < size; i++) {
            values[i] = getByte(i);
        }
        return values;
    }

    @Override
    public short[] toShortArray()
    {
        short[] values = new short[size];
        for (int i = 0; i < size; i++) {
            values[i] = getShort(i);
        }
        return values;
    }

    @Override
    public int[] toIntArray()
    {
        int[] values = new int[size];
        for (int i = 0; i < size; i++) {
            values[i] = getInt(i);
        }
        return values;
    }

    @Override
    public long[] toLongArray()
    {
        long[] values = new long[size];
        for (int i = 0; i < size; i++) {
            values[i] = getLong(i);
        }
        return values;
    }

    @Override
    public float[] toFloatArray()
    {
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = getFloat(i);
        }
        return values;
    }

    @Override
    public double[] toDoubleArray()
    {
        double[] values = new double[size];
        for (int i = 0; i < size; i++) {
            values[i] = getDouble(i);
        }
        return values;
    }
}
