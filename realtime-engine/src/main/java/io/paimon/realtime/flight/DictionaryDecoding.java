package io.paimon.realtime.flight;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.util.AutoCloseables;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * A batch with its dictionary-encoded columns decoded, those inside of lists, maps and rows too. Other columns are shared with the batch it was made of.
 */
final class DictionaryDecoding implements AutoCloseable
{
    /** Dictionaries may be of types that hold encoded values themselves; more than this is a loop. */
    private static final int MAX_DEPTH = 64;

    private final VectorSchemaRoot rows;
    private final List<FieldVector> decoded;

    private DictionaryDecoding(VectorSchemaRoot rows, List<FieldVector> decoded)
    {
        this.rows = rows;
        this.decoded = decoded;
    }

    /**
     * @throws RealtimeException BAD_DATA if an index is outside its dictionary
     */
    static DictionaryDecoding decode(VectorSchemaRoot batch, DictionaryProvider dictionaries, BufferAllocator allocator)
    {
        List<FieldVector> columns = new ArrayList<>();
        List<FieldVector> decoded = new ArrayList<>();
        try {
            VectorGather gather = new VectorGather(dictionaries);
            int[] all = null;
            for (FieldVector column : batch.getFieldVectors()) {
                if (!isEncoded(column.getField())) {
                    columns.add(column);
                    continue;
                }
                FieldVector target = decodedField(column.getField(), dictionaries, 0).createVector(allocator);
                decoded.add(target);
                columns.add(target);
                all = all == null ? IntStream.range(0, batch.getRowCount()).toArray() : all;
                gather.gather(column, target, all, batch.getRowCount());
            }
            return new DictionaryDecoding(new VectorSchemaRoot(columns.stream().map(FieldVector::getField).toList(), columns, batch.getRowCount()),
                    decoded);
        }
        catch (RuntimeException e) {
            AutoCloseables.close(e, decoded);
            throw e;
        }
    }

    VectorSchemaRoot rows()
    {
        return rows;
    }

    private static boolean isEncoded(Field field)
    {
        return field.getDictionary() != null || field.getChildren().stream().anyMatch(DictionaryDecoding::isEncoded);
    }

    private static Field decodedField(Field field, DictionaryProvider dictionaries, int depth)
    {
        if (depth > MAX_DEPTH) {
            throw new RealtimeException(Code.BAD_DATA, "Column %s is nested too deeply".formatted(field.getName()));
        }
        Field values = field;
        if (field.getDictionary() != null) {
            Dictionary dictionary = dictionaries.lookup(field.getDictionary().getId());
            if (dictionary == null) {
                throw new RealtimeException(Code.BAD_DATA,
                        "Column %s: dictionary %s was not sent".formatted(field.getName(), field.getDictionary().getId()));
            }
            values = dictionary.getVector().getField();
            if (values.getDictionary() != null) {
                values = decodedField(values, dictionaries, depth + 1);
            }
        }
        List<Field> children = values.getChildren().stream().map(child -> decodedField(child, dictionaries, depth + 1)).toList();
        return new Field(field.getName(), new FieldType(field.isNullable(), values.getType(), null, field.getMetadata()), children);
    }

    @Override
    public void close()
    {
        decoded.forEach(FieldVector::close);
    }
}
