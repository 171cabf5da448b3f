package io.paimon.realtime.trino.arrow;

import static io.paimon.realtime.trino.arrow.ArrowValidity.isValid;
import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.DataField;

/**
 * Arrays, maps and rows: what is inside of all rows of a page is read at once, by the readers of its types.
 */
final class ArrowNestedReaders
{
    private ArrowNestedReaders()
    {}

    static final class ArrayReader extends ArrowBlockReader
    {
        private final ArrowBlockReader elements;

        ArrayReader(ArrayType type, ArrowBlockReader elements)
        {
            super(ListVector.class, type);
            this.elements = requireNonNull(elements, "elements is null");
        }

        @Override
        List<ArrowColumn> children(FieldVector vector)
        {
            return List.of(elements.column(((ListVector) vector).getDataVector()));
        }

        @Override
        Block readValues(ArrowColumn column, ArrowRows rows, long[] validity)
        {
            ArrowBuf offsets = ((ListVector) column.vector()).getOffsetBuffer();
            int[] ends = ArrowOffsets.compact(offsets, rows, validity);
            Block values = elements.read(column.children().getFirst(), contents(offsets, rows, validity, ends));
            return ArrayBlock.fromElementBlock(rows.count(), Optional.ofNullable(validity), ends, values);
        }
    }

    static final class MapReader extends ArrowBlockReader
    {
        private final MapType type;
        private final ArrowBlockReader keys;
        private final ArrowBlockReader values;

        MapReader(MapType type, ArrowBlockReader keys, ArrowBlockReader values)
        {
            super(MapVector.class, type);
            this.type = type;
            this.keys = requireNonNull(keys, "keys is null");
            this.values = requireNonNull(values, "values is null");
        }

        @Override
        List<ArrowColumn> children(FieldVector vector)
        {
            List<FieldVector> entries = ((MapVector) vector).getDataVector().getChildrenFromFields();
            return List.of(keys.column(entries.get(0)), values.column(entries.get(1)));
        }

        @Override
        Block readValues(ArrowColumn column, ArrowRows rows, long[] validity)
        {
            ArrowBuf offsets = ((MapVector) column.vector()).getOffsetBuffer();
            int[] ends = ArrowOffsets.compact(offsets, rows, validity);
            ArrowRows entries = contents(offsets, rows, validity, ends);
            return type.createBlockFromKeyValue(Optional.ofNullable(validity), ends,
                    keys.read(column.children().get(0), entries),
                    values.read(column.children().get(1), entries));
        }
    }

    static final class RowReader extends ArrowBlockReader
    {
        private static final int MISSING = -1;

        private final List<DataField> fields;
        private final List<ArrowBlockReader> readers;
        /** The children of the last vector: nearly always those of the next one too. */
        private Field resolved;
        private int[] ordinals;

        RowReader(RowType type, List<DataField> fields, List<ArrowBlockReader> readers)
        {
            super(StructVector.class, type);
            this.fields = List.copyOf(fields);
            this.readers = List.copyOf(readers);
        }

        @Override
        List<ArrowColumn> children(FieldVector vector)
        {
            Field struct = vector.getField();
            if (!struct.equals(resolved)) {
                ordinals = fields.stream().mapToInt(field -> ordinal(struct, field.id())).toArray();
                resolved = struct;
            }
            List<FieldVector> children = vector.getChildrenFromFields();
            return IntStream.range(0, ordinals.length)
                    .mapToObj(i -> ordinals[i] == MISSING
                            ? ArrowColumn.nulls(vector.getValueCount())
                            : readers.get(i).column(children.get(ordinals[i])))
                    .toList();
        }

        private static int ordinal(Field struct, int fieldId)
        {
            int found = MISSING;
            for (int i = 0; i < struct.getChildren().size(); i++) {
                if (ArrowSchemas.fieldId(struct.getChildren().get(i)) == fieldId) {
                    found = i;
                }
            }
            return found;
        }

        @Override
        Block readValues(ArrowColumn column, ArrowRows rows, long[] validity)
        {
            Block[] blocks = new Block[readers.size()];
            for (int i = 0; i < blocks.length; i++) {
                blocks[i] = readers.get(i).read(column.children().get(i), rows, validity);
            }
            return RowBlock.fromNotNullSuppressedFieldBlocks(rows.count(), Optional.ofNullable(validity), blocks);
        }
    }

    /**
     * What is inside of rows, of one after the other.
     *
     * @param ends the compact offsets of the rows
     */
    private static ArrowRows contents(ArrowBuf offsets, ArrowRows rows, long[] validity, int[] ends)
    {
        int total = ends[rows.count()];
        if (ArrowOffsets.isOnePiece(rows, validity)) {
            return ArrowRows.range(ArrowOffsets.start(offsets, rows, 0), total);
        }
        int[] positions = new int[total];
        for (int i = 0; i < rows.count(); i++) {
            if (isValid(validity, i)) {
                int position = ArrowOffsets.start(offsets, rows, i);
                for (int at = ends[i]; at < ends[i + 1]; at++) {
                    positions[at] = position++;
                }
            }
        }
        return new ArrowRows(positions, 0, total);
    }
}
