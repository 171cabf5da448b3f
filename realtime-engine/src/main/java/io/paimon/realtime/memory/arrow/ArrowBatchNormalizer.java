package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.RealtimeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.DefaultValueUtils;

/**
 * Brings the batches of clients into the canonical form of a table's rows (see {@link ArrowSchemas}) and refuses what the table does not admit, so that no accepted row can fail
 * later when it is written to files.
 *
 * <p>Columns are matched by name, exactly or else regardless of case. A missing column, and a NULL sent for a column with a default value, get the default, as Paimon's own
 * writer gives it; a missing column without a default is NULL. Types that widen without loss are taken. Timestamps and times lose the digits that the column does not hold,
 * as in Paimon's files. Lengths of char and varchar count code points.
 *
 * <p>Where rows have a kind ({@link RowKindColumn}) it comes from the client's column for it; without one all are inserts.
 *
 * <p>Thread-safe. Everything it refuses is a RealtimeException BAD_DATA that names table, column and, where one is to blame, the row, counted from 0 in the batch.
 */
public final class ArrowBatchNormalizer
{
    private final String tableName;
    private final RowType rowType;
    private final Schema schema;

    /**
     * @param notNullColumns columns that must not be NULL though their type would admit it, such as primary keys
     * @throws RealtimeException INVALID_ARGUMENT if a column's type is not supported in memory
     */
    public ArrowBatchNormalizer(String tableName, RowType rowType, Collection<String> notNullColumns)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.rowType = new RowType(rowType.isNullable(),
                rowType.getFields().stream().map(field -> notNullColumns.contains(field.name()) ? field.newType(field.type().notNull()) : field)
                        .toList());
        this.schema = ArrowSchemas.toArrowSchema(rowType);
    }

    /** Schema of what {@link #normalize} returns. */
    public Schema schema()
    {
        return schema;
    }

    /**
     * The batch in canonical form. Buffers that are canonical already are shared with the client's batch if its allocator has the same root. The client's batch stays as it is, and
     * the caller's; the caller closes the result as well.
     *
     * @throws RealtimeException BAD_DATA; nothing is allocated then
     */
    public VectorSchemaRoot normalize(VectorSchemaRoot client, DictionaryProvider dictionaries, BufferAllocator allocator)
    {
        FieldVector[] sources = match(client);
        VectorConverter converter = new VectorConverter(dictionaries, allocator);
        List<FieldVector> columns = new ArrayList<>(sources.length);
        try {
            for (int i = 0; i < sources.length; i++) {
                columns.add(column(sources[i], client.getRowCount(), i, converter, allocator));
            }
            return new VectorSchemaRoot(schema.getFields(), columns, client.getRowCount());
        }
        catch (Throwable t) {
            columns.forEach(FieldVector::close);
            throw t;
        }
    }

    /** {@link #normalize(VectorSchemaRoot, DictionaryProvider, BufferAllocator)} of a batch without dictionaries. */
    public VectorSchemaRoot normalize(VectorSchemaRoot client, BufferAllocator allocator)
    {
        return normalize(client, new DictionaryProvider.MapDictionaryProvider(), allocator);
    }

    private FieldVector[] match(VectorSchemaRoot client)
    {
        FieldVector[] sources = new FieldVector[rowType.getFieldCount()];
        for (FieldVector vector : client.getFieldVectors()) {
            String name = vector.getName();
            int index = find(name);
            Place place = Place.column(tableName, name);
            if (index < 0) {
                throw place.bad(name.equals(RowKindColumn.CLIENT_NAME)
                        ? "rows of a table without a primary key have no kind; leave the column out"
                        : "the table has no such column; it has " + String.join(", ", columnNames()));
            }
            if (sources[index] != null) {
                throw place.bad("the column was sent twice");
            }
            if (vector.getValueCount() != client.getRowCount()) {
                throw place.bad("%s values in a batch of %s rows".formatted(vector.getValueCount(), client.getRowCount()));
            }
            sources[index] = vector;
        }
        return sources;
    }

    /** Those that clients may send, but for the kind of rows. */
    private List<String> columnNames()
    {
        return rowType.getFields().stream().filter(field -> !RowKindColumn.is(field)).map(DataField::name).toList();
    }

    private int find(String name)
    {
        List<String> names = columnNames();
        int exact = names.indexOf(name);
        if (exact >= 0) {
            return exact;
        }
        // it stands behind all others
        if (name.equals(RowKindColumn.CLIENT_NAME)) {
            return names.size() < rowType.getFieldCount() ? names.size() : -1;
        }
        int found = -1;
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                if (found >= 0) {
                    throw Place.column(tableName, name).bad("the table has more than one column of this name in other letter case");
                }
                found = i;
            }
        }
        return found;
    }

    private FieldVector column(FieldVector source, int rowCount, int index, VectorConverter converter, BufferAllocator allocator)
    {
        DataField field = rowType.getFields().get(index);
        Field target = schema.getFields().get(index);
        if (RowKindColumn.is(field)) {
            return source == null
                    ? RowKindColumn.inserts(target, rowCount, allocator)
                    : RowKindColumn.convert(source, target, converter, Place.column(tableName, RowKindColumn.CLIENT_NAME), allocator);
        }
        Place place = Place.column(tableName, field.name());
        if (source == null) {
            if (field.defaultValue() != null) {
                try (FieldVector value = defaultValue(field, target, allocator)) {
                    return VectorGather.gather(target, value, Positions.of(new int[rowCount]), allocator);
                }
            }
            if (!field.type().isNullable()) {
                throw place.bad("a NOT NULL column is missing");
            }
            return VectorGather.nulls(target, rowCount, allocator);
        }
        FieldVector vector = converter.convert(source, field.type(), target, place);
        if (field.defaultValue() == null || vector.getNullCount() == 0) {
            return vector;
        }
        try (vector) {
            return withDefault(vector, field, target, allocator);
        }
    }

    private static FieldVector withDefault(FieldVector vector, DataField field, Field target, BufferAllocator allocator)
    {
        int count = vector.getValueCount();
        try (FieldVector value = defaultValue(field, target, allocator);
                FieldVector extended = VectorGather.gather(target, List.of(vector, value), List.of(Positions.range(0, count), Positions.range(0, 1)),
                        allocator)) {
            int[] positions = new int[count];
            for (int i = 0; i < count; i++) {
                positions[i] = vector.isNull(i) ? count : i;
            }
            return VectorGather.gather(target, extended, Positions.of(positions), allocator);
        }
    }

    private static FieldVector defaultValue(DataField field, Field target, BufferAllocator allocator)
    {
        FieldVector vector = target.createVector(allocator);
        try {
            ArrowRowWriter.writer(vector, field.type())
                    .write(GenericRow.of(DefaultValueUtils.convertDefaultValue(field.type(), field.defaultValue())), 0, 0);
            vector.setValueCount(1);
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }
}
