package io.paimon.realtime.memory.arrow;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Makes vectors out of buffers that exist already: shared where both sides live under one root allocator, copied otherwise. The sources stay as they are and
 * belong to whoever owned them.
 */
final class VectorAssembly
{
    private VectorAssembly()
    {}

    /** A vector of the field over the buffers of a vector of the very same types, children included. The caller closes it. */
    static FieldVector share(Field field, FieldVector source, BufferAllocator allocator)
    {
        if (source.getAllocator().getRoot() != allocator.getRoot()) {
            return VectorGather.gather(field, source, Positions.range(0, source.getValueCount()), allocator);
        }
        FieldVector vector = field.createVector(allocator);
        try {
            adopt(vector, source);
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    /**
     * A vector of the field with the validity (and offsets) of the source and the given children. The caller closes it; the children are still the caller's.
     */
    static FieldVector withChildren(Field field, FieldVector source, List<FieldVector> children, BufferAllocator allocator)
    {
        List<ArrowBuf> copies = new ArrayList<>();
        try {
            List<ArrowBuf> buffers = source.getFieldBuffers();
            if (source.getAllocator().getRoot() != allocator.getRoot()) {
                for (ArrowBuf buffer : buffers) {
                    ArrowBuf copy = allocator.buffer(buffer.capacity());
                    copies.add(copy);
                    copy.setBytes(0, buffer, 0, buffer.capacity());
                }
                buffers = copies;
            }
            return assemble(field, source.getValueCount(), source.getNullCount(), buffers, children, allocator);
        }
        finally {
            copies.forEach(ArrowBuf::close);
        }
    }

    /** A vector of the field from its own buffers and children, which all stay the caller's. The caller closes it. */
    static FieldVector assemble(Field field, int count, int nullCount, List<ArrowBuf> buffers, List<FieldVector> children, BufferAllocator allocator)
    {
        FieldVector vector = field.createVector(allocator);
        try {
            if (count > 0) {
                vector.loadFieldBuffers(new ArrowFieldNode(count, nullCount), buffers);
            }
            List<FieldVector> slots = vector.getChildrenFromFields();
            for (int i = 0; i < slots.size(); i++) {
                adopt(slots.get(i), children.get(i));
            }
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    private static void adopt(FieldVector target, FieldVector source)
    {
        if (source.getValueCount() == 0) {
            return;
        }
        target.loadFieldBuffers(new ArrowFieldNode(source.getValueCount(), source.getNullCount()), source.getFieldBuffers());
        List<FieldVector> children = target.getChildrenFromFields();
        for (int i = 0; i < children.size(); i++) {
            adopt(children.get(i), source.getChildrenFromFields().get(i));
        }
    }
}
