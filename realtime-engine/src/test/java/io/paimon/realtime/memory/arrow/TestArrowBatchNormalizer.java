package io.paimon.realtime.memory.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.RandomRows;
import java.util.List;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

/** Whole batches: who owns what, columns by name, dictionaries, damage. */
final class TestArrowBatchNormalizer extends NormalizerTestCase
{
    @Test
    void canonicalBatchesAreSharedAndStayTheCallers()
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
    void batchesOfAnotherRootAreCopied()
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
    void emptyBatches()
    {
        RowType type = RandomRows.ALL_TYPES;
        try (VectorSchemaRoot client = RandomRows.toArrow(type, List.of(), allocator);
                VectorSchemaRoot normalized = new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client, allocator)) {
            assertThat(normalized.getRowCount()).isZero();
        }
    }

    @Test
    void dictionaries()
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
            try (VectorSchemaRoot normalized = normalizer.normalize(client, provider, allocator)) {
                ArrowRowView view = new ArrowRowView(normalized, type);
                assertThat(view.setPosition(0).getString(0)).hasToString("one");
                assertThat(view.setPosition(1).isNullAt(0)).isTrue();
                assertThat(view.setPosition(2).isNullAt(0)).isTrue();
                assertThat(view.setPosition(3).getString(0)).hasToString("one");
            }
            indices.set(3, 1);
            assertBadData(() -> normalizer.normalize(client, provider, allocator), "column c, row 3: 22 characters are too long");
            indices.set(3, 3);
            assertBadData(() -> normalizer.normalize(client, provider, allocator), "column c, row 3: dictionary index 3 of 3");
            assertBadData(() -> normalizer.normalize(client, allocator), "dictionary 1 was not sent");
        }
    }

    @Test
    void columnsByName()
    {
        RowType type = new RowType(List.of(new DataField(0, "id", DataTypes.BIGINT().notNull()), new DataField(1, "Name", DataTypes.STRING()),
                new DataField(2, "kind", DataTypes.INT(), null, "7")));
        try (VectorSchemaRoot client = root(2, ints("KIND", 1, null), ints("ID", 5, 6)); VectorSchemaRoot normalized = normalize(type, client)) {
            assertRows(normalized, type, List.of(GenericRow.of(5L, null, 1), GenericRow.of(6L, null, 7)));
        }
        try (VectorSchemaRoot client = root(1, ints("id", 5)); VectorSchemaRoot normalized = normalize(type, client)) {
            assertRows(normalized, type, List.of(GenericRow.of(5L, null, 7)));
        }
        refuse(type, root(1, ints("id", 5), ints("_row_kind", 1)), "Table s.t, column _row_kind: rows of a table without a primary key have no kind");
        refuse(type, root(1, ints("kind", 1)), "Table s.t, column id: a NOT NULL column is missing");
        refuse(type, root(1, ints("id", 1), ints("other", 1)), "Table s.t, column other: the table has no such column");
        refuse(type, root(1, ints("id", 1), ints("ID", 1)), "Table s.t, column ID: the column was sent twice");
        refuse(type, root(2, ints("id", 1, null)), "Table s.t, column id, row 1: NULL in a NOT NULL column");
        try (VectorSchemaRoot client = root(1, ints("id", 1), ints("kind", (Integer) null))) {
            assertBadData(() -> new ArrowBatchNormalizer("s.t", type, List.of("kind")).normalize(client, allocator), "column kind, row 0: NULL");
        }
    }

    @Test
    void nullVectorsAndDamagedOffsets()
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
}
