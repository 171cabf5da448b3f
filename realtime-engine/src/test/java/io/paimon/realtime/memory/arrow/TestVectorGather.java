package io.paimon.realtime.memory.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.RandomRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

public class TestVectorGather
{
    private static final RowType TYPE = RandomRows.ALL_TYPES;
    private static final List<Field> FIELDS = ArrowSchemas.toArrowSchema(TYPE).getFields();

    private final BufferAllocator allocator = ArrowMemory.newRootAllocator(1 << 30);

    @AfterEach
    public void everythingIsFreed()
    {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    @Test
    public void joinsAnySelectionsOfAnyTypes()
    {
        long seed = RandomRows.newSeed();
        Random random = new Random(seed);
        RandomRows randomRows = new RandomRows(seed);
        for (int round = 0; round < 60; round++) {
            List<VectorSchemaRoot> roots = new ArrayList<>();
            List<Positions> positions = new ArrayList<>();
            List<InternalRow> expected = new ArrayList<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                List<InternalRow> rows = randomRows.rows(TYPE, random.nextInt(150));
                roots.add(RandomRows.toArrow(TYPE, rows, allocator));
                int from = random.nextInt(rows.size() + 1);
                Positions range = Positions.range(from, random.nextInt(rows.size() - from + 1));
                Positions chosen = random.nextBoolean()
                        ? range
                        : new Positions(random.ints(0, Math.max(1, rows.size())).limit(200).sorted().toArray(),
                                random.nextInt(50), rows.isEmpty() ? 0 : random.nextInt(150));
                positions.add(chosen);
                for (int k = 0; k < chosen.count(); k++) {
                    expected.add(rows.get(chosen.get(k)));
                }
            }
            List<FieldVector> columns = new ArrayList<>();
            for (int i = 0; i < FIELDS.size(); i++) {
                int column = i;
                columns.add(VectorGather.gather(FIELDS.get(i), roots.stream().map(root -> root.getVector(column)).toList(), positions, allocator));
            }
            roots.forEach(VectorSchemaRoot::close);
            assertRows(columns, expected, seed);
            columns.forEach(FieldVector::close);
        }
    }

    @Test
    public void negativePositionsGiveNull()
    {
        List<InternalRow> rows = new RandomRows(7).rows(TYPE, 10);
        try (VectorSchemaRoot root = RandomRows.toArrow(TYPE, rows, allocator)) {
            for (int i = 1; i < FIELDS.size(); i++) {
                try (FieldVector vector = VectorGather.gatherNullable(FIELDS.get(i), root.getVector(i), new int[]{3, -1, 5}, allocator)) {
                    assertThat(vector.getValueCount()).isEqualTo(3);
                    assertThat(vector.isNull(0)).isEqualTo(rows.get(3).isNullAt(i));
                    assertThat(vector.isNull(1)).isTrue();
                    assertThat(vector.isNull(2)).isEqualTo(rows.get(5).isNullAt(i));
                }
            }
        }
    }

    @Test
    public void nullsOfEveryType()
    {
        for (Field field : FIELDS) {
            for (int count : new int[]{0, 1, 100}) {
                try (FieldVector vector = VectorGather.nulls(field, count, allocator)) {
                    assertThat(vector.getValueCount()).isEqualTo(count);
                    assertThat(vector.getNullCount()).isEqualTo(count);
                }
            }
        }
    }

    private static void assertRows(List<FieldVector> columns, List<InternalRow> expected, long seed)
    {
        ArrowRowView view = new ArrowRowView(columns, TYPE);
        columns.forEach(column -> assertThat(column.getValueCount()).isEqualTo(expected.size()));
        for (int i = 0; i < expected.size(); i++) {
            assertThat(RandomRows.toObjects(view.setPosition(i), TYPE)).as("seed %s, row %s", seed, i)
                    .isEqualTo(RandomRows.toObjects(expected.get(i), TYPE));
        }
    }
}
