package io.paimon.realtime.memory.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.copyMemory;
import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;
import static org.apache.arrow.memory.util.MemoryUtil.getShort;
import static org.apache.arrow.memory.util.MemoryUtil.putByte;
import static org.apache.arrow.memory.util.MemoryUtil.putInt;
import static org.apache.arrow.memory.util.MemoryUtil.putLong;
import static org.apache.arrow.memory.util.MemoryUtil.putShort;
import static org.apache.arrow.memory.util.MemoryUtil.setMemory;

import io.paimon.realtime.model.RealtimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Copies chosen positions of canonical vectors into a new vector, buffer by buffer: no object is made per row, ranges are copied in one piece. Several
 * vectors of one type may be joined this way.
 *
 * <p>Works on raw addresses: the caller holds the sources and has checked the positions. Every buffer is allocated once with its exact size. An exception, such as
 * Arrow's OutOfMemoryException, leaves nothing behind.
 */
final class VectorGather
{
    /** Values up to this length are copied in whole words, longer ones by a call. */
    private static final int SHORT_VALUE = 64;

    private final BufferAllocator allocator;
    private final List<ArrowBuf> buffers = new ArrayList<>();

    private VectorGather(BufferAllocator allocator)
    {
        this.allocator = allocator;
    }

    /**
     * A new vector of the field with the chosen positions of each source, one source after the other. The caller closes it.
     */
    static FieldVector gather(Field field, List<FieldVector> sources, List<Positions> positions, BufferAllocator allocator)
    {
        VectorGather gather = new VectorGather(allocator);
        try {
            return toVector(field, gather.build(sources, positions), allocator);
        }
        finally {
            gather.buffers.forEach(ArrowBuf::close);
        }
    }

    static FieldVector gather(Field field, FieldVector source, Positions positions, BufferAllocator allocator)
    {
        return gather(field, List.of(source), List.of(positions), allocator);
    }

    /** Like {@link #gather}, but a negative position gives NULL. */
    static FieldVector gatherNullable(Field field, FieldVector source, int[] positions, BufferAllocator allocator)
    {
        if (source.getValueCount() == 0) {
            return nulls(field, positions.length, allocator);
        }
        int[] existing = new int[positions.length];
        for (int i = 0; i < positions.length; i++) {
            existing[i] = Math.max(positions[i], 0);
        }
        VectorGather gather = new VectorGather(allocator);
        try {
            Column column = gather.build(List.of(source), List.of(Positions.of(existing)));
            long validity = column.buffers().getFirst().memoryAddress();
            for (int i = 0; i < positions.length; i++) {
                if (positions[i] < 0) {
                    Bits.clear(validity, i);
                }
            }
            int nullCount = positions.length - Bits.count(validity, positions.length);
            return toVector(field, new Column(column.rows(), nullCount, column.buffers(), column.children()), allocator);
        }
        finally {
            gather.buffers.forEach(ArrowBuf::close);
        }
    }

    /** A vector of so many NULLs. The caller closes it. */
    static FieldVector nulls(Field field, int count, BufferAllocator allocator)
    {
        VectorGather gather = new VectorGather(allocator);
        try (FieldVector like = field.createVector(allocator)) {
            return toVector(field, gather.nulls(like, count), allocator);
        }
        finally {
            gather.buffers.forEach(ArrowBuf::close);
        }
    }

    private Column nulls(FieldVector like, int count)
    {
        ArrowBuf validity = zeroes(Bits.bytes(count));
        return switch (like) {
            case BitVector _ -> new Column(count, count, List.of(validity, zeroes(Bits.bytes(count))), List.of());
            case BaseFixedWidthVector vector -> new Column(count, count, List.of(validity, zeroes((long) count * vector.getTypeWidth())), List.of());
            case BaseVariableWidthVector _ -> new Column(count, count, List.of(validity, zeroes(4L * (count + 1)), zeroes(8)), List.of());
            case ListVector list -> new Column(count, count, List.of(validity, zeroes(4L * (count + 1))), List.of(nulls(list.getDataVector(), 0)));
            case StructVector struct -> new Column(count, count, List.of(validity),
                    struct.getChildrenFromFields().stream().map(child -> nulls(child, count)).toList());
            default -> throw new IllegalArgumentException("Not a canonical vector: " + like.getField());
        };
    }

    private static FieldVector toVector(Field field, Column column, BufferAllocator allocator)
    {
        FieldVector vector = field.createVector(allocator);
        try {
            load(vector, column);
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    private static void load(FieldVector vector, Column column)
    {
        vector.loadFieldBuffers(new ArrowFieldNode(column.rows(), column.nullCount()), column.buffers());
        Iterator<Column> children = column.children().iterator();
        for (FieldVector child : vector.getChildrenFromFields()) {
            load(child, children.next());
        }
    }

    private Column build(List<FieldVector> sources, List<Positions> positions)
    {
        long total = 0;
        for (Positions chosen : positions) {
            total += chosen.count();
        }
        int rows = size(total);
        ArrowBuf validity = validity(sources, positions, rows);
        int nullCount = rows - Bits.count(validity.memoryAddress(), rows);
        return switch (sources.getFirst()) {
            case BitVector _ -> new Column(rows, nullCount, List.of(validity, bits(sources, positions, rows)), List.of());
            case BaseFixedWidthVector vector ->
                new Column(rows, nullCount, List.of(validity, fixedWidth(sources, positions, rows, vector.getTypeWidth())),
                        List.of());
            case BaseVariableWidthVector _ -> variableWidth(sources, positions, rows, validity, nullCount);
            case ListVector _ -> list(sources, positions, rows, validity, nullCount);
            case StructVector struct -> {
                List<Column> children = new ArrayList<>();
                for (int i = 0; i < struct.size(); i++) {
                    int ordinal = i;
                    children.add(build(sources.stream().map(source -> source.getChildrenFromFields().get(ordinal)).toList(), positions));
                }
                yield new Column(rows, nullCount, List.of(validity), children);
            }
            default -> throw new IllegalArgumentException("Not a canonical vector: " + sources.getFirst().getField());
        };
    }

    private ArrowBuf validity(List<FieldVector> sources, List<Positions> positions, int rows)
    {
        ArrowBuf target = zeroes(Bits.bytes(rows));
        int at = 0;
        for (int i = 0; i < sources.size(); i++) {
            Positions chosen = positions.get(i);
            if (sources.get(i).getNullCount() == 0) {
                Bits.setRange(target.memoryAddress(), at, chosen.count());
            }
            else {
                copyBits(sources.get(i).getValidityBufferAddress(), chosen, target.memoryAddress(), at);
            }
            at += chosen.count();
        }
        return target;
    }

    private ArrowBuf bits(List<FieldVector> sources, List<Positions> positions, int rows)
    {
        ArrowBuf target = zeroes(Bits.bytes(rows));
        int at = 0;
        for (int i = 0; i < sources.size(); i++) {
            if (positions.get(i).count() > 0) {
                copyBits(sources.get(i).getDataBufferAddress(), positions.get(i), target.memoryAddress(), at);
                at += positions.get(i).count();
            }
        }
        return target;
    }

    private static void copyBits(long source, Positions chosen, long target, int at)
    {
        if (chosen.isRange()) {
            Bits.copyRange(source, chosen.from(), target, at, chosen.count());
        }
        else {
            Bits.gather(source, chosen.positions(), chosen.from(), target, at, chosen.count());
        }
    }

    private ArrowBuf fixedWidth(List<FieldVector> sources, List<Positions> positions, int rows, int width)
    {
        ArrowBuf buffer = allocate((long) rows * width);
        long target = buffer.memoryAddress();
        for (int i = 0; i < sources.size(); i++) {
            Positions chosen = positions.get(i);
            long bytes = (long) chosen.count() * width;
            if (bytes == 0) {
                continue;
            }
            long source = sources.get(i).getDataBufferAddress();
            if (chosen.isRange()) {
                copyMemory(source + (long) chosen.from() * width, target, bytes);
            }
            else {
                gatherFixedWidth(source, chosen.positions(), chosen.from(), chosen.count(), target, width);
            }
            target += bytes;
        }
        return buffer;
    }

    private static void gatherFixedWidth(long source, int[] positions, int from, int count, long target, int width)
    {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    putByte(target + i, getByte(source + positions[from + i]));
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    putShort(target + 2L * i, getShort(source + 2L * positions[from + i]));
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    putInt(target + 4L * i, getInt(source + 4L * positions[from + i]));
                }
            }
            case 8 -> {
                for (int i = 0; i < count; i++) {
                    putLong(target + 8L * i, getLong(source + 8L * positions[from + i]));
                }
            }
            case 12 -> {
                for (int i = 0; i < count; i++) {
                    long position = source + 12L * positions[from + i];
                    putLong(target + 12L * i, getLong(position));
                    putInt(target + 12L * i + 8, getInt(position + 8));
                }
            }
            case 16 -> {
                for (int i = 0; i < count; i++) {
                    long position = source + 16L * positions[from + i];
                    putLong(target + 16L * i, getLong(position));
                    putLong(target + 16L * i + 8, getLong(position + 8));
                }
            }
            default -> throw new IllegalArgumentException("No canonical vector has values of %s bytes".formatted(width));
        }
    }

    private Column variableWidth(List<FieldVector> sources, List<Positions> positions, int rows, ArrowBuf validity, int nullCount)
    {
        ArrowBuf offsets = allocate(4L * (rows + 1));
        long total = 0;
        long offsetAddress = offsets.memoryAddress();
        putInt(offsetAddress, 0);
        for (int i = 0; i < sources.size(); i++) {
            Positions chosen = positions.get(i);
            if (chosen.count() == 0) {
                continue;
            }
            long source = sources.get(i).getOffsetBufferAddress();
            if (chosen.isRange()) {
                long start = source + 4L * chosen.from();
                // the offsets are ints and their differences added to an int that is checked before the next source
                int shift = (int) total - getInt(start);
                for (int k = 1; k <= chosen.count(); k++) {
                    putInt(offsetAddress + 4L * k, getInt(start + 4L * k) + shift);
                }
                total += getInt(start + 4L * chosen.count()) - getInt(start);
            }
            else {
                for (int k = 0; k < chosen.count(); k++) {
                    long position = source + 4L * chosen.positions()[chosen.from() + k];
                    total += getInt(position + 4) - getInt(position);
                    putInt(offsetAddress + 4L * (k + 1), (int) total);
                }
            }
            size(total);
            offsetAddress += 4L * chosen.count();
        }

        // a word more, so that short values can be copied in whole words
        ArrowBuf data = allocate(total + 8);
        long target = data.memoryAddress();
        for (int i = 0; i < sources.size(); i++) {
            Positions chosen = positions.get(i);
            if (chosen.count() > 0) {
                target = copyValues((BaseVariableWidthVector) sources.get(i), chosen, target);
            }
        }
        return new Column(rows, nullCount, List.of(validity, offsets, data), List.of());
    }

    private static long copyValues(BaseVariableWidthVector vector, Positions chosen, long target)
    {
        long offsets = vector.getOffsetBufferAddress();
        long source = vector.getDataBufferAddress();
        if (chosen.isRange()) {
            int start = getInt(offsets + 4L * chosen.from());
            int bytes = getInt(offsets + 4L * (chosen.from() + chosen.count())) - start;
            if (bytes > 0) {
                copyMemory(source + start, target, bytes);
            }
            return target + bytes;
        }
        long lastWord = source + vector.getDataBuffer().capacity() - 8;
        long to = target;
        for (int k = 0; k < chosen.count(); k++) {
            long position = offsets + 4L * chosen.positions()[chosen.from() + k];
            int start = getInt(position);
            int length = getInt(position + 4) - start;
            long from = source + start;
            if (length <= SHORT_VALUE && from + ((length - 1) & ~7) <= lastWord) {
                for (int copied = 0; copied < length; copied += 8) {
                    putLong(to + copied, getLong(from + copied));
                }
            }
            else {
                copyMemory(from, to, length);
            }
            to += length;
        }
        return to;
    }

    private Column list(List<FieldVector> sources, List<Positions> positions, int rows, ArrowBuf validity, int nullCount)
    {
        ArrowBuf offsets = allocate(4L * (rows + 1));
        putInt(offsets.memoryAddress(), 0);
        List<FieldVector> elements = new ArrayList<>(sources.size());
        List<Positions> elementPositions = new ArrayList<>(sources.size());
        int row = 0;
        long total = 0;
        for (int i = 0; i < sources.size(); i++) {
            ListVector source = (ListVector) sources.get(i);
            Positions chosen = positions.get(i);
            long sourceOffsets = source.getOffsetBufferAddress();
            boolean nulls = source.getNullCount() > 0;
            long before = total;
            for (int k = 0; k < chosen.count(); k++) {
                int position = chosen.get(k);
                // what lies under a NULL is dropped
                if (!nulls || !source.isNull(position)) {
                    total += getInt(sourceOffsets + 4L * (position + 1)) - getInt(sourceOffsets + 4L * position);
                }
                row++;
                putInt(offsets.memoryAddress() + 4L * row, (int) total);
            }
            size(total);
            elements.add(source.getDataVector());
            elementPositions.add(elementPositions(source, chosen, nulls, (int) (total - before)));
        }
        return new Column(rows, nullCount, List.of(validity, offsets), List.of(build(elements, elementPositions)));
    }

    private static Positions elementPositions(ListVector source, Positions chosen, boolean nulls, int count)
    {
        if (count == 0) {
            return Positions.range(0, 0);
        }
        long offsets = source.getOffsetBufferAddress();
        if (chosen.isRange() && !nulls) {
            return Positions.range(getInt(offsets + 4L * chosen.from()), count);
        }
        int[] elements = new int[count];
        int at = 0;
        for (int k = 0; k < chosen.count(); k++) {
            int position = chosen.get(k);
            if (nulls && source.isNull(position)) {
                continue;
            }
            int end = getInt(offsets + 4L * (position + 1));
            for (int element = getInt(offsets + 4L * position); element < end; element++) {
                elements[at++] = element;
            }
        }
        return Positions.of(elements);
    }

    private ArrowBuf allocate(long bytes)
    {
        ArrowBuf buffer = allocator.buffer(bytes);
        buffers.add(buffer);
        return buffer;
    }

    private ArrowBuf zeroes(long bytes)
    {
        ArrowBuf buffer = allocate(bytes);
        if (bytes > 0) {
            setMemory(buffer.memoryAddress(), bytes, (byte) 0);
        }
        return buffer;
    }

    private static int size(long total)
    {
        if (total > Integer.MAX_VALUE - 64) {
            throw new RealtimeException(RealtimeException.Code.INVALID_ARGUMENT, "A column of more than 2 GiB in one batch: send smaller batches");
        }
        return (int) total;
    }

    /** A column in the making; its buffers belong to the gather. */
    private record Column(int rows, int nullCount, List<ArrowBuf> buffers, List<Column> children)
    {}
}
