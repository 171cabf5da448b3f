package io.paimon.realtime.memory.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.RandomRows;
import io.paimon.realtime.model.RealtimeException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.impl.UnionMapWriter;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

public class TestArrowBatchNormalizer
{
    private final BufferAllocator allocator = ArrowMemory.newRootAllocator(1 << 30);

    @AfterEach
    public void everythingIsFreed()
    {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    @Test
    public void canonicalBatchesAreSharedAndStayTheCallers()
    {
        RowType type = RandomRows.ALL_TYPES;
        List<InternalRow> rows = new RandomRows(RandomRows.newSeed()).rows(type, 500);
        try (VectorSchemaRoot client = RandomRows.toArrow(type, rows, allocator)) {
            long before = allocator.getAllocatedMemory();
            try (BufferAllocator child = allocator.newChildAllocator("normalized", 0, 1 << 30);
                    VectorSchemaRoot normalized = new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client, child)) {
                assertThat(allocator.getAllocatedMemory() - before).isLessThan(before / 10);
                assertRows(normalized, type, rows);
                normalized.close();
                assertThat(child.getAllocatedMemory()).isZero();
            }
            assertThat(allocator.getAllocatedMemory()).isEqualTo(before);
            assertRows(client, type, rows);
        }
    }

    @Test
    public void batchesOfAnotherRootAreCopied()
    {
        RowType type = RandomRows.ALL_TYPES;
        List<InternalRow> rows = new RandomRows(RandomRows.newSeed()).rows(type, 100);
        try (BufferAllocator other = ArrowMemory.newRootAllocator(1 << 30);
                VectorSchemaRoot client = RandomRows.toArrow(type, rows, other);
                VectorSchemaRoot normalized = new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client, allocator)) {
            client.close();
            assertRows(normalized, type, rows);
        }
    }

    @Test
    public void emptyBatches()
    {
        RowType type = RandomRows.ALL_TYPES;
        try (VectorSchemaRoot client = RandomRows.toArrow(type, List.of(), allocator);
                VectorSchemaRoot normalized = new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client, allocator)) {
            assertThat(normalized.getRowCount()).isZero();
        }
    }

    @Test
    public void flatShapes()
    {
        byte[] text = "ä漢".getBytes(UTF_8);
        accept(DataTypes.BOOLEAN(), new BitVector("c", allocator), (v, i) -> v.set(i, 1), "true");
        accept(DataTypes.INT(), new TinyIntVector("c", allocator), (v, i) -> v.set(i, -3), "-3");
        accept(DataTypes.INT(), new SmallIntVector("c", allocator), (v, i) -> v.set(i, -3), "-3");
        accept(DataTypes.SMALLINT(), new UInt1Vector("c", allocator), (v, i) -> v.set(i, 200), "200");
        accept(DataTypes.BIGINT(), new UInt4Vector("c", allocator), (v, i) -> v.set(i, -1), "4294967295");
        accept(DataTypes.BIGINT(), new UInt8Vector("c", allocator), (v, i) -> v.set(i, 7), "7");
        accept(DataTypes.FLOAT(), new Float2Vector("c", allocator), (v, i) -> v.setWithPossibleTruncate(i, 1.5f), "1.5");
        accept(DataTypes.DOUBLE(), new Float4Vector("c", allocator), (v, i) -> v.set(i, 1.5f), "1.5");
        accept(DataTypes.DOUBLE(), new IntVector("c", allocator), (v, i) -> v.set(i, 3), "3.0");
        accept(DataTypes.DECIMAL(10, 2), new DecimalVector("c", allocator, 38, 5), (v, i) -> v.set(i, new BigDecimal("-1.50000")), "-1.50");
        accept(DataTypes.DECIMAL(10, 2), new DecimalVector("c", allocator, 38, 2), (v, i) -> v.set(i, new BigDecimal("99999999.99")), "99999999.99");
        accept(DataTypes.DECIMAL(38, 0), new Decimal256Vector("c", allocator, 76, 2), (v, i) -> v.set(i, new BigDecimal("9".repeat(38) + ".00")),
                "9".repeat(38));
        accept(DataTypes.DECIMAL(10, 2), new BigIntVector("c", allocator), (v, i) -> v.set(i, 5), "5.00");
        accept(DataTypes.VARCHAR(2), new VarCharVector("c", allocator), (v, i) -> v.setSafe(i, text), "ä漢");
        accept(DataTypes.CHAR(2), new LargeVarCharVector("c", allocator), (v, i) -> v.setSafe(i, text), "ä漢");
        accept(DataTypes.STRING(), new ViewVarCharVector("c", allocator), (v, i) -> v.setSafe(i, text), "ä漢");
        accept(DataTypes.STRING(), new ViewVarCharVector("c", allocator), (v, i) -> v.setSafe(i, "longer than twelve bytes".getBytes(UTF_8)),
                "longer than twelve bytes");
        accept(DataTypes.BYTES(), new LargeVarBinaryVector("c", allocator), (v, i) -> v.setSafe(i, new byte[]{1, 2}), "102/2");
        accept(DataTypes.BYTES(), new ViewVarBinaryVector("c", allocator), (v, i) -> v.setSafe(i, new byte[]{1, 2}), "102/2");
        accept(DataTypes.VARBINARY(2), new FixedSizeBinaryVector("c", allocator, 2), (v, i) -> v.set(i, new byte[]{1, 2}), "102/2");
        accept(DataTypes.DATE(), new DateMilliVector("c", allocator), (v, i) -> v.set(i, -86_400_000L), "-1");
        accept(DataTypes.TIME(0), new TimeSecVector("c", allocator), (v, i) -> v.set(i, 86_399), "86399000");
        accept(DataTypes.TIME(3), new TimeMicroVector("c", allocator), (v, i) -> v.set(i, 1_999), "1");
        accept(DataTypes.TIME(3), new TimeNanoVector("c", allocator), (v, i) -> v.set(i, 1_999_999), "1");
        accept(DataTypes.TIMESTAMP(3), new TimeStampSecVector("c", allocator), (v, i) -> v.set(i, -1), "1969-12-31T23:59:59");
        accept(DataTypes.TIMESTAMP(0), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, -1), "1969-12-31T23:59:59");
        accept(DataTypes.TIMESTAMP(1), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, 1250), "1970-01-01T00:00:01.200");
        accept(DataTypes.TIMESTAMP(3), new TimeStampNanoVector("c", allocator), (v, i) -> v.set(i, -1), "1969-12-31T23:59:59.999");
        accept(DataTypes.TIMESTAMP(6), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, 5), "1970-01-01T00:00:00.005");
        accept(DataTypes.TIMESTAMP(6), new TimeStampMicroVector("c", allocator), (v, i) -> v.set(i, 5), "1970-01-01T00:00:00.000005");
        accept(DataTypes.TIMESTAMP(9), new TimeStampNanoVector("c", allocator), (v, i) -> v.set(i, -1), "1969-12-31T23:59:59.999999999");
        accept(DataTypes.TIMESTAMP(7), new TimeStampNanoVector("c", allocator), (v, i) -> v.set(i, 1_999), "1970-01-01T00:00:00.000001900");
        accept(DataTypes.TIMESTAMP(9), new TimeStampSecVector("c", allocator), (v, i) -> v.set(i, -1), "1969-12-31T23:59:59");
        accept(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), new TimeStampMilliTZVector("c", allocator, "Asia/Tokyo"), (v, i) -> v.set(i, 5),
                "1970-01-01T00:00:00.005");
        accept(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9), new TimeStampNanoTZVector("c", allocator, "UTC"), (v, i) -> v.set(i, 5),
                "1970-01-01T00:00:00.000000005");
    }

    @Test
    public void flatMistakes()
    {
        refuse(DataTypes.INT(), new BigIntVector("c", allocator), (v, i) -> v.set(i, 1), "Int(64, true)", false);
        refuse(DataTypes.INT(), new VarCharVector("c", allocator), (v, i) -> v.setSafe(i, new byte[]{'1'}), "Utf8", false);
        refuse(DataTypes.TINYINT(), new UInt1Vector("c", allocator), (v, i) -> v.set(i, 200), "200 does not fit TINYINT", true);
        refuse(DataTypes.BIGINT(), new UInt8Vector("c", allocator), (v, i) -> v.set(i, -1), "18446744073709551615", true);
        refuse(DataTypes.FLOAT(), new Float8Vector("c", allocator), (v, i) -> v.set(i, 1), "without loss", false);
        refuse(DataTypes.DOUBLE(), new BigIntVector("c", allocator), (v, i) -> v.set(i, 1), "without loss", false);
        refuse(DataTypes.DECIMAL(4, 2), new DecimalVector("c", allocator, 10, 2), (v, i) -> v.set(i, new BigDecimal("100.00")), "100.00 does not fit",
                true);
        refuse(DataTypes.DECIMAL(4, 2), new DecimalVector("c", allocator, 10, 3), (v, i) -> v.set(i, new BigDecimal("1.001")), "1.001 does not fit",
                true);
        refuse(DataTypes.DECIMAL(38, 0), new Decimal256Vector("c", allocator, 76, 0), (v, i) -> v.set(i, BigDecimal.TEN.pow(38)), "does not fit",
                true);
        refuse(DataTypes.VARCHAR(2), new VarCharVector("c", allocator), (v, i) -> v.setSafe(i, "abc".getBytes(UTF_8)), "3 characters are too long",
                true);
        refuse(DataTypes.CHAR(2), new VarCharVector("c", allocator), (v, i) -> v.setSafe(i, "äbc".getBytes(UTF_8)), "3 characters are too long",
                true);
        refuse(DataTypes.STRING(), new VarCharVector("c", allocator), (v, i) -> v.setSafe(i, new byte[]{(byte) 0xC0, (byte) 0x80}), "invalid UTF-8",
                true);
        refuse(DataTypes.STRING(), new VarCharVector("c", allocator), (v, i) -> v.setSafe(i, new byte[]{(byte) 0xE6, (byte) 0xBC}), "invalid UTF-8",
                true);
        refuse(DataTypes.VARBINARY(1), new VarBinaryVector("c", allocator), (v, i) -> v.setSafe(i, new byte[2]), "2 bytes are too long", true);
        refuse(DataTypes.DATE(), new DateMilliVector("c", allocator), (v, i) -> v.set(i, 1), "no date", true);
        refuse(DataTypes.TIME(0), new TimeMilliVector("c", allocator), (v, i) -> v.set(i, 86_400_000), "no time of day", true);
        refuse(DataTypes.TIME(0), new TimeSecVector("c", allocator), (v, i) -> v.set(i, -1), "no time of day", true);
        refuse(DataTypes.TIMESTAMP(6), new TimeStampSecVector("c", allocator), (v, i) -> v.set(i, Long.MAX_VALUE / 1000), "out of range", true);
        // also where cutting digits off wraps
        refuse(DataTypes.TIMESTAMP(1), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, Long.MIN_VALUE), "out of range", true);
        for (long millis : new long[]{Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 1000, Long.MIN_VALUE / 1000}) {
            refuse(DataTypes.TIMESTAMP(3), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, millis), "out of range", true);
            refuse(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), new TimeStampMilliTZVector("c", allocator, "UTC"), (v, i) -> v.set(i, millis),
                    "out of range", true);
            refuse(DataTypes.TIMESTAMP(9), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, millis), "out of range", true);
            refuse(DataTypes.TIMESTAMP(9), new FixedSizeBinaryVector("c", allocator, 12), (v, i) -> {
                v.setIndexDefined(i);
                v.getDataBuffer().setLong(12L * i, millis);
            }, "out of range", true);
        }
        accept(DataTypes.TIMESTAMP(3), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, Long.MAX_VALUE / 1000 - 1),
                Timestamp.fromEpochMillis(Long.MAX_VALUE / 1000 - 1).toString());
        refuse(DataTypes.TIMESTAMP(3), new TimeStampMilliTZVector("c", allocator, "UTC"), (v, i) -> v.set(i, 1), "without loss", false);
        refuse(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), new TimeStampMilliVector("c", allocator), (v, i) -> v.set(i, 1), "without loss", false);
    }

    @Test
    public void lists()
    {
        DataType type = DataTypes.ARRAY(DataTypes.BIGINT());
        List<String> expected = List.of("[[1, 2]]", "[null]", "[[]]", "[[3, null]]");
        ListVector list = ListVector.empty("c", allocator);
        list.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        fill(list.getDataVector(), 1, 2, 3, null);
        list.allocateNew();
        fill(list.getDataVector(), 1, 2, 3, null);
        list.startNewValue(0);
        list.endValue(0, 2);
        list.setNull(1);
        list.startNewValue(2);
        list.endValue(2, 0);
        list.startNewValue(3);
        list.endValue(3, 2);
        list.setValueCount(4);
        acceptNested(type, list, expected);

        LargeListVector large = LargeListVector.empty("c", allocator);
        large.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        large.allocateNew();
        fill(large.getDataVector(), 1, 2, 3, null);
        large.startNewValue(0);
        large.endValue(0, 2);
        large.setNull(1);
        large.startNewValue(2);
        large.endValue(2, 0);
        large.startNewValue(3);
        large.endValue(3, 2);
        large.setValueCount(4);
        acceptNested(type, large, expected);

        ListViewVector view = ListViewVector.empty("c", allocator);
        view.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        view.allocateNew();
        fill((FieldVector) view.getDataVector(), 3, null, 1, 2);
        view.setValidity(0, 1);
        view.setOffset(0, 2);
        view.setSize(0, 2);
        view.setValidity(1, 0);
        view.setOffset(1, 0);
        view.setSize(1, 0);
        view.setValidity(2, 1);
        view.setOffset(2, 0);
        view.setSize(2, 0);
        view.setValidity(3, 1);
        view.setOffset(3, 0);
        view.setSize(3, 2);
        view.setValueCount(4);
        acceptNested(type, view, expected);

        FixedSizeListVector fixed = FixedSizeListVector.empty("c", 2, allocator);
        fixed.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        fixed.allocateNew();
        fill(fixed.getDataVector(), 1, 2, 9, 9, 3, null);
        fixed.setNotNull(0);
        fixed.setNull(1);
        fixed.setNotNull(2);
        fixed.setValueCount(3);
        acceptNested(type, fixed, List.of("[[1, 2]]", "[null]", "[[3, null]]"));
    }

    @Test
    public void nestedMistakesNameTheRowAndIgnoreWhatNobodySees()
    {
        RowType type = rowType(DataTypes.ROW(DataTypes.FIELD(1, "a", DataTypes.VARCHAR(1).notNull()), DataTypes.FIELD(2, "b", DataTypes.INT())));
        StructVector struct = StructVector.empty("c", allocator);
        VarCharVector child = struct.addOrGet("A", FieldType.nullable(ArrowType.Utf8.INSTANCE), VarCharVector.class);
        child.allocateNew(3);
        child.setSafe(0, new byte[]{'x'});
        // under a NULL: nobody's mistake
        child.setSafe(1, "long".getBytes(UTF_8));
        child.setSafe(2, "long".getBytes(UTF_8));
        struct.setValueCount(3);
        struct.setIndexDefined(0);
        struct.setNull(1);
        struct.setIndexDefined(2);
        try (VectorSchemaRoot client = root(3, struct)) {
            assertBadData(() -> normalize(type, client), "Table s.t, column c.a, row 2: 4 characters are too long");
            struct.setNull(2);
            try (VectorSchemaRoot normalized = normalize(type, client)) {
                ArrowRowView view = new ArrowRowView(normalized, type);
                assertThat(RandomRows.toObjects(view.setPosition(0), type).toString()).isEqualTo("[[x, null]]");
                assertThat(view.setPosition(2).isNullAt(0)).isTrue();
            }
            struct.setIndexDefined(1);
            child.setNull(1);
            assertBadData(() -> normalize(type, client), "Table s.t, column c.a, row 1: NULL in a NOT NULL column");
        }
    }

    @Test
    public void dictionaries()
    {
        RowType type = rowType(DataTypes.VARCHAR(3));
        DictionaryEncoding encoding = new DictionaryEncoding(1, false, new ArrowType.Int(32, true));
        try (VarCharVector values = new VarCharVector("values", allocator);
                IntVector indices = new IntVector("c", new FieldType(true, new ArrowType.Int(32, true), encoding), allocator)) {
            values.allocateNew(3);
            values.setSafe(0, "one".getBytes(UTF_8));
            values.setSafe(1, "too long, but not used".getBytes(UTF_8));
            values.setNull(2);
            values.setValueCount(3);
            fill(indices, 0, null, 2, 0);
            DictionaryProvider.MapDictionaryProvider provider = new DictionaryProvider.MapDictionaryProvider(new Dictionary(values, encoding));
            ArrowBatchNormalizer normalizer = new ArrowBatchNormalizer("s.t", type, List.of());
            VectorSchemaRoot client = root(4, indices);
            try (VectorSchemaRoot normalized = normalizer.normalize(client, provider, Set.of(), allocator)) {
                ArrowRowView view = new ArrowRowView(normalized, type);
                assertThat(view.setPosition(0).getString(0)).hasToString("one");
                assertThat(view.setPosition(1).isNullAt(0)).isTrue();
                assertThat(view.setPosition(2).isNullAt(0)).isTrue();
                assertThat(view.setPosition(3).getString(0)).hasToString("one");
            }
            indices.set(3, 1);
            assertBadData(() -> normalizer.normalize(client, provider, Set.of(), allocator), "column c, row 3: 22 characters are too long");
            indices.set(3, 3);
            assertBadData(() -> normalizer.normalize(client, provider, Set.of(), allocator), "column c, row 3: dictionary index 3 of 3");
            assertBadData(() -> normalizer.normalize(client, allocator), "dictionary 1 was not sent");
        }
    }

    @Test
    public void columnsByName()
    {
        RowType type = new RowType(List.of(new DataField(0, "id", DataTypes.BIGINT().notNull()), new DataField(1, "Name", DataTypes.STRING()),
                new DataField(2, "kind", DataTypes.INT(), null, "7")));
        try (VectorSchemaRoot client = root(2, ints("KIND", 1, null), ints("ID", 5, 6)); VectorSchemaRoot normalized = normalize(type, client)) {
            assertRows(normalized, type, List.of(GenericRow.of(5L, null, 1), GenericRow.of(6L, null, 7)));
        }
        try (VectorSchemaRoot client = root(1, ints("id", 5)); VectorSchemaRoot normalized = normalize(type, client)) {
            assertRows(normalized, type, List.of(GenericRow.of(5L, null, 7)));
        }
        try (VectorSchemaRoot client = root(1, ints("id", 5), ints("_row_kind", 1));
                VectorSchemaRoot normalized = new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client,
                        new DictionaryProvider.MapDictionaryProvider(),
                        Set.of("_row_kind"), allocator)) {
            assertThat(normalized.getRowCount()).isEqualTo(1);
        }
        refuse(type, root(1, ints("kind", 1)), "Table s.t, column id: a NOT NULL column is missing");
        refuse(type, root(1, ints("id", 1), ints("other", 1)), "Table s.t, column other: the table has no such column");
        refuse(type, root(1, ints("id", 1), ints("ID", 1)), "Table s.t, column ID: the column was sent twice");
        refuse(type, root(2, ints("id", 1, null)), "Table s.t, column id, row 1: NULL in a NOT NULL column");
        try (VectorSchemaRoot client = root(1, ints("id", 1), ints("kind", (Integer) null))) {
            assertBadData(() -> new ArrowBatchNormalizer("s.t", type, List.of("kind")).normalize(client, allocator), "column kind, row 0: NULL");
        }
    }

    @Test
    public void nullEntriesOfMapsAreRefused()
    {
        RowType type = rowType(DataTypes.MAP(DataTypes.INT(), DataTypes.INT()));
        MapVector map = MapVector.empty("c", allocator, false);
        UnionMapWriter writer = map.getWriter();
        writer.allocate();
        for (int i = 0; i < 3; i++) {
            writer.setPosition(i);
            writer.startMap();
            writer.startEntry();
            writer.key().integer().writeInt(i);
            writer.value().integer().writeInt(10 * i);
            writer.endEntry();
            writer.endMap();
        }
        map.setValueCount(3);
        StructVector entries = (StructVector) map.getDataVector();
        try (VectorSchemaRoot client = root(3, map)) {
            entries.setNull(1);
            entries.getChildrenFromFields().getFirst().setNull(1);
            assertBadData(() -> normalize(type, client), "Table s.t, column c, row 1: an entry of a map is NULL");
            // under a NULL: nobody's mistake
            BitVectorHelper.unsetBit(map.getValidityBuffer(), 1);
            try (VectorSchemaRoot normalized = normalize(type, client)) {
                ArrowRowView view = new ArrowRowView(normalized, type);
                assertThat(view.setPosition(1).isNullAt(0)).isTrue();
                assertThat(RandomRows.toObjects(view.setPosition(2), type).toString()).isEqualTo("[{2=20}]");
            }
        }
    }

    @Test
    public void nullVectorsAndDamagedOffsets()
    {
        RowType type = rowType(DataTypes.STRING());
        try (VectorSchemaRoot client = root(3, new NullVector("c", 3)); VectorSchemaRoot normalized = normalize(type, client)) {
            assertThat(normalized.getVector(0).getNullCount()).isEqualTo(3);
        }
        VarCharVector strings = new VarCharVector("c", allocator);
        strings.allocateNew(2);
        strings.setSafe(0, new byte[]{'a'});
        strings.setSafe(1, new byte[]{'b'});
        strings.setValueCount(2);
        try (VectorSchemaRoot client = root(2, strings)) {
            strings.getOffsetBuffer().setInt(4, 1_000_000);
            assertBadData(() -> normalize(type, client), "offsets are damaged");
            strings.getOffsetBuffer().setInt(4, -5);
            assertBadData(() -> normalize(type, client), "offsets are damaged");
            strings.getOffsetBuffer().setInt(4, 1);
            strings.getOffsetBuffer().setInt(8, 1_000_000);
            assertBadData(() -> normalize(type, client), "offsets are damaged");
        }
    }

    private VectorSchemaRoot normalize(RowType type, VectorSchemaRoot client)
    {
        return new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client, allocator);
    }

    private <V extends FieldVector> void accept(DataType type, V vector, BiConsumer<V, Integer> write, String expected)
    {
        RowType rowType = rowType(type);
        try (VectorSchemaRoot client = filled(vector, write); VectorSchemaRoot normalized = normalize(rowType, client)) {
            assertThat(normalized.getSchema()).isEqualTo(ArrowSchemas.toArrowSchema(rowType));
            ArrowRowView view = new ArrowRowView(normalized, rowType);
            assertThat(view.setPosition(0).isNullAt(0)).isTrue();
            assertThat(RandomRows.toObjects(view.setPosition(1), rowType)).as("%s from %s", type, vector.getField()).isEqualTo(List.of(expected));
        }
    }

    private <V extends FieldVector> void refuse(DataType type, V vector, BiConsumer<V, Integer> write, String message, boolean ofOneRow)
    {
        try (VectorSchemaRoot client = filled(vector, write)) {
            assertBadData(() -> normalize(rowType(type), client), "Table s.t, column c" + (ofOneRow ? ", row 1: " : ": "), message);
        }
    }

    private void refuse(RowType type, VectorSchemaRoot client, String message)
    {
        try (client) {
            assertBadData(() -> normalize(type, client), message);
        }
    }

    private void acceptNested(DataType type, FieldVector vector, List<String> expected)
    {
        RowType rowType = rowType(type);
        try (VectorSchemaRoot client = root(expected.size(), vector); VectorSchemaRoot normalized = normalize(rowType, client)) {
            ArrowRowView view = new ArrowRowView(normalized, rowType);
            List<String> rows = new ArrayList<>();
            for (int i = 0; i < normalized.getRowCount(); i++) {
                rows.add(RandomRows.toObjects(view.setPosition(i), rowType).toString());
            }
            assertThat(rows).as(vector.getField().toString()).isEqualTo(expected);
        }
    }

    /** NULL, then a value. */
    private static <V extends FieldVector> VectorSchemaRoot filled(V vector, BiConsumer<V, Integer> write)
    {
        switch (vector) {
            case BaseFixedWidthVector fixed -> fixed.allocateNew(2);
            case BaseVariableWidthVector variable -> variable.allocateNew(2);
            case BaseLargeVariableWidthVector variable -> variable.allocateNew(2);
            case BaseVariableWidthViewVector views -> views.allocateNew(2);
            default -> vector.allocateNew();
        }
        vector.setNull(0);
        write.accept(vector, 1);
        vector.setValueCount(2);
        return root(2, vector);
    }

    private static VectorSchemaRoot root(int rows, FieldVector... vectors)
    {
        return new VectorSchemaRoot(List.of(vectors).stream().map(ValueVector::getField).toList(), List.of(vectors), rows);
    }

    private IntVector ints(String name, Integer... values)
    {
        IntVector vector = new IntVector(name, allocator);
        fill(vector, values);
        return vector;
    }

    private static void fill(FieldVector vector, Integer... values)
    {
        IntVector ints = (IntVector) vector;
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
                ints.setNull(i);
            }
            else {
                ints.setSafe(i, values[i]);
            }
        }
        ints.setValueCount(values.length);
    }

    private static RowType rowType(DataType type)
    {
        return new RowType(List.of(new DataField(0, "c", type)));
    }

    private void assertBadData(Runnable call, String... messages)
    {
        long before = allocator.getAllocatedMemory();
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(RealtimeException.Code.BAD_DATA))
                .hasMessageContainingAll(messages);
        assertThat(allocator.getAllocatedMemory()).isEqualTo(before);
    }

    private static void assertRows(VectorSchemaRoot root, RowType type, List<? extends InternalRow> expected)
    {
        assertThat(root.getRowCount()).isEqualTo(expected.size());
        ArrowRowView view = new ArrowRowView(root, type);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(RandomRows.toObjects(view.setPosition(i), type)).as("row %s", i).isEqualTo(RandomRows.toObjects(expected.get(i), type));
        }
    }
}
