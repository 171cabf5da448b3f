package io.paimon.realtime.memory.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.RandomRows;
import io.paimon.realtime.model.RealtimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;

/** Batches of clients made canonical, and nothing left of them afterwards. */
abstract class NormalizerTestCase
{
    final BufferAllocator allocator = ArrowMemory.newRootAllocator(1 << 30);

    @AfterEach
    void everythingIsFreed()
    {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    VectorSchemaRoot normalize(RowType type, VectorSchemaRoot client)
    {
        return new ArrowBatchNormalizer("s.t", type, List.of()).normalize(client, allocator);
    }

    <V extends FieldVector> void accept(DataType type, V vector, BiConsumer<V, Integer> write, String expected)
    {
        RowType rowType = rowType(type);
        try (VectorSchemaRoot client = filled(vector, write); VectorSchemaRoot normalized = normalize(rowType, client)) {
            assertThat(normalized.getSchema()).isEqualTo(ArrowSchemas.toArrowSchema(rowType));
            ArrowRowView view = new ArrowRowView(normalized, rowType);
            assertThat(view.setPosition(0).isNullAt(0)).isTrue();
            assertThat(RandomRows.toObjects(view.setPosition(1), rowType)).as("%s from %s", type, vector.getField()).isEqualTo(List.of(expected));
        }
    }

    <V extends FieldVector> void refuse(DataType type, V vector, BiConsumer<V, Integer> write, String message, boolean ofOneRow)
    {
        try (VectorSchemaRoot client = filled(vector, write)) {
            assertBadData(() -> normalize(rowType(type), client), "Table s.t, column c" + (ofOneRow ? ", row 1: " : ": "), message);
        }
    }

    void refuse(RowType type, VectorSchemaRoot client, String message)
    {
        try (client) {
            assertBadData(() -> normalize(type, client), message);
        }
    }

    void acceptNested(DataType type, FieldVector vector, List<String> expected)
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
    static <V extends FieldVector> VectorSchemaRoot filled(V vector, BiConsumer<V, Integer> write)
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

    static VectorSchemaRoot root(int rows, FieldVector... vectors)
    {
        return new VectorSchemaRoot(List.of(vectors).stream().map(ValueVector::getField).toList(), List.of(vectors), rows);
    }

    IntVector ints(String name, Integer... values)
    {
        IntVector vector = new IntVector(name, allocator);
        fill(vector, values);
        return vector;
    }

    static void fill(FieldVector vector, Integer... values)
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

    static RowType rowType(DataType type)
    {
        return new RowType(List.of(new DataField(0, "c", type)));
    }

    void assertBadData(Runnable call, String... messages)
    {
        long before = allocator.getAllocatedMemory();
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(RealtimeException.Code.BAD_DATA))
                .hasMessageContainingAll(messages);
        assertThat(allocator.getAllocatedMemory()).isEqualTo(before);
    }

    static void assertRows(VectorSchemaRoot root, RowType type, List<? extends InternalRow> expected)
    {
        assertThat(root.getRowCount()).isEqualTo(expected.size());
        ArrowRowView view = new ArrowRowView(root, type);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(RandomRows.toObjects(view.setPosition(i), type)).as("row %s", i).isEqualTo(RandomRows.toObjects(expected.get(i), type));
        }
    }
}
