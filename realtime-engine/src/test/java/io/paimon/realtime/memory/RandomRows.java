package io.paimon.realtime.memory;

import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.BinaryType;
import org.apache.paimon.types.CharType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;
import org.apache.paimon.types.VarBinaryType;
import org.apache.paimon.types.VarCharType;

/**
 * Rows of every type that memory supports, random by a seed, and their comparison by value.
 */
public final class RandomRows
{
    /** Every supported type, in every storage form, nested ones too; field ids do not follow the order. */
    public static final RowType ALL_TYPES = allTypes();

    private final Random random;
    private final boolean modern;

    public RandomRows(long seed)
    {
        this(seed, false);
    }

    /** @param modern timestamps of 1970 and later only: Paimon's ORC files change older ones */
    public RandomRows(long seed, boolean modern)
    {
        this.random = new Random(seed);
        this.modern = modern;
    }

    /** A new seed, printed; or the one that the system property test.seed gives, to repeat a run. */
    public static long newSeed()
    {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("test.seed=" + seed);
        return seed;
    }

    private static RowType allTypes()
    {
        List<DataType> types = List.of(
                DataTypes.BIGINT().notNull(), DataTypes.BOOLEAN(), DataTypes.TINYINT(), DataTypes.SMALLINT(), DataTypes.INT(), DataTypes.BIGINT(),
                DataTypes.FLOAT(), DataTypes.DOUBLE(), DataTypes.DECIMAL(5, 2), DataTypes.DECIMAL(18, 4), DataTypes.DECIMAL(38, 10),
                DataTypes.CHAR(5), DataTypes.VARCHAR(10), DataTypes.STRING(), DataTypes.BINARY(4), DataTypes.VARBINARY(9), DataTypes.BYTES(),
                DataTypes.DATE(), DataTypes.TIME(3), DataTypes.TIMESTAMP(0), DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(6), DataTypes.TIMESTAMP(9),
                DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(8),
                DataTypes.ARRAY(DataTypes.INT()), DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.STRING())),
                DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.BIGINT()), DataTypes.MULTISET(DataTypes.INT().notNull()),
                DataTypes.ROW(DataTypes.FIELD(100, "a", DataTypes.INT()), DataTypes.FIELD(101, "b", DataTypes.STRING()),
                        DataTypes.FIELD(102, "c", DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD(103, "d", DataTypes.TIMESTAMP(9)))))));
        List<DataField> fields = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            fields.add(new DataField((i * 7) % types.size(), "c" + i, types.get(i)));
        }
        return new RowType(fields);
    }

    public List<InternalRow> rows(RowType type, int count)
    {
        List<InternalRow> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            rows.add(row(type));
        }
        return rows;
    }

    public GenericRow row(RowType type)
    {
        return GenericRow.of(type.getFieldTypes().stream().map(this::value).toArray());
    }

    /** A value of the type, with small and special ones often, NULL sometimes if it is nullable. */
    public Object value(DataType type)
    {
        if (type.isNullable() && random.nextInt(5) == 0) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) number();
            case SMALLINT -> (short) number();
            case INTEGER -> (int) number();
            case BIGINT -> number();
            case FLOAT -> (float) real();
            case DOUBLE -> real();
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR -> BinaryString.fromString(text(((CharType) type).getLength()));
            case VARCHAR -> BinaryString.fromString(text(Math.min(((VarCharType) type).getLength(), 40)));
            case BINARY -> bytes(((BinaryType) type).getLength());
            case VARBINARY -> bytes(Math.min(((VarBinaryType) type).getLength(), 100));
            case DATE -> random.nextInt(40) - 20;
            case TIME_WITHOUT_TIME_ZONE -> random.nextInt(24 * 60 * 60 * 1000);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(((LocalZonedTimestampType) type).getPrecision());
            case ARRAY -> {
                Object[] elements = new Object[random.nextInt(4)];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = value(((ArrayType) type).getElementType());
                }
                yield new GenericArray(elements);
            }
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> map(((MultisetType) type).getElementType(), DataTypes.INT().notNull());
            case ROW -> row((RowType) type);
            default -> throw new IllegalArgumentException("No such type in memory: " + type);
        };
    }

    private GenericMap map(DataType key, DataType value)
    {
        Map<Object, Object> map = new LinkedHashMap<>();
        int size = random.nextInt(4);
        for (int i = 0; i < size; i++) {
            map.put(value(key.notNull()), value(value));
        }
        return new GenericMap(map);
    }

    private long number()
    {
        return switch (random.nextInt(8)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> Long.MAX_VALUE;
            case 2 -> random.nextLong();
            default -> random.nextInt(9) - 4;
        };
    }

    private double real()
    {
        double[] special = {Double.NaN, 0.0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1.5, -1.5, Float.MIN_VALUE};
        return random.nextInt(3) == 0 ? random.nextGaussian() : special[random.nextInt(special.length)];
    }

    private Decimal decimal(DecimalType type)
    {
        BigInteger bound = BigInteger.TEN.pow(type.getPrecision());
        BigInteger unscaled = random.nextBoolean() ? BigInteger.valueOf(random.nextInt(9) - 4) : new BigInteger(140, random).mod(bound);
        return Decimal.fromBigDecimal(new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.getScale()), type.getPrecision(),
                type.getScale());
    }

    private String text(int maxLength)
    {
        String[] letters = {"a", "b", "ab", "ä", "漢", "\uD83D\uDE00", "z"};
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(Math.min(maxLength, random.nextBoolean() ? 3 : maxLength) + 1);
        while (text.codePointCount(0, text.length()) < length) {
            text.append(letters[random.nextInt(letters.length)]);
        }
        return text.substring(0, text.offsetByCodePoints(0, length));
    }

    private byte[] bytes(int maxLength)
    {
        byte[] bytes = new byte[random.nextInt(maxLength + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private Timestamp timestamp(int precision)
    {
        long millis = random.nextBoolean() ? random.nextInt(9) - 4 : random.nextLong(-62_135_596_800_000L, 253_402_300_800_000L);
        millis = modern ? Math.abs(millis) : millis;
        if (precision < 3) {
            return Timestamp.fromEpochMillis(Math.floorDiv(millis, 1000L) * 1000);
        }
        int nanos = random.nextInt(1_000_000);
        int unit = precision <= 3 ? 1_000_000 : precision <= 6 ? 1000 : precision == 9 ? 1 : 10;
        return Timestamp.fromEpochMillis(millis, nanos - nanos % unit);
    }

    /** The rows as a canonical batch that the caller closes. */
    public static VectorSchemaRoot toArrow(RowType type, List<? extends InternalRow> rows, BufferAllocator allocator)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(type, allocator)) {
            rows.forEach(writer::append);
            return writer.finish();
        }
    }

    /** The row as plain objects that are compared by value. */
    public static List<Object> toObjects(InternalRow row, RowType type)
    {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            values.add(toObject(InternalRow.createFieldGetter(type.getTypeAt(i).nullable(), i).getFieldOrNull(row), type.getTypeAt(i)));
        }
        return values;
    }

    private static Object toObject(Object value, DataType type)
    {
        return switch (value) {
            case null -> null;
            case byte[] bytes -> new BigInteger(1, bytes).toString(16) + "/" + bytes.length;
            case InternalArray array -> toObjects(array, ((ArrayType) type).getElementType());
            case InternalMap map -> type instanceof MapType mapType
                    ? toObjects(map, mapType.getKeyType(), mapType.getValueType())
                    : toObjects(map, ((MultisetType) type).getElementType(), DataTypes.INT());
            case InternalRow row -> toObjects(row, (RowType) type);
            default -> value.toString();
        };
    }

    private static Map<String, Object> toObjects(InternalMap map, DataType keyType, DataType valueType)
    {
        List<Object> keys = toObjects(map.keyArray(), keyType);
        List<Object> values = toObjects(map.valueArray(), valueType);
        // maps have no order
        Map<String, Object> sorted = new TreeMap<>();
        for (int i = 0; i < keys.size(); i++) {
            sorted.put(keys.get(i).toString(), values.get(i));
        }
        return sorted;
    }

    private static List<Object> toObjects(InternalArray array, DataType type)
    {
        List<Object> values = new ArrayList<>();
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type.nullable());
        for (int i = 0; i < array.size(); i++) {
            values.add(toObject(getter.getElementOrNull(array, i), type));
        }
        return values;
    }
}
