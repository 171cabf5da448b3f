package io.paimon.realtime.testing;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.MemIndexerOptions;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.MemReadView;
import io.paimon.realtime.memory.RealtimeSegmentHandle;
import io.paimon.realtime.memory.RealtimeWriteBatch;
import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The default memory, some of whose calls fail when the test says so, and which counts its open readers.
 */
public final class FaultyIndexers implements MemIndexerFactory
{
    private final MemIndexerFactory indexers = new ArrowMemIndexerFactory();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger openReaders = new AtomicInteger();
    private volatile int failingReaders = -1;
    private volatile int failingReclaim = -1;
    private volatile boolean losingRows;

    /** The indexer made as the n-th one, from 0, cannot be read; -1 for none. */
    public void failReadersOf(int indexer)
    {
        failingReaders = indexer;
    }

    /** The indexer made as the n-th one, from 0, cannot give up memory; -1 for none. */
    public void failReclaimOf(int indexer)
    {
        failingReclaim = indexer;
    }

    /** Whether readers for commits leave out the first batch. */
    public void loseRows(boolean lose)
    {
        losingRows = lose;
    }

    /** Readers that are not closed. */
    public int openReaders()
    {
        return openReaders.get();
    }

    @Override
    public String name()
    {
        return "faulty";
    }

    @Override
    public MemIndexer create(MemIndexerOptions options)
    {
        return new Indexer(indexers.create(options), made.getAndIncrement());
    }

    private MemBatchReader watch(MemBatchReader reader)
    {
        openReaders.incrementAndGet();
        return new MemBatchReader() {
            @Override
            public Optional<MemBatch> next()
            {
                return reader.next();
            }

            @Override
            public void close()
            {
                openReaders.decrementAndGet();
                reader.close();
            }
        };
    }

    private final class Indexer implements MemIndexer
    {
        private final MemIndexer indexer;
        private final int number;

        private Indexer(MemIndexer indexer, int number)
        {
            this.indexer = indexer;
            this.number = number;
        }

        @Override
        public void write(RealtimeWriteBatch batch)
        {
            indexer.write(batch);
        }

        @Override
        public void discardFrom(long offset)
        {
            indexer.discardFrom(offset);
        }

        @Override
        public Optional<RealtimeSegmentHandle> sealForCommit()
        {
            return indexer.sealForCommit();
        }

        @Override
        public MemReadView acquireReadView()
        {
            return indexer.acquireReadView();
        }

        @Override
        public List<MemBatchReader> createQueryReaders(MemReadView view, MemReadRequest request, MemQueryContext context)
        {
            if (number == failingReaders) {
                throw new IllegalStateException("injected fault: readers of indexer " + number);
            }
            return indexer.createQueryReaders(view, request, context).stream().map(FaultyIndexers.this::watch).toList();
        }

        @Override
        public List<MemBatchReader> createCommitReaders(RealtimeSegmentHandle segment)
        {
            List<MemBatchReader> readers = indexer.createCommitReaders(segment);
            if (losingRows) {
                readers.getFirst().next().ifPresent(MemBatch::close);
            }
            return readers.stream().map(FaultyIndexers.this::watch).toList();
        }

        @Override
        public void reclaim(long committedOffset)
        {
            if (number == failingReclaim) {
                throw new IllegalStateException("injected fault: reclaim of indexer " + number);
            }
            indexer.reclaim(committedOffset);
        }

        @Override
        public long memoryBytes()
        {
            return indexer.memoryBytes();
        }

        @Override
        public long rowCount()
        {
            return indexer.rowCount();
        }

        @Override
        public int segmentCount()
        {
            return indexer.segmentCount();
        }

        @Override
        public void close()
        {
            indexer.close();
        }
    }
}
