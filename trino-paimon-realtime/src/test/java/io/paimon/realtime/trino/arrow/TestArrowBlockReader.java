package io.paimon.realtime.trino.arrow;

import static java.util.stream.IntStream.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.trino.block.ColumnAppender;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;
import org.apache.paimon.types.VarCharType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks from vectors hold what blocks from the rows themselves hold. */
final class TestArrowBlockReader
{
    private static final List<DataType> TYPES = List.of(
            DataTypes.BOOLEAN(), DataTypes.TINYINT(), DataTypes.SMALLINT(), DataTypes.INT(), DataTypes.BIGINT(), DataTypes.BIGINT().notNull(),
            DataTypes.FLOAT(), DataTypes.DOUBLE(), DataTypes.DECIMAL(9, 2), DataTypes.DECIMAL(18, 0), DataTypes.DECIMAL(19, 3),
            DataTypes.DECIMAL(38, 10),
            DataTypes.CHAR(4), DataTypes.CHAR(70_000), DataTypes.VARCHAR(9), DataTypes.STRING().notNull(), DataTypes.BINARY(3), DataTypes.BYTES(),
            DataTypes.DATE(), DataTypes.TIME(3), DataTypes.TIMESTAMP(0), DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(4), DataTypes.TIMESTAMP(6),
            DataTypes.TIMESTAMP(7), DataTypes.TIMESTAMP(9), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(0), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
            DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(5), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9),
            DataTypes.ARRAY(DataTypes.BIGINT()), DataTypes.ARRAY(DataTypes.STRING()).notNull(), DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.CHAR(3))),
            DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.TIMESTAMP(9)), DataTypes.MULTISET(DataTypes.INT().notNull()),
            DataTypes.ROW(
                    DataTypes.FIELD(101, "a", DataTypes.BIGINT()),
                    DataTypes.FIELD(102, "b", DataTypes.ARRAY(DataTypes.ROW(
                            DataTypes.FIELD(103, "c", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3)),
                            DataTypes.FIELD(104, "d", DataTypes.MAP(DataTypes.INT().notNull(), DataTypes.VARCHAR(9)))))),
                    DataTypes.FIELD(105, "e", DataTypes.ROW(DataTypes.FIELD(106, "f", DataTypes.BOOLEAN())))).notNull(),
            DataTypes.ROW(DataTypes.FIELD(107, "g", DataTypes.TIMESTAMP(3)), DataTypes.FIELD(108, "h", DataTypes.ARRAY(DataTypes.DOUBLE()))));

    private final BufferAllocator allocator = ArrowMemory.newRootAllocator(1L << 30);
    private final long seed = Long.getLong("test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @AfterEach
    void closeAllocator()
    {
        allocator.close();
    }

    @Test
    void everyTypeInRangesAndSelections()
    {
        System.out.println("test.seed=" + seed);
        for (int nullsOfTen : new int[]{0, 2, 10}) {
            for (DataType type : TYPES) {
                List<Object> values = range(0, 300).mapToObj(_ -> value(type, nullsOfTen)).toList();
                try (VectorSchemaRoot root = write(type, values)) {
                    ArrowBlockReader reader = reader(type);
                    ArrowColumn column = reader.column(root.getVector(0));
                    check(reader, column, ArrowRows.range(0, 300), type, values);
                    check(reader, column, ArrowRows.range(67, 131), type, values);
                    check(reader, column, ArrowRows.range(300, 0), type, values);
                    int[] positions = random.ints(100, 0, 300).sorted().toArray();
                    check(reader, column, new ArrowRows(positions, 10, 80), type, values);
                    check(reader, column, new ArrowRows(positions, 10, 80).select(new int[]{5, 1, 70}, 1, 2), type, values);
                }
            }
        }
    }

    @Test
    void nothingUnderANullIsLookedAt()
    {
        RowType type = DataTypes.ROW(
                DataTypes.FIELD(101, "moment", DataTypes.TIMESTAMP(3)),
                DataTypes.FIELD(102, "moments", DataTypes.ARRAY(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))));
        Timestamp outOfRange = Timestamp.fromEpochMillis(Long.MAX_VALUE);
        Timestamp fine = Timestamp.fromEpochMillis(1);
        List<Object> values = List.of(
                GenericRow.of(outOfRange, new GenericArray(new Object[]{outOfRange})),
                GenericRow.of(fine, new GenericArray(new Object[]{fine, fine})));
        try (VectorSchemaRoot root = write(type, values)) {
            BitVectorHelper.unsetBit(root.getVector(0).getValidityBuffer(), 0);
            List<Object> shown = new ArrayList<>(values);
            shown.set(0, null);
            ArrowBlockReader reader = reader(type);
            check(reader, reader.column(root.getVector(0)), ArrowRows.range(0, 2), type, shown);
            check(reader, reader.column(root.getVector(0)), new ArrowRows(new int[]{0, 1}, 0, 2), type, shown);
        }
    }

    @Test
    void fieldsAreFoundByTheirIdInEveryLayout()
    {
        RowType wanted = DataTypes.ROW(DataTypes.FIELD(1, "a", DataTypes.INT()), DataTypes.FIELD(2, "b", DataTypes.STRING()));
        RowType renamedAndTurned = DataTypes.ROW(DataTypes.FIELD(2, "a", DataTypes.STRING()), DataTypes.FIELD(9, "x", DataTypes.INT()),
                DataTypes.FIELD(1, "b", DataTypes.INT()));
        RowType older = DataTypes.ROW(DataTypes.FIELD(1, "a", DataTypes.INT()));
        ArrowBlockReader reader = reader(wanted);
        for (int round = 0; round < 2; round++) {
            check(reader, wanted, List.of(GenericRow.of(1, text("one"))), wanted, List.of(GenericRow.of(1, text("one"))));
            check(reader, renamedAndTurned, List.of(GenericRow.of(text("two"), 7, 2)), wanted, List.of(GenericRow.of(2, text("two"))));
            check(reader, older, List.of(GenericRow.of(3)), wanted, List.of(GenericRow.of(3, null)));
        }
    }

    @Test
    void vectorsOfAnotherTypeAreRefused()
    {
        try (VectorSchemaRoot root = write(DataTypes.INT(), List.of(1))) {
            FieldVector ints = root.getVector(0);
            ArrowBlockReader longs = reader(DataTypes.BIGINT());
            assertThatThrownBy(() -> longs.column(ints)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Not a canonical vector");
        }
    }

    private static BinaryString text(String text)
    {
        return BinaryString.fromString(text);
    }

    private static Type trinoType(DataType type)
    {
        return PaimonTypes.toTrino(type).orElseThrow();
    }

    private static ArrowBlockReader reader(DataType type)
    {
        return ArrowBlockReader.create(type, trinoType(type));
    }

    private VectorSchemaRoot write(DataType type, List<Object> values)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(new RowType(List.of(new DataField(0, "c", type))), allocator)) {
            values.forEach(value -> writer.append(GenericRow.of(value)));
            return writer.finish();
        }
    }

    private void check(ArrowBlockReader reader, DataType stored, List<Object> storedValues, DataType wanted, List<Object> wantedValues)
    {
        try (VectorSchemaRoot root = write(stored, storedValues)) {
            check(reader, reader.column(root.getVector(0)), ArrowRows.range(0, storedValues.size()), wanted, wantedValues);
        }
    }

    private static void check(ArrowBlockReader reader, ArrowColumn column, ArrowRows rows, DataType dataType, List<Object> values)
    {
        Type type = trinoType(dataType);
        ColumnAppender appender = ColumnAppender.create(dataType, type);
        BlockBuilder builder = type.createBlockBuilder(null, rows.count());
        for (int i = 0; i < rows.count(); i++) {
            appender.append(GenericRow.of(values.get(rows.get(i))), 0, builder);
        }
        Block expected = builder.build();
        Block actual = reader.read(column, rows);
        assertThat(actual.getPositionCount()).isEqualTo(rows.count());
        for (int i = 0; i < rows.count(); i++) {
            assertThat(type.getObjectValue(actual, i)).as("%s, row %s of %s", dataType, i, rows).isEqualTo(type.getObjectValue(expected, i));
        }
    }

    /** A value of the type; of ten that may be NULL so many are. */
    private Object value(DataType type, int nullsOfTen)
    {
        if (type.isNullable() && random.nextInt(10) < nullsOfTen) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INTEGER -> random.nextInt();
            case BIGINT -> random.nextLong();
            case FLOAT -> random.nextFloat();
            case DOUBLE -> random.nextGaussian();
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR -> text(List.of("", " ", "ä", "a b ", "äöü€", "x   ").get(random.nextInt(6)));
            case VARCHAR -> text("x".repeat(random.nextInt(Math.min(((VarCharType) type).getLength(), 40) - 1)) + "ü ");
            case BINARY, VARBINARY -> bytes(random.nextInt(20));
            case DATE -> random.nextInt(-100_000, 100_000);
            case TIME_WITHOUT_TIME_ZONE -> random.nextInt(24 * 60 * 60 * 1000);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(((LocalZonedTimestampType) type).getPrecision());
            case ARRAY -> {
                DataType element = ((ArrayType) type).getElementType();
                yield new GenericArray(range(0, random.nextInt(4)).mapToObj(_ -> value(element, nullsOfTen)).toArray());
            }
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType(), nullsOfTen);
            case MULTISET -> map(((MultisetType) type).getElementType(), DataTypes.INT().notNull(), nullsOfTen);
            case ROW -> GenericRow.of(((RowType) type).getFieldTypes().stream().map(field -> value(field, nullsOfTen)).toArray());
            default -> throw new IllegalArgumentException("No values of " + type);
        };
    }

    private Decimal decimal(DecimalType type)
    {
        StringBuilder digits = new StringBuilder(random.nextBoolean() ? "-" : "");
        random.ints(random.nextInt(1, type.getPrecision() + 1), 0, 10).forEach(digits::append);
        BigDecimal value = new BigDecimal(new BigDecimal(digits.toString()).unscaledValue(), type.getScale());
        return Decimal.fromBigDecimal(value, type.getPrecision(), type.getScale());
    }

    private byte[] bytes(int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private Timestamp timestamp(int precision)
    {
        long millis = random.nextLong(-62_135_596_800_000L, 253_402_300_800_000L);
        return switch (precision) {
            case 0 -> Timestamp.fromEpochMillis(Math.floorDiv(millis, 1000) * 1000);
            case 3 -> Timestamp.fromEpochMillis(millis);
            default -> {
                int unit = (int) Math.pow(10, 9 - precision);
                yield Timestamp.fromEpochMillis(millis, random.nextInt(1_000_000) / unit * unit);
            }
        };
    }

    private GenericMap map(DataType key, DataType value, int nullsOfTen)
    {
        Map<Object, Object> entries = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            entries.put(value(key, nullsOfTen), value(value, nullsOfTen));
        }
        return new GenericMap(entries);
    }
}
