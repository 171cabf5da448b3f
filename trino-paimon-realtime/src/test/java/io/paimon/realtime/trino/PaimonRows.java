package io.paimon.realtime.trino;

import com.google.common.base.CharMatcher;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.CharType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rows as text that is the same whether Paimon's own reader or Trino has read them; sorted. */
final class PaimonRows
{
    private PaimonRows()
    {}

    static List<String> read(Table table)
    {
        return read(table, table.rowType().getFieldNames());
    }

    static List<String> read(Table table, List<String> columns)
    {
        RowType readType = table.rowType().project(columns);
        ReadBuilder readBuilder = table.newReadBuilder().withReadType(readType);
        List<String> rows = new ArrayList<>();
        try (RecordReader<InternalRow> reader = readBuilder.newRead().createReader(readBuilder.newScan().plan())) {
            reader.forEachRemaining(row -> rows.add(row(row, readType)));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows.stream().sorted().toList();
    }

    static List<String> render(MaterializedResult result)
    {
        return result.getMaterializedRows().stream().map(row -> value(row)).sorted().toList();
    }

    private static String row(InternalRow row, RowType type)
    {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataField field = type.getFields().get(i);
            values.add(value(row, i, field.type()));
        }
        return values.toString();
    }

    private static String value(DataGetters row, int field, DataType type)
    {
        if (row.isNullAt(field)) {
            return "null";
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> value(row.getBoolean(field));
            case TINYINT -> value(row.getByte(field));
            case SMALLINT -> value(row.getShort(field));
            case INTEGER -> value(row.getInt(field));
            case BIGINT -> value(row.getLong(field));
            case FLOAT -> value(row.getFloat(field));
            case DOUBLE -> value(row.getDouble(field));
            case DECIMAL -> value(row.getDecimal(field, ((DecimalType) type).getPrecision(), ((DecimalType) type).getScale()).toBigDecimal());
            case CHAR -> padded(row.getString(field).toString(), ((CharType) type).getLength());
            case VARCHAR -> value(row.getString(field).toString());
            case BINARY, VARBINARY -> value(row.getBinary(field));
            case DATE -> value(LocalDate.ofEpochDay(row.getInt(field)));
            case TIME_WITHOUT_TIME_ZONE -> value(LocalTime.ofNanoOfDay(row.getInt(field) * 1_000_000L));
            case TIMESTAMP_WITHOUT_TIME_ZONE -> value(row.getTimestamp(field, ((TimestampType) type).getPrecision()).toLocalDateTime());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> value(row.getTimestamp(field, ((LocalZonedTimestampType) type).getPrecision()).toInstant());
            case ARRAY -> {
                InternalArray array = row.getArray(field);
                List<String> values = new ArrayList<>();
                for (int i = 0; i < array.size(); i++) {
                    values.add(value(array, i, ((org.apache.paimon.types.ArrayType) type).getElementType()));
                }
                yield values.toString();
            }
            case MAP -> map(row.getMap(field), ((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> map(row.getMap(field), ((MultisetType) type).getElementType(), new org.apache.paimon.types.IntType());
            case ROW -> row(row.getRow(field, ((RowType) type).getFieldCount()), (RowType) type);
            default -> throw new IllegalArgumentException("No text for " + type);
        };
    }

    /** Trino's CHAR ends in blanks; Paimon stores it with them or without. */
    private static String padded(String value, int length)
    {
        String stripped = CharMatcher.is(' ').trimTrailingFrom(value);
        return stripped + " ".repeat(Math.max(0, length - stripped.codePointCount(0, stripped.length())));
    }

    private static String map(InternalMap map, DataType keyType, DataType valueType)
    {
        Map<String, String> values = new TreeMap<>();
        for (int i = 0; i < map.size(); i++) {
            values.put(value(map.keyArray(), i, keyType), value(map.valueArray(), i, valueType));
        }
        return values.toString();
    }

    private static String value(Object value)
    {
        return switch (value) {
            case null -> "null";
            case MaterializedRow row -> row.getFields().stream().map(PaimonRows::value).toList().toString();
            case List<?> list -> list.stream().map(PaimonRows::value).toList().toString();
            case Map<?, ?> map -> {
                Map<String, String> values = new TreeMap<>();
                map.forEach((key, entry) -> values.put(value(key), value(entry)));
                yield values.toString();
            }
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case BigDecimal decimal -> decimal.toPlainString();
            case ZonedDateTime instant -> instant.toInstant().toString();
            default -> value.toString();
        };
    }
}
