package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.KeyOrder;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import java.util.Optional;
import org.apache.paimon.data.InternalRow;

/** The rows of one chunk in the order of their keys, as one batch. Holds the chunk until it is read. */
final class ChunkKeyReader implements MemBatchReader
{
    private final QueryPlan plan;
    private final KeyColumns key;
    private final KeyOrder order;
    private Chunk chunk;

    /** Takes over one hold on the chunk. */
    ChunkKeyReader(Chunk chunk, QueryPlan plan, KeyColumns key, KeyOrder order)
    {
        this.chunk = chunk;
        this.plan = plan;
        this.key = key;
        this.order = order;
    }

    @Override
    public synchronized Optional<MemBatch> next()
    {
        if (chunk == null) {
            return Optional.empty();
        }
        try {
            return plan.read(chunk, this::inOrder);
        }
        finally {
            close();
        }
    }

    /** Those of the rows that are wanted, in the order of their keys. */
    private Positions inOrder(Chunk rows, Positions wanted)
    {
        if (wanted.count() == 0) {
            return wanted;
        }
        KeyColumns.Keys keys = key.keys(rows.columns());
        int[] sorted = rows.keyOrder();
        int start = order.range().from().map(from -> firstNotBelow(sorted, keys, from)).orElse(0);
        int end = order.range().to().map(to -> firstNotBelow(sorted, keys, to)).orElse(sorted.length);
        boolean[] chosen = null;
        if (wanted.count() < rows.rowCount()) {
            chosen = new boolean[rows.rowCount()];
            for (int i = 0; i < wanted.count(); i++) {
                chosen[wanted.get(i)] = true;
            }
        }
        int[] result = new int[Math.max(0, end - start)];
        int count = 0;
        for (int i = start; i < end; i++) {
            int position = sorted[i];
            if (chosen != null && !chosen[position]) {
                continue;
            }
            if (order.newestOnly() && count > 0 && keys.compare(result[count - 1], position) == 0) {
                count--;
            }
            result[count++] = position;
        }
        return new Positions(result, 0, count);
    }

    private static int firstNotBelow(int[] sorted, KeyColumns.Keys keys, InternalRow bound)
    {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (keys.compare(sorted[middle], bound) < 0) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public synchronized void close()
    {
        if (chunk != null) {
            chunk.release();
            chunk = null;
        }
    }
}
