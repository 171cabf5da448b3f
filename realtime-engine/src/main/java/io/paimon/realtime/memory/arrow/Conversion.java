package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.RealtimeException;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.DataType;

/**
 * One vector that is to take the canonical form of one type.
 *
 * @param source its layout is checked; never changed
 * @param target the canonical field of the type
 * @param place where the source stands, for errors and for which of its values count
 * @param allocator of the result
 */
record Conversion(FieldVector source, DataType type, Field target, Place place, BufferAllocator allocator)
{
    Conversion
    {
        requireNonNull(source, "source is null");
        requireNonNull(type, "type is null");
        requireNonNull(target, "target is null");
        requireNonNull(place, "place is null");
        requireNonNull(allocator, "allocator is null");
    }

    /** The same for another vector of the same values. */
    Conversion from(FieldVector other)
    {
        return new Conversion(other, type, target, place, allocator);
    }

    /** The conversion of a vector inside of the source. */
    Conversion child(FieldVector childSource, DataType childType, Field childTarget, Place childPlace)
    {
        return new Conversion(childSource, childType, childTarget, childPlace, allocator);
    }

    int count()
    {
        return source.getValueCount();
    }

    /** Whether there is a value that somebody sees. */
    boolean isValue(int index)
    {
        return !source.isNull(index) && place.isLive(index);
    }

    RealtimeException mismatch()
    {
        return place.bad("the Arrow type %s cannot be taken for %s without loss".formatted(source.getField().getType(), typeName()));
    }

    /** The type for messages about values, to which it does not matter whether it admits NULL. */
    String typeName()
    {
        return type.copy(true).asSQLString();
    }

    /** A vector of the target, fixed in width, that has its values from the writer and NULL where there is none. The caller closes it. */
    FieldVector fixedWidth(ValueWriter writer)
    {
        return build(vector -> {
            int count = count();
            ((BaseFixedWidthVector) vector).allocateNew(count);
            ((BaseFixedWidthVector) vector).zeroVector();
            for (int i = 0; i < count; i++) {
                if (isValue(i)) {
                    BitVectorHelper.setBit(vector.getValidityBuffer(), i);
                    writer.write(i, vector.getDataBuffer());
                }
            }
        });
    }

    /** A vector of the target with as many values as the source. The caller closes it. */
    FieldVector build(VectorFiller filler)
    {
        FieldVector vector = target.createVector(allocator);
        try {
            filler.fill(vector);
            vector.setValueCount(count());
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    /** Writes the value at an index of the source to the same index of a data buffer. */
    @FunctionalInterface
    interface ValueWriter
    {
        void write(int index, ArrowBuf target);
    }

    /** Allocates a new vector and sets its values. */
    @FunctionalInterface
    interface VectorFiller
    {
        void fill(FieldVector vector);
    }
}
