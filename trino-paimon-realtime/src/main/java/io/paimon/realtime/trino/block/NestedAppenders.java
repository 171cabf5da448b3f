package io.paimon.realtime.trino.block;

import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import java.util.List;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.columnar.ArrayColumnVector;
import org.apache.paimon.data.columnar.ColumnVector;
import org.apache.paimon.data.columnar.MapColumnVector;
import org.apache.paimon.data.columnar.RowColumnVector;

/**
 * Arrays, maps and rows, by the appenders of what is inside of them.
 */
final class NestedAppenders
{
    private NestedAppenders()
    {}

    static final class ArrayAppender extends ColumnAppender
    {
        private final ColumnAppender elements;

        ArrayAppender(ColumnAppender elements)
        {
            this.elements = elements;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getArray(field), out);
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((ArrayColumnVector) vector).getArray(row), out);
        }

        private void append(InternalArray array, BlockBuilder out)
        {
            ((ArrayBlockBuilder) out).buildEntry(elementBuilder -> {
                for (int i = 0; i < array.size(); i++) {
                    elements.append(array, i, elementBuilder);
                }
            });
        }
    }

    static final class MapAppender extends ColumnAppender
    {
        private final ColumnAppender keys;
        private final ColumnAppender values;

        MapAppender(ColumnAppender keys, ColumnAppender values)
        {
            this.keys = keys;
            this.values = values;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getMap(field), out);
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((MapColumnVector) vector).getMap(row), out);
        }

        private void append(InternalMap map, BlockBuilder out)
        {
            InternalArray keyArray = map.keyArray();
            InternalArray valueArray = map.valueArray();
            ((MapBlockBuilder) out).buildEntry((keyBuilder, valueBuilder) -> {
                for (int i = 0; i < map.size(); i++) {
                    keys.append(keyArray, i, keyBuilder);
                    values.append(valueArray, i, valueBuilder);
                }
            });
        }
    }

    static final class RowAppender extends ColumnAppender
    {
        private final int fieldCount;
        private final int[] ordinals;
        private final List<ColumnAppender> fields;

        /**
         * @param fieldCount fields of Paimon's rows
         * @param ordinals those that are wanted
         */
        RowAppender(int fieldCount, int[] ordinals, List<ColumnAppender> fields)
        {
            this.fieldCount = fieldCount;
            this.ordinals = ordinals;
            this.fields = fields;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getRow(field, fieldCount), out);
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((RowColumnVector) vector).getRow(row), out);
        }

        private void append(InternalRow row, BlockBuilder out)
        {
            ((RowBlockBuilder) out).buildEntry(fieldBuilders -> {
                for (int i = 0; i < fields.size(); i++) {
                    fields.get(i).append(row, ordinals[i], fieldBuilders.get(i));
                }
            });
        }
    }
}
