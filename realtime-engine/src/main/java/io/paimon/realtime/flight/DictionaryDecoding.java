package io.paimon.realtime.flight;

import io.paimon.realtime.memory.arrow.VectorLayout;
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
     * Only what is decoded is checked; the other columns are left to whoever reads them.
     *
     * @param tableName for messages
     * @throws RealtimeException BAD_DATA if an index is outside its dictionary, or offsets of an encoded column or of a dictionary are damaged
     */
    static DictionaryDecoding decode(String tableName, VectorSchemaRoot batch, DictionaryProvider dictionaries, BufferAllocator allocator)
    {
        List<FieldVector> columns = new ArrayList<>();
        List<FieldVector> decoded = new ArrayList<>();
        try {
            if (batch.getFieldVectors().stream().anyMatch(column -> isEncoded(column.getField()))) {
                dictionaries.getDictionaryIds().forEach(id -> VectorLayout.check(dictionaries.lookup(id).getVector(), tableName));
            }
            SelectionCopy copy = new SelectionCopy(dictionaries);
            int[] all = null;
            for (FieldVector column : batch.getFieldVectors()) {
                if (!isEncoded(column.getField())) {
                    columns.add(column);
                    continue;
                }
                VectorLayout.check(column, tableName);
                if (column.getValueCount() != batch.getRowCount()) {
                    throw new RealtimeException(Code.BAD_DATA,
                            "Table %s, column %s: %s values in a batch of %s rows".formatted(tableName, column.getName(),
                                    column.getValueCount(), batch.getRowCount()));
                }
                FieldVector target = decodedField(column.getField(), dictionaries, 0).createVector(allocator);
                decoded.add(target);
                columns.add(target);
                all = all == null ? IntStream.range(0, batch.getRowCount()).toArray() : all;
                copy.copy(column, target, all, batch.getRowCount());
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
