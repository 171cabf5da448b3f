package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut.TableCutInfo;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * An immutable state of one table: which rows are visible, and the views that hold them. Counted: made with one holder, its memory is given up when the last one lets go.
 */
public final class TableCut
{
    private final String lineage;
    private final long epoch;
    private final long committedSnapshot;
    private final Map<PartitionBucket, BucketCut> buckets;
    private final AtomicInteger holders = new AtomicInteger(1);

    TableCut(String lineage, long epoch, long committedSnapshot, Map<PartitionBucket, BucketCut> buckets)
    {
        this.lineage = requireNonNull(lineage, "lineage is null");
        this.epoch = epoch;
        this.committedSnapshot = committedSnapshot;
        this.buckets = Map.copyOf(buckets);
    }

    /**
     * @param committed D: end of what {@code committedSnapshot} holds
     * @param upper U: end of what is visible
     * @param views one per schema generation, in offset order
     */
    record BucketCut(long committed, long upper, List<SharedView> views)
    {
        BucketCut
        {
            views = List.copyOf(views);
            if (committed > upper) {
                throw new IllegalArgumentException("Committed offset %s is above the upper one %s".formatted(committed, upper));
            }
        }
    }

    public String lineage()
    {
        return lineage;
    }

    /** Newest own snapshot L, -1 if none. */
    public long committedSnapshot()
    {
        return committedSnapshot;
    }

    /** Plain data of the cut. */
    public TableCutInfo info()
    {
        return new TableCutInfo(lineage, epoch, committedSnapshot, bucketCount(), buckets.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> new OffsetRange(entry.getValue().committed(), entry.getValue().upper()))),
                buckets.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
                        entry -> entry.getValue().views().stream().flatMap(view -> view.view().segments().stream()).toList())));
    }

    /** Number of buckets by which all rows in memory were routed; empty if there are none, or several were in use. */
    private OptionalInt bucketCount()
    {
        int[] counts = buckets.values().stream().flatMap(bucket -> bucket.views().stream()).mapToInt(SharedView::buckets).distinct().limit(2)
                .toArray();
        return counts.length == 1 ? OptionalInt.of(counts[0]) : OptionalInt.empty();
    }

    /** Whether all rows of the partition-bucket were routed by this number of buckets: after a rescale some may not have been. */
    public boolean isRoutedBy(PartitionBucket bucket, int count)
    {
        BucketCut cut = buckets.get(bucket);
        return cut == null || cut.views().stream().allMatch(view -> view.buckets() == count);
    }

    /**
     * Opens readers over one partition-bucket of the cut, which the caller holds meanwhile; the readers hold their memory themselves.
     *
     * @throws RealtimeException INVALID_ARGUMENT if the request goes beyond the cut
     */
    public List<MemBatchReader> read(PartitionBucket bucket, MemReadRequest request, MemQueryContext context)
    {
        BucketCut cut = buckets.get(bucket);
        if (cut == null) {
            return List.of();
        }
        if (request.offsets().end() > cut.upper()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Offsets %s are above the cut's %s".formatted(request.offsets(), cut.upper()));
        }
        List<MemBatchReader> readers = new ArrayList<>();
        try {
            for (SharedView view : cut.views()) {
                readers.addAll(view.indexer().createQueryReaders(view.view(), request, context));
            }
            return readers;
        }
        catch (RuntimeException e) {
            readers.forEach(MemBatchReader::close);
            throw e;
        }
    }

    void retain()
    {
        if (holders.getAndIncrement() <= 0) {
            throw new IllegalStateException("The cut is already given up");
        }
    }

    /** Lets go; the last one releases the views. */
    public void release()
    {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("The cut was released too often");
        }
        if (left == 0) {
            buckets.values().forEach(bucket -> bucket.views().forEach(SharedView::release));
        }
    }
}
