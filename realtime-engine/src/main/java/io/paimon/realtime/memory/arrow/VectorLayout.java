package io.paimon.realtime.memory.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;

/**
 * Checks that everything a vector's offsets and lengths point at lies inside its buffers. Arrow does not check it when it reads a message, and the copies here work
 * on raw addresses: what passes here cannot make them read beyond a buffer.
 */
public final class VectorLayout
{
    private VectorLayout()
    {}

    /**
     * @param tableName for messages
     * @throws io.paimon.realtime.model.RealtimeException BAD_DATA naming table and column
     */
    public static void check(FieldVector vector, String tableName)
    {
        check(vector, Place.column(tableName, vector.getName()));
    }

    static void check(FieldVector vector, Place place)
    {
        check(vector, vector.getValueCount(), place);
    }

    private static void check(FieldVector vector, int count, Place place)
    {
        require(vector.getValueCount() >= count, "a nested column holds %s values of %s".formatted(vector.getValueCount(), count), place);
        if (vector instanceof NullVector || count == 0) {
            return;
        }
        if (vector instanceof ExtensionTypeVector<?> extension) {
            check((FieldVector) extension.getUnderlyingVector(), count, place);
            return;
        }
        if (!(vector instanceof RunEndEncodedVector)) {
            requireCapacity(vector.getValidityBuffer(), Bits.bytes(count), place);
        }
        switch (vector) {
            case BitVector bits -> requireCapacity(bits.getDataBuffer(), Bits.bytes(count), place);
            case BaseFixedWidthVector fixed -> requireCapacity(fixed.getDataBuffer(), (long) fixed.getTypeWidth() * count, place);
            case BaseVariableWidthVector variable -> checkOffsets(variable.getOffsetBuffer(), count, variable.getDataBuffer().capacity(), place);
            case BaseLargeVariableWidthVector variable ->
                checkLongOffsets(variable.getOffsetBuffer(), count, variable.getDataBuffer().capacity(), place);
            case BaseVariableWidthViewVector views -> checkViews(views, count, place);
            case ListVector list -> {
                checkOffsets(list.getOffsetBuffer(), count, list.getDataVector().getValueCount(), place);
                check(list.getDataVector(), list.getDataVector().getValueCount(), place);
            }
            case LargeListVector list -> {
                checkLongOffsets(list.getOffsetBuffer(), count, list.getDataVector().getValueCount(), place);
                check(list.getDataVector(), list.getDataVector().getValueCount(), place);
            }
            case FixedSizeListVector list -> check(list.getDataVector(), size((long) list.getListSize() * count, place), place);
            case ListViewVector list -> {
                requireCapacity(list.getOffsetBuffer(), 4L * count, place);
                requireCapacity(list.getSizeBuffer(), 4L * count, place);
                for (int i = 0; i < count; i++) {
                    checkSlice(list.getOffsetBuffer().getInt(4L * i), list.getSizeBuffer().getInt(4L * i), list.getDataVector().getValueCount(),
                            place);
                }
                check(list.getDataVector(), list.getDataVector().getValueCount(), place);
            }
            case LargeListViewVector list -> {
                requireCapacity(list.getOffsetBuffer(), 8L * count, place);
                requireCapacity(list.getSizeBuffer(), 8L * count, place);
                for (int i = 0; i < count; i++) {
                    checkSlice(list.getOffsetBuffer().getLong(8L * i), list.getSizeBuffer().getLong(8L * i), list.getDataVector().getValueCount(),
                            place);
                }
                check(list.getDataVector(), list.getDataVector().getValueCount(), place);
            }
            case StructVector struct -> struct.getChildrenFromFields().forEach(child -> check(child, count, place));
            case RunEndEncodedVector runs -> checkRuns(runs, count, place);
            default -> throw place.bad("the Arrow type %s is not supported".formatted(vector.getField().getType()));
        }
    }

    private static void checkOffsets(ArrowBuf offsets, int count, long capacity, Place place)
    {
        requireCapacity(offsets, 4L * (count + 1), place);
        long address = offsets.memoryAddress();
        int previous = getInt(address);
        boolean ascending = previous >= 0;
        for (int i = 1; i <= count; i++) {
            int next = getInt(address + 4L * i);
            ascending &= next >= previous;
            previous = next;
        }
        require(ascending && previous <= capacity, "offsets are damaged", place);
    }

    private static void checkLongOffsets(ArrowBuf offsets, int count, long capacity, Place place)
    {
        requireCapacity(offsets, 8L * (count + 1), place);
        long address = offsets.memoryAddress();
        long previous = getLong(address);
        boolean ascending = previous >= 0;
        for (int i = 1; i <= count; i++) {
            long next = getLong(address + 8L * i);
            ascending &= next >= previous;
            previous = next;
        }
        require(ascending && previous <= capacity, "offsets are damaged", place);
    }

    private static void checkViews(BaseVariableWidthViewVector vector, int count, Place place)
    {
        ArrowBuf views = vector.getDataBuffer();
        requireCapacity(views, (long) BaseVariableWidthViewVector.ELEMENT_SIZE * count, place);
        for (int i = 0; i < count; i++) {
            long view = (long) BaseVariableWidthViewVector.ELEMENT_SIZE * i;
            int length = views.getInt(view);
            if (length > BaseVariableWidthViewVector.INLINE_SIZE && !vector.isNull(i)) {
                int buffer = views.getInt(view + 8);
                require(buffer >= 0 && buffer < vector.getDataBuffers().size(), "views are damaged", place);
                checkSlice(views.getInt(view + 12), length, vector.getDataBuffers().get(buffer).capacity(), place);
            }
            require(length >= 0 || vector.isNull(i), "views are damaged", place);
        }
    }

    private static void checkRuns(RunEndEncodedVector runs, int count, Place place)
    {
        FieldVector ends = runs.getRunEndsVector();
        check(ends, ends.getValueCount(), place);
        check(runs.getValuesVector(), ends.getValueCount(), place);
        require(ends.getNullCount() == 0, "run ends are damaged", place);
        long previous = 0;
        for (int i = 0; i < ends.getValueCount(); i++) {
            long end = runEnd(ends, i);
            require(end > previous, "run ends are damaged", place);
            previous = end;
        }
        require(previous >= count, "run ends are damaged", place);
    }

    static long runEnd(FieldVector ends, int index)
    {
        return switch (((BaseFixedWidthVector) ends).getTypeWidth()) {
            case 2 -> ends.getDataBuffer().getShort(2L * index);
            case 4 -> ends.getDataBuffer().getInt(4L * index);
            default -> ends.getDataBuffer().getLong(8L * index);
        };
    }

    private static void checkSlice(long offset, long size, long capacity, Place place)
    {
        require(offset >= 0 && size >= 0 && offset <= capacity - size, "offsets are damaged", place);
    }

    private static int size(long size, Place place)
    {
        require(size <= Integer.MAX_VALUE - 64, "more elements than one batch can hold", place);
        return (int) size;
    }

    private static void requireCapacity(ArrowBuf buffer, long bytes, Place place)
    {
        require(buffer.capacity() >= bytes, "a buffer of %s bytes is shorter than the %s its rows need".formatted(buffer.capacity(), bytes), place);
    }

    private static void require(boolean condition, String problem, Place place)
    {
        if (!condition) {
            throw place.bad(problem);
        }
    }
}
