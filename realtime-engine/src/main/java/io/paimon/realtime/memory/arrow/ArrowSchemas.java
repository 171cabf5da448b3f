package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.model.RealtimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.IntType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;

/**
 * The canonical Arrow form of Paimon's row types: the one form in which rows are logged, stored in memory and handed to readers.
 *
 * <table>
 * <caption>Types</caption>
 * <tr><td>boolean, float, double</td><td>Bool, FloatingPoint(SINGLE), FloatingPoint(DOUBLE)</td></tr>
 * <tr><td>tinyint, smallint, int, bigint</td><td>Int(8, 16, 32, 64; signed)</td></tr>
 * <tr><td>decimal(p, s)</td><td>Decimal(p, s, 128)</td></tr>
 * <tr><td>char(n), varchar(n), string</td><td>Utf8, not padded</td></tr>
 * <tr><td>binary(n), varbinary(n), bytes</td><td>Binary</td></tr>
 * <tr><td>date, time(p)</td><td>Date(DAY), Time(MILLISECOND, 32)</td></tr>
 * <tr><td>timestamp(p), timestamp_ltz(p)</td><td>p up to 3: Timestamp(MILLISECOND), up to 6: Timestamp(MICROSECOND), zone none or UTC; above:
 * FixedSizeBinary(12), little-endian, int64 milliseconds since the epoch and int32 nanoseconds of the millisecond (64 bits of nanoseconds do not hold the
 * years 1 to 9999)</td></tr>
 * <tr><td>array, map, multiset, row</td><td>List, Map, Map to Int(32), Struct</td></tr>
 * </table>
 *
 * <p>Columns and fields of rows, at every level, carry the Paimon field id in their metadata under {@link #FIELD_ID}.
 */
public final class ArrowSchemas
{
    /** Metadata key of the Paimon field id, a decimal number. */
    public static final String FIELD_ID = "paimon.id";

    /** Bytes of a timestamp of more than six digits. */
    public static final int WIDE_TIMESTAMP_BYTES = 12;

    private ArrowSchemas()
    {}

    /**
     * Canonical schema of the row type.
     *
     * @throws RealtimeException INVALID_ARGUMENT naming the column, if a type is not supported in memory
     */
    public static Schema toArrowSchema(RowType rowType)
    {
        return new Schema(columns(rowType, false));
    }

    /**
     * The schema a client should send: the canonical one, but timestamps of more than six digits as Timestamp(NANOSECOND).
     *
     * @throws RealtimeException INVALID_ARGUMENT naming the column, if a type is not supported in memory
     */
    public static Schema clientSchema(RowType rowType)
    {
        return new Schema(columns(rowType, true));
    }

    /** Canonical form of one column or field of a row. */
    public static Field toArrowField(DataField field)
    {
        return field(field.name(), field.type(), field, field.name(), false);
    }

    /** Canonical form of a type, without a field id. The path names it in errors. */
    public static Field toArrowField(String name, DataType type, String path)
    {
        return field(name, type, null, path, false);
    }

    /**
     * Paimon's field id of the Arrow field.
     *
     * @throws IllegalArgumentException if it carries none
     */
    public static int fieldId(Field field)
    {
        return optionalFieldId(field).orElseThrow(() -> new IllegalArgumentException("Arrow field has no Paimon field id: " + field));
    }

    /** Paimon's field id of the Arrow field, if it carries one. */
    public static OptionalInt optionalFieldId(Field field)
    {
        String id = field.getMetadata().get(FIELD_ID);
        return id == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(id));
    }

    /** Digits of the seconds' fraction of a timestamp type. */
    static int timestampPrecision(DataType type)
    {
        return switch (type) {
            case TimestampType timestamp -> timestamp.getPrecision();
            case LocalZonedTimestampType timestamp -> timestamp.getPrecision();
            default -> throw new IllegalArgumentException("Not a timestamp: " + type);
        };
    }

    /** Type of the values of a map or multiset. */
    static DataType mapValueType(DataType type)
    {
        return type instanceof MapType map ? map.getValueType() : new IntType(false);
    }

    /** Type of the keys of a map or multiset. */
    static DataType mapKeyType(DataType type)
    {
        return type instanceof MapType map ? map.getKeyType() : ((MultisetType) type).getElementType();
    }

    private static List<Field> columns(RowType rowType, boolean client)
    {
        List<Field> columns = new ArrayList<>(rowType.getFieldCount());
        for (DataField field : rowType.getFields()) {
            columns.add(field(field.name(), field.type(), field, field.name(), client));
        }
        return columns;
    }

    private static Field field(String name, DataType type, DataField identity, String path, boolean client)
    {
        Map<String, String> metadata = identity == null ? null : Map.of(FIELD_ID, Integer.toString(identity.id()));
        FieldType fieldType = new FieldType(type.isNullable(), arrowType(type, path, client), null, metadata);
        return new Field(name, fieldType, children(type, path, client));
    }

    private static List<Field> children(DataType type, String path, boolean client)
    {
        return switch (type.getTypeRoot()) {
            case ARRAY -> List.of(field("element", ((ArrayType) type).getElementType(), null, path + ".element", client));
            case MAP, MULTISET -> List.of(new Field("entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(
                    // Arrow's map vector accepts keys that are never null only, as does Parquet
                    field("key", mapKeyType(type).notNull(), null, path + ".key", client),
                    field("value", mapValueType(type), null, path + ".value", client))));
            case ROW -> {
                List<Field> fields = new ArrayList<>();
                for (DataField field : ((RowType) type).getFields()) {
                    fields.add(field(field.name(), field.type(), field, path + "." + field.name(), client));
                }
                yield fields;
            }
            default -> List.of();
        };
    }

    private static ArrowType arrowType(DataType type, String path, boolean client)
    {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TINYINT -> new ArrowType.Int(8, true);
            case SMALLINT -> new ArrowType.Int(16, true);
            case INTEGER -> new ArrowType.Int(32, true);
            case BIGINT -> new ArrowType.Int(64, true);
            case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case DECIMAL -> new ArrowType.Decimal(((DecimalType) type).getPrecision(), ((DecimalType) type).getScale(), 128);
            case CHAR, VARCHAR -> ArrowType.Utf8.INSTANCE;
            case BINARY, VARBINARY -> ArrowType.Binary.INSTANCE;
            case DATE -> new ArrowType.Date(DateUnit.DAY);
            case TIME_WITHOUT_TIME_ZONE -> new ArrowType.Time(TimeUnit.MILLISECOND, 32);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(timestampPrecision(type), null, client);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(timestampPrecision(type), "UTC", client);
            case ARRAY -> ArrowType.List.INSTANCE;
            case MAP, MULTISET -> new ArrowType.Map(false);
            case ROW -> ArrowType.Struct.INSTANCE;
            case VARIANT, BLOB, VECTOR -> throw new RealtimeException(RealtimeException.Code.INVALID_ARGUMENT,
                    "Column %s has the type %s, which real-time tables do not support".formatted(path, type.asSQLString()));
        };
    }

    private static ArrowType timestamp(int precision, String zone, boolean client)
    {
        if (precision <= 3) {
            return new ArrowType.Timestamp(TimeUnit.MILLISECOND, zone);
        }
        if (precision <= 6) {
            return new ArrowType.Timestamp(TimeUnit.MICROSECOND, zone);
        }
        return client ? new ArrowType.Timestamp(TimeUnit.NANOSECOND, zone) : new ArrowType.FixedSizeBinary(WIDE_TIMESTAMP_BYTES);
    }
}
