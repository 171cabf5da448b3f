package io.paimon.realtime.table;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.RowRouting.Route;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.types.RowType;

/**
 * The column {@value RealtimeTables#OFFSET_COLUMN}, which tables may have and only the writer fills: the offset of each row in its partition-bucket.
 */
public final class OffsetColumn
{
    private OffsetColumn()
    {}

    /**
     * Refuses rows that bring offsets of their own.
     *
     * @param rows in the canonical form of {@code schema}
     * @throws RealtimeException BAD_DATA
     */
    public static void check(String table, RowType schema, VectorSchemaRoot rows)
    {
        int column = RealtimeTables.offsetColumn(schema);
        if (column < 0) {
            return;
        }
        FieldVector vector = rows.getVector(column);
        for (int i = 0; i < rows.getRowCount(); i++) {
            if (!vector.isNull(i)) {
                throw new RealtimeException(Code.BAD_DATA, "Table %s, column %s, row %s: the writer fills this column; leave it out or send NULL"
                        .formatted(table, RealtimeTables.OFFSET_COLUMN, i));
            }
        }
    }

    /**
     * The same rows with their offsets: a root that shares all other vectors. The caller closes the one at {@code column}, and nothing else of it.
     *
     * @param routes of the rows
     * @param starts first offset of each route
     */
    static VectorSchemaRoot fill(VectorSchemaRoot rows, int column, List<Route> routes, long[] starts, BufferAllocator allocator)
    {
        BigIntVector offsets = new BigIntVector(rows.getVector(column).getField(), allocator);
        try {
            offsets.allocateNew(rows.getRowCount());
            for (int j = 0; j < starts.length; j++) {
                Route route = routes.get(j);
                for (int i = 0; i < route.rowCount(); i++) {
                    offsets.set(route.positions() == null ? route.from() + i : route.positions()[route.from() + i], starts[j] + i);
                }
            }
            offsets.setValueCount(rows.getRowCount());
            List<FieldVector> vectors = new ArrayList<>(rows.getFieldVectors());
            vectors.set(column, offsets);
            return new VectorSchemaRoot(rows.getSchema().getFields(), vectors, rows.getRowCount());
        }
        catch (RuntimeException e) {
            offsets.close();
            throw e;
        }
    }
}
