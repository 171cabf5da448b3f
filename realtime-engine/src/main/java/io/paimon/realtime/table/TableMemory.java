package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Verify;
import com.google.common.collect.Iterables;
import com.google.common.collect.Sets;
import io.airlift.log.Logger;
import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemIndexerOptions;
import io.paimon.realtime.memory.RealtimeSegmentHandle;
import io.paimon.realtime.memory.RealtimeWriteBatch;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.RowRouting.Route;
import io.paimon.realtime.table.TableCut.BucketCut;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.table.FileStoreTable;

/**
 * The rows of one table in memory, by partition-bucket and schema. Not thread-safe: every call is made under the table's append lock.
 */
final class TableMemory
{
    private static final Logger log = Logger.get(TableMemory.class);

    private final TableOptions options;
    private final Map<PartitionBucket, Bucket> buckets = new HashMap<>();

    TableMemory(TableOptions options)
    {
        this.options = requireNonNull(options, "options is null");
    }

    /** Rows of one partition-bucket: one generation for each schema that still has rows in memory. */
    private static final class Bucket
    {
        private final List<Generation> generations = new ArrayList<>();
        private List<SharedView> views = List.of();
        private long upper;
        private long oldestRowNanos = -1;

        private Bucket(long upper)
        {
            this.upper = upper;
        }

        private void renewViews()
        {
            List<SharedView> old = views;
            views = generations.stream().map(generation -> new SharedView(generation.indexer, generation.table.coreOptions().bucket())).toList();
            old.forEach(SharedView::release);
        }
    }

    /** Rows written under one schema. */
    private static final class Generation
    {
        private final FileStoreTable table;
        private final MemIndexer indexer;
        private final List<RealtimeSegmentHandle> sealed = new ArrayList<>();

        private Generation(FileStoreTable table, MemIndexer indexer)
        {
            this.table = table;
            this.indexer = indexer;
        }
    }

    /**
     * A sealed segment and what it takes to flush it.
     *
     * @param table the table at the schema the rows were written under
     */
    record SealedSegment(PartitionBucket bucket, FileStoreTable table, MemIndexer indexer, RealtimeSegmentHandle segment)
    {}

    /**
     * Writes rows at the next offsets of their buckets. No cut shows them yet; a failure leaves nothing.
     *
     * @param routes of each batch
     * @param starts first offset of each route, as {@link #assign} gave them
     */
    void write(FileStoreTable table, List<VectorSchemaRoot> batches, List<List<Route>> routes, Assignment assignment)
    {
        Map<PartitionBucket, Long> uppers = new HashMap<>();
        try {
            for (int i = 0; i < batches.size(); i++) {
                List<Route> routed = routes.get(i);
                for (int j = 0; j < routed.size(); j++) {
                    Route route = routed.get(j);
                    long start = assignment.starts().get(i)[j];
                    Bucket bucket = buckets.computeIfAbsent(route.bucket(), _ -> new Bucket(start));
                    uppers.putIfAbsent(route.bucket(), bucket.upper);
                    currentGeneration(table, bucket).indexer
                            .write(new RealtimeWriteBatch(batches.get(i), route.positions(), route.from(), route.rowCount(), start));
                }
            }
        }
        catch (Throwable t) {
            uppers.forEach((key, upper) -> discard(key, upper, t));
            throw t;
        }
        long now = System.nanoTime();
        assignment.ends().forEach((key, end) -> {
            Bucket bucket = buckets.get(key);
            bucket.upper = end;
            if (bucket.oldestRowNanos < 0) {
                bucket.oldestRowNanos = now;
            }
            bucket.renewViews();
        });
    }

    /** Takes back what a failed write left in a bucket, the bucket too if nothing else is in it. */
    private void discard(PartitionBucket key, long upper, Throwable failure)
    {
        Bucket bucket = buckets.get(key);
        try {
            if (!bucket.generations.isEmpty()) {
                Generation last = Iterables.getLast(bucket.generations);
                last.indexer.discardFrom(upper);
                if (last.indexer.segmentCount() == 0) {
                    last.indexer.close();
                    bucket.generations.removeLast();
                    bucket.renewViews();
                }
            }
        }
        catch (RuntimeException e) {
            // the other buckets must be taken back all the same
            failure.addSuppressed(e);
        }
        if (bucket.generations.isEmpty()) {
            bucket.views.forEach(SharedView::release);
            buckets.remove(key);
        }
    }

    /**
     * Offsets for rows that are about to be written.
     *
     * @param starts by batch and route the first offset
     * @param ends by bucket the offset after the last row
     */
    record Assignment(List<long[]> starts, Map<PartitionBucket, Long> ends)
    {}

    /**
     * Gives rows their offsets; changes nothing.
     *
     * @throws RealtimeException RESOURCE_EXHAUSTED when there are too many buckets
     */
    Assignment assign(List<List<Route>> routes, Progress committed)
    {
        Map<PartitionBucket, Long> ends = new LinkedHashMap<>();
        List<long[]> starts = new ArrayList<>(routes.size());
        for (List<Route> routed : routes) {
            long[] batchStarts = new long[routed.size()];
            for (int j = 0; j < batchStarts.length; j++) {
                Route route = routed.get(j);
                Long known = ends.get(route.bucket());
                long start = known == null ? upper(route.bucket(), committed) : known;
                if (route.rowCount() > OffsetRange.MAX_OFFSET - start) {
                    throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Table %s: offsets of a bucket are used up".formatted(options.name()));
                }
                batchStarts[j] = start;
                ends.put(route.bucket(), start + route.rowCount());
            }
            starts.add(batchStarts);
        }
        if (buckets.size() + Sets.difference(ends.keySet(), buckets.keySet()).size() > options.maxPartitionBuckets()) {
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED,
                    "Table %s: rows for more than %s partition-buckets in memory (paimon.realtime.max-partition-buckets); try again"
                            .formatted(options.name(), options.maxPartitionBuckets()));
        }
        return new Assignment(starts, ends);
    }

    private long upper(PartitionBucket key, Progress committed)
    {
        Bucket bucket = buckets.get(key);
        return bucket == null ? committed.offset(key) : bucket.upper;
    }

    private Generation currentGeneration(FileStoreTable table, Bucket bucket)
    {
        if (bucket.generations.isEmpty() || Iterables.getLast(bucket.generations).table.schema().id() != table.schema().id()) {
            bucket.generations.add(new Generation(table, options.indexers().create(new MemIndexerOptions(options.name(),
                    KeyedTables.memoryType(table), KeyedTables.primaryKey(table), bucket.upper, options.allocator(), table.options()))));
        }
        return Iterables.getLast(bucket.generations);
    }

    /** Seals what is being built. Returns everything that is sealed and not in the progress, in offset order within each bucket. */
    List<SealedSegment> seal(Progress base)
    {
        List<SealedSegment> segments = new ArrayList<>();
        buckets.forEach((key, bucket) -> {
            for (Generation generation : bucket.generations) {
                generation.indexer.sealForCommit().ifPresent(segment -> {
                    Verify.verify(segment.offsets().end() <= bucket.upper, "Table %s: segment %s reaches beyond the visible rows, which end at %s",
                            options.name(), segment.offsets(), bucket.upper);
                    generation.sealed.add(segment);
                });
                generation.sealed.stream()
                        .filter(segment -> segment.offsets().end() > base.offset(key))
                        .forEach(segment -> segments.add(new SealedSegment(key, generation.table, generation.indexer, segment)));
            }
        });
        return segments;
    }

    /** Upper offset of every bucket there is, in memory or in the progress. */
    Map<PartitionBucket, Long> uppers(Progress committed)
    {
        Map<PartitionBucket, Long> uppers = new HashMap<>(committed.offsets());
        buckets.forEach((key, bucket) -> uppers.put(key, bucket.upper));
        return uppers;
    }

    /** A new cut of what is visible, with one holder. */
    Map<PartitionBucket, BucketCut> cut(Progress committed)
    {
        Map<PartitionBucket, BucketCut> cut = new HashMap<>();
        buckets.forEach((key, bucket) -> {
            bucket.views.forEach(SharedView::retain);
            cut.put(key, new BucketCut(committed.offset(key), bucket.upper, bucket.views));
        });
        committed.offsets().forEach((key, end) -> cut.putIfAbsent(key, new BucketCut(end, end, List.of())));
        return cut;
    }

    /**
     * Gives up what the progress says is on disk. Offsets that went to disk without passing through memory are adopted. A bucket where this fails keeps its memory until the next time.
     *
     * @param table the table at its newest schema
     */
    void reclaim(Progress committed, FileStoreTable table)
    {
        buckets.forEach((key, bucket) -> {
            bucket.upper = Math.max(bucket.upper, committed.offset(key));
            try {
                reclaim(bucket, committed.offset(key), table);
            }
            catch (RuntimeException e) {
                log.warn(e, "Table %s: memory of bucket %s could not be given up", options.name(), key.bucket());
            }
            bucket.renewViews();
        });
    }

    private static void reclaim(Bucket bucket, long end, FileStoreTable table)
    {
        for (Generation generation : List.copyOf(bucket.generations)) {
            long last = generation.sealed.stream().filter(segment -> segment.offsets().end() <= end).mapToLong(segment -> segment.offsets().end())
                    .max().orElse(-1);
            if (last < 0) {
                continue;
            }
            generation.indexer.reclaim(last);
            generation.sealed.removeIf(segment -> segment.offsets().end() <= last);
            if (generation.indexer.segmentCount() == 0 && (generation.table.schema().id() != table.schema().id() || bucket.upper == end)) {
                generation.indexer.close();
                bucket.generations.remove(generation);
            }
        }
        bucket.oldestRowNanos = bucket.upper == end ? -1 : System.nanoTime();
    }

    /** Forgets buckets without rows; called once a cut without them is published. */
    void forgetEmpty()
    {
        buckets.values().removeIf(bucket -> bucket.generations.isEmpty());
    }

    long rowCount()
    {
        return buckets.values().stream().flatMap(bucket -> bucket.generations.stream()).mapToLong(generation -> generation.indexer.rowCount()).sum();
    }

    /** State of each bucket; pins are the service's to know. */
    List<BucketStatus> status(FileStoreTable table, Progress committed)
    {
        long now = System.nanoTime();
        List<BucketStatus> status = new ArrayList<>();
        buckets.forEach((key, bucket) -> status.add(new BucketStatus(
                RealtimeTables.describePartition(table, key.partition()), key.bucket(), committed.offset(key), bucket.upper,
                bucket.generations.stream().mapToLong(generation -> generation.indexer.rowCount()).sum(),
                bucket.generations.stream().mapToLong(generation -> generation.indexer.memoryBytes()).sum(),
                bucket.generations.stream().mapToInt(generation -> generation.indexer.segmentCount()).sum(),
                0,
                bucket.oldestRowNanos < 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(now - bucket.oldestRowNanos))));
        return status;
    }

    /** Gives everything up; cuts that are held elsewhere stay readable. */
    void close()
    {
        for (Bucket bucket : buckets.values()) {
            bucket.views.forEach(SharedView::release);
            bucket.generations.forEach(generation -> generation.indexer.close());
        }
        buckets.clear();
    }
}
