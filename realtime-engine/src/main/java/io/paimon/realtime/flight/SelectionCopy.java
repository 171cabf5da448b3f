package io.paimon.realtime.flight;

import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;

/**
 * Copies chosen positions of vectors, column by column, into vectors of the same logical type: children of structs may be fewer or in another order
 * (matched by field id), and dictionary-encoded vectors at any depth are decoded.
 */
final class SelectionCopy
{
    /** Position whose result is NULL. */
    static final int NULL = -1;

    private static final int OFFSET_BYTES = 4;
    /** Elements of lists in one batch: a long list in a dictionary may be named by many rows. */
    private static final int MAX_ELEMENTS = 1 << 26;

    private final DictionaryProvider dictionaries;

    /**
     * @param dictionaries of the encoded vectors that will be copied
     */
    SelectionCopy(DictionaryProvider dictionaries)
    {
        this.dictionaries = dictionaries;
    }

    /**
     * Fills the target, which must be empty, with {@code count} rows. If it throws, the target holds memory that its owner has to free.
     *
     * @param positions of the source, or {@link #NULL}; the first {@code count} are used
     * @throws RealtimeException BAD_DATA if an index is outside its dictionary or a vector is of a kind that cannot be copied
     */
    void copy(FieldVector source, FieldVector target, int[] positions, int count)
    {
        DictionaryEncoding encoding = source.getField().getDictionary();
        if (encoding != null) {
            decode(source, encoding, target, positions, count);
            return;
        }
        switch (source) {
            case StructVector struct when target instanceof StructVector to -> copyStruct(struct, to, positions, count);
            case ListVector list when target instanceof ListVector to -> copyList(list, to, positions, count);
            case FixedSizeListVector list when target instanceof FixedSizeListVector to -> copyFixedSizeList(list, to, positions, count);
            case BitVector bits when target instanceof BitVector to -> copySafely(bits, to, positions, count);
            case BaseFixedWidthVector fixed when target.getClass() == source.getClass() ->
                copyFixedWidth(fixed, (BaseFixedWidthVector) target, positions,
                        count);
            case BaseVariableWidthVector variable when target.getClass() == source.getClass() -> copyVariableWidth(variable,
                    (BaseVariableWidthVector) target, positions, count);
            default -> {
                if (target.getClass() != source.getClass() || !source.getField().getChildren().isEmpty()) {
                    throw new RealtimeException(Code.BAD_DATA,
                            "Column %s: a vector of type %s cannot be copied".formatted(source.getName(), source.getField().getType()));
                }
                copySafely(source, target, positions, count);
            }
        }
    }

    private void decode(FieldVector indices, DictionaryEncoding encoding, FieldVector target, int[] positions, int count)
    {
        Dictionary dictionary = dictionaries.lookup(encoding.getId());
        if (dictionary == null) {
            throw new RealtimeException(Code.BAD_DATA, "Column %s: dictionary %s was not sent".formatted(indices.getName(), encoding.getId()));
        }
        FieldVector values = dictionary.getVector();
        int size = values.getValueCount();
        BaseIntVector index = (BaseIntVector) indices;
        int[] entries = new int[count];
        for (int i = 0; i < count; i++) {
            int position = positions[i];
            if (position == NULL || indices.isNull(position)) {
                entries[i] = NULL;
                continue;
            }
            long entry = index.getValueAsLong(position);
            if (entry < 0 || entry >= size) {
                throw new RealtimeException(Code.BAD_DATA,
                        "Column %s, row %s: index %s is outside the dictionary of %s values".formatted(indices.getName(), position, entry, size));
            }
            entries[i] = (int) entry;
        }
        copy(values, target, entries, count);
    }

    private void copyStruct(StructVector source, StructVector target, int[] positions, int count)
    {
        setValidity(source, target, positions, count);
        int[] children = childPositions(source, positions, count);
        List<FieldVector> targets = target.getChildrenFromFields();
        for (int i = 0; i < targets.size(); i++) {
            copy(child(source, targets.get(i), i), targets.get(i), children, count);
        }
        target.setValueCount(count);
    }

    private static int[] childPositions(FieldVector source, int[] positions, int count)
    {
        if (source.getNullCount() == 0) {
            return positions;
        }
        // what lies below a NULL must not be looked at: it may be anything
        int[] children = new int[count];
        for (int i = 0; i < count; i++) {
            children[i] = positions[i] == NULL || source.isNull(positions[i]) ? NULL : positions[i];
        }
        return children;
    }

    private static FieldVector child(StructVector source, FieldVector target, int ordinal)
    {
        List<FieldVector> candidates = source.getChildrenFromFields();
        if (target.getField().getMetadata().containsKey(ArrowSchemas.FIELD_ID)) {
            int id = ArrowSchemas.fieldId(target.getField());
            for (FieldVector candidate : candidates) {
                if (candidate.getField().getMetadata().containsKey(ArrowSchemas.FIELD_ID) && ArrowSchemas.fieldId(candidate.getField()) == id) {
                    return candidate;
                }
            }
        }
        if (ordinal < candidates.size() && candidates.get(ordinal).getName().equals(target.getName())) {
            return candidates.get(ordinal);
        }
        throw new IllegalArgumentException("No field %s in %s".formatted(target.getField(), source.getField()));
    }

    private void copyList(ListVector source, ListVector target, int[] positions, int count)
    {
        long total = 0;
        for (int i = 0; i < count; i++) {
            if (positions[i] != NULL && !source.isNull(positions[i])) {
                total += source.getElementEndIndex(positions[i]) - source.getElementStartIndex(positions[i]);
            }
        }
        int[] elements = new int[checkedCount(source, total)];
        target.setInitialCapacity(count, count == 0 ? 1 : Math.max(1.0, (double) elements.length / count));
        target.allocateNew();
        setValidityBits(source, target.getValidityBuffer(), positions, count);
        ArrowBuf offsets = target.getOffsetBuffer();
        int end = 0;
        offsets.setInt(0, 0);
        for (int i = 0; i < count; i++) {
            if (positions[i] != NULL && !source.isNull(positions[i])) {
                int elementEnd = source.getElementEndIndex(positions[i]);
                for (int element = source.getElementStartIndex(positions[i]); element < elementEnd; element++) {
                    elements[end++] = element;
                }
            }
            offsets.setInt((long) (i + 1) * OFFSET_BYTES, end);
        }
        target.setLastSet(count - 1);
        FieldVector targetData = target.getDataVector();
        targetData.clear();
        copy(source.getDataVector(), targetData, elements, elements.length);
        target.setValueCount(count);
    }

    private void copyFixedSizeList(FixedSizeListVector source, FixedSizeListVector target, int[] positions, int count)
    {
        int size = source.getListSize();
        setValidity(source, target, positions, count);
        int[] elements = new int[checkedCount(source, (long) count * size)];
        for (int i = 0; i < count; i++) {
            boolean isNull = positions[i] == NULL || source.isNull(positions[i]);
            for (int element = 0; element < size; element++) {
                elements[i * size + element] = isNull ? NULL : positions[i] * size + element;
            }
        }
        target.getDataVector().clear();
        copy(source.getDataVector(), target.getDataVector(), elements, elements.length);
        target.setValueCount(count);
    }

    private static int checkedCount(FieldVector source, long count)
    {
        if (count > MAX_ELEMENTS) {
            throw new RealtimeException(Code.BAD_DATA, "Column %s: %s elements in one batch".formatted(source.getName(), count));
        }
        return (int) count;
    }

    private static void copyFixedWidth(BaseFixedWidthVector source, BaseFixedWidthVector target, int[] positions, int count)
    {
        target.allocateNew(count);
        setValidityBits(source, target.getValidityBuffer(), positions, count);
        ArrowBuf from = source.getDataBuffer();
        ArrowBuf to = target.getDataBuffer();
        int width = source.getTypeWidth();
        switch (width) {
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    to.setInt((long) i * 4, positions[i] == NULL ? 0 : from.getInt((long) positions[i] * 4));
                }
            }
            case 8 -> {
                for (int i = 0; i < count; i++) {
                    to.setLong((long) i * 8, positions[i] == NULL ? 0 : from.getLong((long) positions[i] * 8));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    if (positions[i] != NULL) {
                        to.setBytes((long) i * width, from, (long) positions[i] * width, width);
                    }
                }
            }
        }
        target.setValueCount(count);
    }

    private static void copyVariableWidth(BaseVariableWidthVector source, BaseVariableWidthVector target, int[] positions, int count)
    {
        ArrowBuf fromOffsets = source.getOffsetBuffer();
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            if (positions[i] != NULL && !source.isNull(positions[i])) {
                long slot = (long) positions[i] * OFFSET_BYTES;
                bytes += fromOffsets.getInt(slot + OFFSET_BYTES) - fromOffsets.getInt(slot);
            }
        }
        if (bytes > Integer.MAX_VALUE - 8) {
            throw new RealtimeException(Code.BAD_DATA, "Column %s: %s bytes in one batch".formatted(source.getName(), bytes));
        }
        target.allocateNew(bytes, count);
        setValidityBits(source, target.getValidityBuffer(), positions, count);
        ArrowBuf from = source.getDataBuffer();
        ArrowBuf to = target.getDataBuffer();
        ArrowBuf toOffsets = target.getOffsetBuffer();
        int end = 0;
        toOffsets.setInt(0, 0);
        for (int i = 0; i < count; i++) {
            if (positions[i] != NULL && !source.isNull(positions[i])) {
                long slot = (long) positions[i] * OFFSET_BYTES;
                int start = fromOffsets.getInt(slot);
                int length = fromOffsets.getInt(slot + OFFSET_BYTES) - start;
                if (length > 0) {
                    to.setBytes(end, from, start, length);
                    end += length;
                }
            }
            toOffsets.setInt((long) (i + 1) * OFFSET_BYTES, end);
        }
        target.setLastSet(count - 1);
        target.setValueCount(count);
    }

    private static void copySafely(FieldVector source, FieldVector target, int[] positions, int count)
    {
        target.setInitialCapacity(count);
        target.allocateNew();
        for (int i = 0; i < count; i++) {
            if (positions[i] == NULL) {
                target.setNull(i);
            }
            else {
                target.copyFromSafe(positions[i], i, source);
            }
        }
        target.setValueCount(count);
    }

    private static void setValidity(FieldVector source, FieldVector target, int[] positions, int count)
    {
        target.clear();
        target.setInitialCapacity(count);
        target.allocateNew();
        setValidityBits(source, target.getValidityBuffer(), positions, count);
    }

    private static void setValidityBits(FieldVector source, ArrowBuf validity, int[] positions, int count)
    {
        validity.setZero(0, validity.capacity());
        boolean anyNull = source.getNullCount() > 0;
        for (int i = 0; i < count; i++) {
            if (positions[i] != NULL && !(anyNull && source.isNull(positions[i]))) {
                BitVectorHelper.setBit(validity, i);
            }
        }
    }
}
