package io.paimon.realtime.trino.read;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import com.google.common.collect.ImmutableList;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.paimon.BucketPruning;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.scan.ReadPoints;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.file.DataFiles;
import io.paimon.realtime.trino.file.FileParts;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonSplit;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.RealtimeSplit;
import io.paimon.realtime.trino.handle.RealtimeTicket;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.paimon.realtime.trino.predicate.PartitionFilter;
import io.trino.spi.SplitWeight;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_READ_ERROR;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.lang.Math.ceilDiv;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

/**
 * Splits of one scan, planned when the engine asks for the first of them, so that dynamic filters may have arrived by then.
 */
class PaimonSplitSource implements ConnectorSplitSource
{
    private static final double MINIMUM_WEIGHT = 0.05;
    /** Rows in memory that one thread reads faster than it takes to give them to two. */
    private static final long MIN_MEMORY_SPLIT_ROWS = 131_072;

    private final Table table;
    private final PaimonTableHandle handle;
    private final long maxSplitSize;
    private final int memorySplitTarget;
    private final long dynamicFilterWaitMillis;
    private final Optional<PartitionFilter> partitionFilter;

    private Iterator<FileParts.Part> splits;
    /** Rows that splits handed out are known to hold. */
    private long rows;
    private boolean finished;
    private final AtomicLong memorySplits = new AtomicLong();
    private final AtomicLong memorySplitsPruned = new AtomicLong();
    private final AtomicLong diskSplits = new AtomicLong();

    /**
     * @param memorySplitTarget into about how many splits many rows in memory are cut: every one more costs the engine a driver and its share of the caches
     */
    PaimonSplitSource(Table table, PaimonTableHandle handle, long maxSplitSize, int memorySplitTarget, long dynamicFilterWaitMillis)
    {
        this.table = requireNonNull(table, "table is null");
        this.handle = requireNonNull(handle, "handle is null");
        this.maxSplitSize = maxSplitSize;
        this.memorySplitTarget = memorySplitTarget;
        this.dynamicFilterWaitMillis = dynamicFilterWaitMillis;
        this.partitionFilter = handle.enforced().isAll() || !(table instanceof FileStoreTable fileStoreTable)
                ? Optional.empty()
                : Optional.of(new PartitionFilter(fileStoreTable.schema().logicalPartitionType(), handle.enforced()));
    }

    @Override
    public CompletableFuture<List<ConnectorSplit>> getNextBatch(int maxSize, DynamicFilterSnapshot dynamicFilter)
    {
        TupleDomain<PaimonColumnHandle> dynamicPredicate = dynamicFilter.currentPredicate().transformKeys(PaimonColumnHandle.class::cast);
        if (dynamicPredicate.isNone()) {
            finished = true;
            return completedFuture(ImmutableList.of());
        }
        Optional<PartitionFilter> dynamicPartitionFilter = dynamicPredicate.isAll() || !(table instanceof FileStoreTable fileStoreTable)
                ? Optional.empty()
                : Optional.of(new PartitionFilter(fileStoreTable.schema().logicalPartitionType(), dynamicPredicate));
        ImmutableList.Builder<ConnectorSplit> batch = ImmutableList.builder();
        if (splits == null) {
            List<Split> files;
            if (handle.realtime().isPresent() && KeyedTables.isKeyed((FileStoreTable) table)) {
                KeyedSplits planned = planKeyed(dynamicPredicate, memoryRanges(dynamicPredicate, dynamicPartitionFilter));
                files = planned.diskOnly();
                // how many rows are left of them nobody knows
                batch.addAll(planned.merged());
                memorySplits.addAndGet(planned.merged().size());
            }
            else {
                files = plan(dynamicPredicate);
                for (RealtimeSplit split : memorySplits(memoryRanges(dynamicPredicate, dynamicPartitionFilter))) {
                    batch.add(split);
                    // nothing is merged, so that all of them count
                    rows += split.end() - split.start();
                }
            }
            splits = files.stream().flatMap(split -> divide(split).stream()).iterator();
        }
        int size = 0;
        while (size < maxSize && splits.hasNext() && !isLimitReached()) {
            FileParts.Part part = splits.next();
            Split split = part.split();
            if (split instanceof DataSplit dataSplit) {
                if (!matches(partitionFilter, dataSplit.partition()) || !matches(dynamicPartitionFilter, dataSplit.partition())) {
                    continue;
                }
            }
            else if (partitionFilter.isPresent()) {
                throw new TrinoException(NOT_SUPPORTED, "Filters on partition columns of %s are not supported: its splits are of kind %s"
                        .formatted(handle.name(), split.getClass().getSimpleName()));
            }
            // what a split yields is known only where nothing is merged, and counts only where nothing is filtered afterwards
            rows += part.rows().orElse(0);
            batch.add(PaimonSplit.of(split, part.range(), DataFiles.isLocalTimeUtc(), weight(part)));
            diskSplits.incrementAndGet();
            size++;
        }
        finished = !splits.hasNext() || isLimitReached();
        return completedFuture(batch.build());
    }

    private boolean isLimitReached()
    {
        return handle.limit().isPresent() && handle.unenforced().isAll() && rows >= handle.limit().getAsLong();
    }

    private static boolean matches(Optional<PartitionFilter> filter, BinaryRow partition)
    {
        return filter.isEmpty() || filter.get().matches(partition);
    }

    /** What of memory may hold rows that match. */
    private List<RealtimeTicket.Range> memoryRanges(TupleDomain<PaimonColumnHandle> dynamicPredicate,
            Optional<PartitionFilter> dynamicPartitionFilter)
    {
        if (handle.realtime().isEmpty()) {
            return ImmutableList.of();
        }
        TupleDomain<PaimonColumnHandle> filter = handle.enforced().intersect(handle.unenforced()).intersect(dynamicPredicate);
        if (filter.isNone()) {
            return ImmutableList.of();
        }
        FileStoreTable data = (FileStoreTable) table;
        Optional<BucketPruning> buckets = PaimonPredicates.toPaimon(data.rowType(), filter).map(predicate -> new BucketPruning(data, predicate));
        RealtimeTicket ticket = handle.realtime().get();
        // rows in memory may still lie in the buckets of before a rescale
        boolean prunesBuckets = buckets.isPresent() && ticket.bucketCount().equals(OptionalInt.of(data.coreOptions().bucket()));
        List<RealtimeTicket.Range> kept = new ArrayList<>();
        for (RealtimeTicket.Range range : ticket.ranges()) {
            PartitionBucket bucket = range.partitionBucket();
            if (matches(partitionFilter, bucket.partition()) && matches(dynamicPartitionFilter, bucket.partition())
                    && (!prunesBuckets || buckets.get().mayMatchBucket(bucket))) {
                kept.add(range);
            }
            else {
                memorySplitsPruned.incrementAndGet();
            }
        }
        return kept;
    }

    private List<RealtimeSplit> memorySplits(List<RealtimeTicket.Range> ranges)
    {
        if (ranges.isEmpty()) {
            return ImmutableList.of();
        }
        RealtimeTicket ticket = handle.realtime().orElseThrow();
        List<RealtimeSplit> kept = ranges.stream()
                .map(range -> new RealtimeSplit(ticket.address(), ticket.incarnation(), ticket.queryId(), handle.snapshotId(), range.partition(),
                        range.bucket(), range.start(), range.end()))
                .toList();
        long memoryRows = kept.stream().mapToLong(split -> split.offsets().rows()).sum();
        long splitRows = Math.max(MIN_MEMORY_SPLIT_ROWS, ceilDiv(memoryRows, memorySplitTarget));
        List<RealtimeSplit> pieces = kept.stream().flatMap(split -> split.divide(splitRows).stream()).toList();
        memorySplits.addAndGet(pieces.size());
        return pieces;
    }

    private List<Split> plan(TupleDomain<PaimonColumnHandle> dynamicPredicate)
    {
        if (handle.realtime().isPresent() && handle.snapshotId().isEmpty()) {
            return ImmutableList.of();
        }
        TupleDomain<PaimonColumnHandle> filter = handle.enforced().intersect(handle.unenforced()).intersect(dynamicPredicate);
        if (filter.isNone()) {
            return ImmutableList.of();
        }
        ReadBuilder readBuilder = table.newReadBuilder();
        if (handle.kind() == PaimonTableHandle.Kind.DATA) {
            PaimonPredicates.toPaimon(table.rowType(), filter).ifPresent(readBuilder::withFilter);
        }
        return planned(() -> readBuilder.newScan().plan().splits());
    }

    private KeyedSplits planKeyed(TupleDomain<PaimonColumnHandle> dynamicPredicate, List<RealtimeTicket.Range> memory)
    {
        TupleDomain<PaimonColumnHandle> filter = handle.enforced().intersect(handle.unenforced()).intersect(dynamicPredicate);
        if (filter.isNone()) {
            return new KeyedSplits(ImmutableList.of(), ImmutableList.of());
        }
        return planned(() -> KeyedSplits.plan((FileStoreTable) table, handle, filter, memory, this::divide, this::weight));
    }

    /** @param planning looks at the snapshot, which may go away meanwhile */
    private <T> T planned(Supplier<T> planning)
    {
        try {
            T planned = planning.get();
            checkSnapshot();
            return planned;
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
        catch (RuntimeException e) {
            if (isSnapshotGone()) {
                throw PaimonPageSourceProvider.snapshotGone(handle, e);
            }
            throw new TrinoException(PAIMON_READ_ERROR, "Cannot plan the scan of %s%s: %s".formatted(
                    handle.name(),
                    handle.snapshotId().isPresent() ? " at snapshot " + handle.snapshotId().getAsLong() : "",
                    e.getMessage()), e);
        }
    }

    /** Rows in memory follow one snapshot: after a rollback another one may have its id. */
    private void checkSnapshot()
    {
        if (handle.realtime().isPresent()) {
            handle.realtime().get().snapshotIdentity()
                    .ifPresent(identity -> ReadPoints.checkUnchanged((FileStoreTable) table, handle.snapshotId().getAsLong(), identity));
        }
    }

    private boolean isSnapshotGone()
    {
        return table instanceof FileStoreTable data && handle.snapshotId().isPresent()
                && !data.snapshotManager().snapshotExists(handle.snapshotId().getAsLong());
    }

    private List<FileParts.Part> divide(Split split)
    {
        if (handle.kind() != PaimonTableHandle.Kind.DATA) {
            return ImmutableList.of(new FileParts.Part(split, Optional.empty()));
        }
        return FileParts.divide(table, split, maxSplitSize);
    }

    private SplitWeight weight(FileParts.Part part)
    {
        OptionalLong bytes = part.bytes();
        return bytes.isEmpty()
                ? SplitWeight.standard()
                : SplitWeight.fromProportion(Math.clamp((double) bytes.getAsLong() / maxSplitSize, MINIMUM_WEIGHT, 1));
    }

    @Override
    public boolean isFinished()
    {
        return finished;
    }

    @Override
    public long getRequestedDynamicFilterWaitTimeoutMillis()
    {
        return dynamicFilterWaitMillis;
    }

    @Override
    public Metrics getMetrics()
    {
        return new ScanMetrics()
                .add(ScanMetrics.MEMORY_SPLITS, memorySplits.get())
                .add(ScanMetrics.MEMORY_SPLITS_PRUNED, memorySplitsPruned.get())
                .add(ScanMetrics.DISK_SPLITS, diskSplits.get())
                .build();
    }

    @Override
    public void close()
    {
        finished = true;
    }
}
