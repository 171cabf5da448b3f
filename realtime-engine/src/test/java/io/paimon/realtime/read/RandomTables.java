package io.paimon.realtime.read;

import io.paimon.realtime.memory.RandomRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;

/**
 * Random definitions of append tables, rows that fit them, and what may be asked of them.
 */
public final class RandomTables
{
    private static final List<DataType> PARTITION_TYPES = List.of(DataTypes.INT(), DataTypes.STRING(), DataTypes.DATE(), DataTypes.BIGINT(),
            DataTypes.BOOLEAN());
    private static final List<DataType> BUCKET_TYPES = List.of(DataTypes.BIGINT(), DataTypes.INT(), DataTypes.STRING(), DataTypes.DATE());
    private static final Set<DataTypeRoot> COMPARABLE = Set.of(DataTypeRoot.BOOLEAN, DataTypeRoot.TINYINT, DataTypeRoot.SMALLINT,
            DataTypeRoot.INTEGER, DataTypeRoot.BIGINT, DataTypeRoot.FLOAT, DataTypeRoot.DOUBLE, DataTypeRoot.DECIMAL, DataTypeRoot.CHAR,
            DataTypeRoot.VARCHAR, DataTypeRoot.DATE, DataTypeRoot.TIME_WITHOUT_TIME_ZONE, DataTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
            DataTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);

    private final Random random;
    private final RandomRows rows;
    private final String format;
    private int columns;

    public RandomTables(Random random)
    {
        this.random = random;
        this.format = List.of("parquet", "orc", "avro").get(random.nextInt(3));
        this.rows = new RandomRows(random.nextLong(), format.equals("orc"));
    }

    public Schema table()
    {
        Schema.Builder schema = Schema.newBuilder();
        List<String> partitionKeys = new ArrayList<>();
        List<String> bucketKeys = new ArrayList<>();
        List<DataField> fields = new ArrayList<>();
        int partitions = random.nextInt(3) == 0 ? 2 : random.nextInt(2);
        for (int i = 0; i < partitions; i++) {
            partitionKeys.add("p" + i);
            fields.add(new DataField(0, "p" + i, pick(PARTITION_TYPES)));
        }
        int buckets = random.nextBoolean() ? -1 : 1 + random.nextInt(3);
        for (int i = 0; i < (buckets < 0 ? 0 : 1 + random.nextInt(2)); i++) {
            bucketKeys.add("b" + i);
            fields.add(new DataField(0, "b" + i, pick(BUCKET_TYPES)));
        }
        int values = 1 + random.nextInt(random.nextInt(8) == 0 ? 20 : 5);
        for (int i = 0; i < values; i++) {
            fields.add(new DataField(0, nextName(), valueType()));
        }
        Collections.shuffle(fields, random);
        fields.forEach(field -> schema.column(field.name(), field.type()));
        schema.partitionKeys(partitionKeys);
        options(buckets, bucketKeys).forEach(schema::option);
        return schema.build();
    }

    private Map<String, String> options(int buckets, List<String> bucketKeys)
    {
        Map<String, String> options = new HashMap<>();
        options.put("realtime.enabled", "true");
        options.put("file.format", format);
        options.put("bucket", Integer.toString(buckets));
        if (buckets > 0) {
            options.put("bucket-key", String.join(",", bucketKeys));
        }
        // a fault that Paimon repeats by itself must not take seconds
        options.put("commit.min-retry-wait", "1 ms");
        options.put("commit.max-retry-wait", "2 ms");
        if (random.nextInt(4) == 0) {
            options.put("metadata.stats-mode", pick(List.of("none", "full", "counts", "truncate(2)")));
        }
        if (random.nextInt(4) == 0) {
            // one segment, several files
            options.put("target-file-size", "1 kb");
        }
        if (random.nextInt(4) == 0) {
            options.put("source.split.target-size", "1 b");
            options.put("source.split.open-file-cost", "1 b");
        }
        return options;
    }

    private String nextName()
    {
        return "c" + columns++;
    }

    /** Any type that memory holds and the format can store. */
    DataType valueType()
    {
        while (true) {
            DataType type = pick(RandomRows.ALL_TYPES.getFieldTypes());
            if (random.nextInt(6) == 0) {
                type = switch (random.nextInt(3)) {
                    case 0 -> DataTypes.ARRAY(type);
                    case 1 -> DataTypes.MAP(DataTypes.STRING().notNull(), type);
                    default -> DataTypes.ROW(DataTypes.FIELD(0, "a", type), DataTypes.FIELD(1, "b", pick(RandomRows.ALL_TYPES.getFieldTypes())));
                };
            }
            if (isStorable(type)) {
                return type;
            }
        }
    }

    private boolean isStorable(DataType type)
    {
        return switch (type) {
            // Paimon's avro has no finer ones
            case TimestampType timestamp -> !format.equals("avro") || timestamp.getPrecision() <= 6;
            case LocalZonedTimestampType timestamp -> !format.equals("avro") || timestamp.getPrecision() <= 6;
            case ArrayType array -> isStorable(array.getElementType());
            // Paimon writes it to avro with strings as elements only
            case MultisetType _ -> !format.equals("avro");
            case MapType map -> isStorable(map.getKeyType()) && isStorable(map.getValueType());
            case RowType row -> row.getFieldTypes().stream().allMatch(this::isStorable);
            default -> true;
        };
    }

    GenericRow row(RowType type)
    {
        GenericRow row = rows.row(type);
        for (int i = 0; i < type.getFieldCount(); i++) {
            // few partitions
            if (type.getFieldNames().get(i).startsWith("p")) {
                row.setField(i, partitionValue(type.getTypeAt(i)));
            }
        }
        return row;
    }

    private Object partitionValue(DataType type)
    {
        int number = random.nextInt(3);
        if (number == 2 && random.nextBoolean()) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case INTEGER, DATE -> number;
            case BIGINT -> (long) number;
            case BOOLEAN -> number == 0;
            default -> BinaryString.fromString(List.of("x", "y/z=%", "ü").get(number));
        };
    }

    public List<GenericRow> rows(RowType type, int count)
    {
        List<GenericRow> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(row(type));
        }
        return made;
    }

    /** Columns in any order, rows inside with fewer fields. */
    RowType projection(RowType type)
    {
        List<DataField> fields = new ArrayList<>(type.getFields());
        Collections.shuffle(fields, random);
        List<DataField> chosen = new ArrayList<>();
        for (DataField field : fields.subList(0, 1 + random.nextInt(fields.size()))) {
            chosen.add(field.type() instanceof RowType row && row.getFieldCount() > 1 && random.nextBoolean()
                    ? field.newType(new RowType(row.isNullable(), row.getFields().subList(0, 1 + random.nextInt(row.getFieldCount()))))
                    : field);
        }
        return new RowType(chosen);
    }

    /** What a query might ask for; literals are often values that are there. */
    Predicate predicate(RowType type, List<? extends InternalRow> present, int depth)
    {
        if (depth > 0 && random.nextInt(3) > 0) {
            Predicate left = predicate(type, present, depth - 1);
            Predicate right = predicate(type, present, depth - 1);
            return random.nextBoolean() ? PredicateBuilder.and(left, right) : PredicateBuilder.or(left, right);
        }
        PredicateBuilder builder = new PredicateBuilder(type);
        int field = random.nextInt(type.getFieldCount());
        DataType fieldType = type.getTypeAt(field);
        if (!COMPARABLE.contains(fieldType.getTypeRoot()) || random.nextInt(8) == 0) {
            return random.nextBoolean() ? builder.isNull(field) : builder.isNotNull(field);
        }
        Object literal = literal(type, field, present);
        Object other = literal(type, field, present);
        int kinds = fieldType.getTypeRoot() == DataTypeRoot.VARCHAR ? 12 : 9;
        return switch (random.nextInt(kinds)) {
            case 0 -> builder.equal(field, literal);
            case 1 -> builder.notEqual(field, literal);
            case 2 -> builder.lessThan(field, literal);
            case 3 -> builder.lessOrEqual(field, literal);
            case 4 -> builder.greaterThan(field, literal);
            case 5 -> builder.greaterOrEqual(field, literal);
            case 6 -> builder.between(field, literal, other);
            case 7 -> builder.in(field, List.of(literal, other, literal(type, field, present)));
            case 8 -> builder.notIn(field, List.of(literal, other));
            case 9 -> builder.startsWith(field, literal);
            case 10 -> builder.endsWith(field, literal);
            default -> builder.contains(field, literal);
        };
    }

    private Object literal(RowType type, int field, List<? extends InternalRow> present)
    {
        DataType fieldType = type.getTypeAt(field).notNull();
        if (!present.isEmpty() && random.nextInt(3) > 0) {
            Object value = InternalRow.createFieldGetter(type.getTypeAt(field), field).getFieldOrNull(pick(present));
            if (value != null) {
                return value;
            }
        }
        Object value = type.getFieldNames().get(field).startsWith("p") ? partitionValue(fieldType) : rows.value(fieldType);
        return value == null ? rows.value(fieldType) : value;
    }

    /** A change that Paimon allows on a table with rows in it; empty if it finds none. */
    public List<SchemaChange> schemaChange(RowType type, Set<String> keys)
    {
        List<DataField> free = type.getFields().stream().filter(field -> !keys.contains(field.name())).toList();
        DataField field = free.isEmpty() ? null : pick(free);
        return switch (random.nextInt(6)) {
            case 0 -> List.of(SchemaChange.addColumn(nextName(), valueType().nullable()));
            case 1 -> field == null ? List.of() : List.of(SchemaChange.renameColumn(field.name(), nextName()));
            // a name that comes back is another column
            case 2 -> free.size() < 2
                    ? List.of()
                    : List.of(SchemaChange.dropColumn(field.name()), SchemaChange.addColumn(field.name(), valueType().nullable()));
            case 3 -> free.size() < 2 ? List.of() : List.of(SchemaChange.dropColumn(field.name()));
            case 4 -> field == null ? List.of() : widen(field);
            default -> field == null ? List.of() : addNested(new String[]{field.name()}, field.type());
        };
    }

    private List<SchemaChange> widen(DataField field)
    {
        return switch (field.type().getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER -> List.of(SchemaChange.updateColumnType(field.name(), DataTypes.BIGINT()));
            case FLOAT -> List.of(SchemaChange.updateColumnType(field.name(), DataTypes.DOUBLE()));
            default -> List.of();
        };
    }

    private List<SchemaChange> addNested(String[] path, DataType type)
    {
        return switch (type) {
            case RowType row -> List.of(SchemaChange.addColumn(append(path, "n" + columns++), DataTypes.INT(), null, null));
            case ArrayType array -> addNested(append(path, "element"), array.getElementType());
            case MapType map -> addNested(append(path, "value"), map.getValueType());
            default -> List.of();
        };
    }

    private static String[] append(String[] path, String name)
    {
        List<String> longer = new ArrayList<>(List.of(path));
        longer.add(name);
        return longer.toArray(String[]::new);
    }

    private <T> T pick(List<? extends T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
