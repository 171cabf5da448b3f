package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.model.RealtimeException;
import java.nio.charset.StandardCharsets;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/**
 * What a row does to the one of its key: clients send it as text in a column named {@value #CLIENT_NAME} ({@code +I}, {@code -U}, {@code +U}, {@code -D}); rows of primary-key tables hold it as
 * {@link RowKind#toByteValue()} in {@link SpecialFields#VALUE_KIND}, their last column.
 */
public final class RowKindColumn
{
    /** What clients call the column. */
    public static final String CLIENT_NAME = "_row_kind";

    private RowKindColumn()
    {}

    static boolean is(DataField field)
    {
        return field.id() == SpecialFields.VALUE_KIND.id();
    }

    /** The kind of so many inserts. The caller closes it. */
    static FieldVector inserts(Field target, int count, BufferAllocator allocator)
    {
        TinyIntVector kinds = new TinyIntVector(target, allocator);
        try {
            kinds.allocateNew(count);
            for (int i = 0; i < count; i++) {
                kinds.set(i, RowKind.INSERT.toByteValue());
            }
            kinds.setValueCount(count);
            return kinds;
        }
        catch (Throwable t) {
            kinds.close();
            throw t;
        }
    }

    /**
     * The kinds that a client sent. The caller closes them.
     *
     * @throws RealtimeException BAD_DATA if one is none
     */
    static FieldVector convert(FieldVector source, Field target, VectorConverter converter, Place place, BufferAllocator allocator)
    {
        DataField text = new DataField(0, CLIENT_NAME, DataTypes.STRING().notNull());
        try (VarCharVector texts = (VarCharVector) converter.convert(source, text.type(), ArrowSchemas.toArrowField(text), place)) {
            TinyIntVector kinds = new TinyIntVector(target, allocator);
            try {
                kinds.allocateNew(texts.getValueCount());
                for (int i = 0; i < texts.getValueCount(); i++) {
                    kinds.set(i, parse(new String(texts.get(i), StandardCharsets.UTF_8), place, i).toByteValue());
                }
                kinds.setValueCount(texts.getValueCount());
                return kinds;
            }
            catch (Throwable t) {
                kinds.close();
                throw t;
            }
        }
    }

    private static RowKind parse(String text, Place place, int row)
    {
        return switch (text) {
            case "+I" -> RowKind.INSERT;
            case "-U" -> RowKind.UPDATE_BEFORE;
            case "+U" -> RowKind.UPDATE_AFTER;
            case "-D" -> RowKind.DELETE;
            default -> throw place.bad(row, "'%s' is no kind of row; there are +I, -U, +U and -D".formatted(text));
        };
    }
}
