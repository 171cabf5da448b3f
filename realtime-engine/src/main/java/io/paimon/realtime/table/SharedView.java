package io.paimon.realtime.table;

import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemReadView;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A view of one indexer that consecutive cuts share while its bucket is not written. Made with one holder.
 */
final class SharedView
{
    private final MemIndexer indexer;
    private final int buckets;
    private final MemReadView view;
    private final AtomicInteger holders = new AtomicInteger(1);

    /**
     * @param buckets number of buckets by which the rows were routed
     */
    SharedView(MemIndexer indexer, int buckets)
    {
        this.indexer = indexer;
        this.buckets = buckets;
        this.view = indexer.acquireReadView();
    }

    int buckets()
    {
        return buckets;
    }

    MemIndexer indexer()
    {
        return indexer;
    }

    MemReadView view()
    {
        return view;
    }

    void retain()
    {
        if (holders.getAndIncrement() <= 0) {
            throw new IllegalStateException("The view is already closed");
        }
    }

    void release()
    {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("The view was released too often");
        }
        if (left == 0) {
            view.close();
        }
    }
}
