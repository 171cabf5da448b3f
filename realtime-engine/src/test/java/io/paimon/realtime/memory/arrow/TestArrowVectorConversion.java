package io.paimon.realtime.memory.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.RandomRows;
import java.math.BigDecimal;
import java.util.List;
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
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

/** Which vectors a column of each type takes, and what is said about the others. */
final class TestArrowVectorConversion extends NormalizerTestCase
{
    @Test
    void flatShapes()
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
    void flatMistakes()
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
    void lists()
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
    void nestedMistakesNameTheRowAndIgnoreWhatNobodySees()
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
    void nullEntriesOfMapsAreRefused()
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
}
