package io.paimon.realtime.read;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * A row of one schema as another one has it: the plain model that memory and files are compared with. Fields are matched by id, changed types cast by Paimon.
 */
final class RowEvolution
{
    private RowEvolution()
    {}

    static GenericRow evolve(InternalRow row, RowType from, RowType to)
    {
        GenericRow evolved = new GenericRow(to.getFieldCount());
        for (int i = 0; i < to.getFieldCount(); i++) {
            DataField field = to.getFields().get(i);
            for (int k = 0; k < from.getFieldCount(); k++) {
                if (from.getFields().get(k).id() == field.id()) {
                    DataType type = from.getTypeAt(k);
                    evolved.setField(i, value(InternalRow.createFieldGetter(type.copy(true), k).getFieldOrNull(row), type, field.type()));
                }
            }
        }
        return evolved;
    }

    @SuppressWarnings("unchecked")
    private static Object value(Object value, DataType from, DataType to)
    {
        if (value == null) {
            return null;
        }
        if (to instanceof RowType row) {
            return evolve((InternalRow) value, (RowType) from, row);
        }
        if (to instanceof ArrayType array) {
            return array((InternalArray) value, ((ArrayType) from).getElementType(), array.getElementType());
        }
        if (to instanceof MapType map) {
            Object[] keys = array(((InternalMap) value).keyArray(), ((MapType) from).getKeyType(), map.getKeyType()).toObjectArray();
            Object[] values = array(((InternalMap) value).valueArray(), ((MapType) from).getValueType(), map.getValueType()).toObjectArray();
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (int i = 0; i < keys.length; i++) {
                entries.put(keys[i], values[i]);
            }
            return new GenericMap(entries);
        }
        if (from.equalsIgnoreNullable(to)) {
            return value;
        }
        return ((CastExecutor<Object, Object>) CastExecutors.resolve(from, to)).cast(value);
    }

    private static GenericArray array(InternalArray array, DataType from, DataType to)
    {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(from);
        Object[] elements = new Object[array.size()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = value(getter.getElementOrNull(array, i), from, to);
        }
        return new GenericArray(elements);
    }
}
