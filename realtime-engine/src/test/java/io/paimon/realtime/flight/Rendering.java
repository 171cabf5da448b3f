package io.paimon.realtime.flight;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * Values as text, whatever class holds them.
 */
final class Rendering
{
    private Rendering()
    {}

    static String render(InternalRow row, RowType type)
    {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            fields.add(render(InternalRow.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row), type.getTypeAt(i)));
        }
        return fields.toString();
    }

    private static String render(Object value, DataType type)
    {
        return switch (value) {
            case null -> "null";
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case InternalRow row -> render(row, (RowType) type);
            case InternalArray array -> elements(array, ((ArrayType) type).getElementType()).toString();
            case InternalMap map -> {
                Map<String, String> entries = new TreeMap<>();
                List<String> keys = elements(map.keyArray(), ((MapType) type).getKeyType());
                List<String> values = elements(map.valueArray(), ((MapType) type).getValueType());
                for (int i = 0; i < keys.size(); i++) {
                    entries.put(keys.get(i), values.get(i));
                }
                yield entries.toString();
            }
            default -> value.toString();
        };
    }

    private static List<String> elements(InternalArray array, DataType type)
    {
        List<String> elements = new ArrayList<>();
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        for (int i = 0; i < array.size(); i++) {
            elements.add(render(getter.getElementOrNull(array, i), type));
        }
        return elements;
    }
}
