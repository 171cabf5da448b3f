package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/** Random rows of five columns: a key, an int, a double, a text of at most ten characters, a timestamp. One tenth of the last four is NULL. */
final class BenchRows
{
    static final RowType ROW_TYPE = new RowType(ImmutableList.of(
            new DataField(0, "id", DataTypes.BIGINT().notNull()),
            new DataField(1, "number", DataTypes.INT()),
            new DataField(2, "amount", DataTypes.DOUBLE()),
            new DataField(3, "name", DataTypes.VARCHAR(10)),
            new DataField(4, "ts", DataTypes.TIMESTAMP(6))));

    private BenchRows()
    {}

    /** Batches of so many rows each; keys are random. */
    static List<List<InternalRow>> rows(int batches, int batchRows, long seed)
    {
        Random random = new Random(seed);
        List<List<InternalRow>> result = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            List<InternalRow> rows = new ArrayList<>(batchRows);
            for (int row = 0; row < batchRows; row++) {
                rows.add(GenericRow.of(
                        random.nextLong(),
                        random.nextInt(10) == 0 ? null : random.nextInt(),
                        random.nextInt(10) == 0 ? null : random.nextDouble(),
                        random.nextInt(10) == 0 ? null : text(random),
                        random.nextInt(10) == 0 ? null : Timestamp.fromMicros(1_700_000_000_000_000L + random.nextInt())));
            }
            result.add(rows);
        }
        return result;
    }

    private static BinaryString text(Random random)
    {
        byte[] bytes = new byte[random.nextInt(11)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ('a' + random.nextInt(26));
        }
        return BinaryString.fromBytes(bytes);
    }

    /** The same rows as Arrow vectors, as a client sends them. The caller closes them. */
    static VectorSchemaRoot vectors(List<InternalRow> rows, BufferAllocator allocator)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(ROW_TYPE, allocator)) {
            rows.forEach(writer::append);
            return writer.finish();
        }
    }
}
