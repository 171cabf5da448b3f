package io.paimon.realtime.memory.arrow;

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListViewVector;

/**
 * The lists of a vector, of whatever layout, as slices of its elements; size -1 stands for NULL.
 */
record ListSlices(int[] starts, int[] sizes)
{
    /** @param lists a conversion whose source is a vector of lists other than the canonical ones */
    static ListSlices of(Conversion lists)
    {
        FieldVector source = lists.source();
        int count = lists.count();
        int[] starts = new int[count];
        int[] sizes = new int[count];
        Arrays.fill(sizes, -1);
        for (int i = 0; i < count; i++) {
            if (!lists.isValue(i)) {
                continue;
            }
            switch (source) {
                case LargeListVector list -> {
                    starts[i] = (int) list.getOffsetBuffer().getLong(8L * i);
                    sizes[i] = (int) list.getOffsetBuffer().getLong(8L * (i + 1)) - starts[i];
                }
                case FixedSizeListVector list -> {
                    starts[i] = i * list.getListSize();
                    sizes[i] = list.getListSize();
                }
                case ListViewVector list -> {
                    starts[i] = list.getOffsetBuffer().getInt(4L * i);
                    sizes[i] = list.getSizeBuffer().getInt(4L * i);
                }
                case LargeListViewVector list -> {
                    starts[i] = (int) list.getOffsetBuffer().getLong(8L * i);
                    sizes[i] = (int) list.getSizeBuffer().getLong(8L * i);
                }
                default -> throw new IllegalArgumentException("Not a list: " + source.getField());
            }
        }
        return new ListSlices(starts, sizes);
    }

    /** The list that shows each of so many elements, or -1 for none. */
    int[] owners(int elements)
    {
        int[] owners = Place.noOwners(elements);
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] > 0) {
                Arrays.fill(owners, starts[i], starts[i] + sizes[i], i);
            }
        }
        return owners;
    }

    /** The elements of one list after the other. */
    int[] positions(Place place)
    {
        long total = 0;
        for (int size : sizes) {
            total += Math.max(size, 0);
        }
        if (total > Integer.MAX_VALUE - 64) {
            throw place.bad("more elements than one batch can hold");
        }
        int[] positions = new int[(int) total];
        int at = 0;
        for (int i = 0; i < sizes.length; i++) {
            for (int k = 0; k < sizes[i]; k++) {
                positions[at++] = starts[i] + k;
            }
        }
        return positions;
    }

    /** Adds the validity and offsets buffers of a list vector, which the caller frees; returns the number of NULLs. */
    int write(List<ArrowBuf> buffers, BufferAllocator allocator)
    {
        ArrowBuf validity = allocator.buffer(Bits.bytes(sizes.length));
        buffers.add(validity);
        validity.setZero(0, validity.capacity());
        ArrowBuf offsets = allocator.buffer(4L * (sizes.length + 1));
        buffers.add(offsets);
        int nulls = 0;
        int end = 0;
        offsets.setInt(0, 0);
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] < 0) {
                nulls++;
            }
            else {
                BitVectorHelper.setBit(validity, i);
                end += sizes[i];
            }
            offsets.setInt(4L * (i + 1), end);
        }
        return nulls;
    }
}
