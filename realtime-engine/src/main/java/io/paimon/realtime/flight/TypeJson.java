package io.paimon.realtime.flight;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.List;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.JsonSerdeUtil;

/**
 * Paimon's own JSON of types: the fields of a row type with their ids, as in Paimon's schema files.
 */
final class TypeJson
{
    private TypeJson()
    {}

    static String encode(RowType rowType)
    {
        return JsonSerdeUtil.toFlatJson(rowType.getFields());
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if it is not a list of fields
     */
    static RowType decodeRow(String json)
    {
        try {
            return new RowType(List.of(JsonSerdeUtil.fromJson(json, DataField[].class)));
        }
        catch (RuntimeException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a row type: " + e.getMessage(), e);
        }
    }

    static String encode(DataType type)
    {
        return encode(RowType.of(type));
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if it is not a type
     */
    static DataType decode(String json)
    {
        RowType row = decodeRow(json);
        if (row.getFieldCount() != 1) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a type: " + json);
        }
        return row.getTypeAt(0);
    }
}
