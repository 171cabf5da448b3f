package io.paimon.realtime.trino;

import com.google.common.collect.ImmutableList;
import io.trino.spi.SplitWeight;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import static io.paimon.realtime.trino.PaimonErrorCode.PAIMON_READ_ERROR;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

/**
 * Splits of one scan, planned when the engine asks for the first of them, so that dynamic filters may have arrived by then.
 */
class PaimonSplitSource implements ConnectorSplitSource
{
    private static final double MINIMUM_WEIGHT = 0.05;

    private final Table table;
    private final PaimonTableHandle handle;
    private final long maxSplitSize;
    private final long dynamicFilterWaitMillis;
    private final Optional<PartitionFilter> partitionFilter;

    private Iterator<Split> splits;
    private boolean memorySplitsDone;
    /** Rows that splits handed out are known to hold. */
    private long rows;
    private boolean finished;

    PaimonSplitSource(Table table, PaimonTableHandle handle, long maxSplitSize, long dynamicFilterWaitMillis)
    {
        this.table = requireNonNull(table, "table is null");
        this.handle = requireNonNull(handle, "handle is null");
        this.maxSplitSize = maxSplitSize;
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
        if (splits == null) {
            splits = plan(dynamicPredicate);
        }
        Optional<PartitionFilter> dynamicPartitionFilter = dynamicPredicate.isAll() || !(table instanceof FileStoreTable fileStoreTable)
                ? Optional.empty()
                : Optional.of(new PartitionFilter(fileStoreTable.schema().logicalPartitionType(), dynamicPredicate));
        ImmutableList.Builder<ConnectorSplit> batch = ImmutableList.builder();
        if (!memorySplitsDone) {
            memorySplitsDone = true;
            memorySplits().forEach(batch::add);
        }
        int size = 0;
        while (size < maxSize && splits.hasNext() && !isLimitReached()) {
            Split split = splits.next();
            if (split instanceof DataSplit dataSplit) {
                if (!matches(partitionFilter, dataSplit) || !matches(dynamicPartitionFilter, dataSplit)) {
                    continue;
                }
            }
            else if (partitionFilter.isPresent()) {
                throw new TrinoException(NOT_SUPPORTED, "Filters on partition columns of %s are not supported: its splits are of kind %s"
                        .formatted(handle.name(), split.getClass().getSimpleName()));
            }
            // what a split yields is known only where nothing is merged, and counts only where nothing is filtered afterwards
            OptionalLong mergedRows = split.mergedRowCount();
            if (mergedRows.isPresent()) {
                rows += mergedRows.getAsLong();
            }
            batch.add(PaimonSplit.of(split, weight(split)));
            size++;
        }
        finished = !splits.hasNext() || isLimitReached();
        return completedFuture(batch.build());
    }

    private boolean isLimitReached()
    {
        return handle.limit().isPresent() && handle.unenforced().isAll() && rows >= handle.limit().getAsLong();
    }

    private static boolean matches(Optional<PartitionFilter> filter, DataSplit split)
    {
        return filter.isEmpty() || filter.get().matches(split.partition());
    }

    private List<RealtimeSplit> memorySplits()
    {
        if (handle.realtime().isEmpty()) {
            return ImmutableList.of();
        }
        RealtimeTicket ticket = handle.realtime().get();
        return ticket.ranges().stream()
                .map(range -> new RealtimeSplit(ticket.address(), ticket.incarnation(), ticket.queryId(), handle.snapshotId(), range.partition(),
                        range.bucket(),
                        range.start(), range.end()))
                .filter(split -> partitionFilter.isEmpty() || partitionFilter.get().matches(split.partitionBucket().partition()))
                .flatMap(split -> split.divide().stream())
                .toList();
    }

    private Iterator<Split> plan(TupleDomain<PaimonColumnHandle> dynamicPredicate)
    {
        if (handle.realtime().isPresent() && handle.snapshotId().isEmpty()) {
            return ImmutableList.<Split>of().iterator();
        }
        ReadBuilder readBuilder = table.newReadBuilder();
        TupleDomain<PaimonColumnHandle> filter = handle.enforced().intersect(handle.unenforced()).intersect(dynamicPredicate);
        if (filter.isNone()) {
            return ImmutableList.<Split>of().iterator();
        }
        if (handle.kind() == PaimonTableHandle.Kind.DATA) {
            PaimonPredicates.toPaimon(table.rowType(), filter).ifPresent(readBuilder::withFilter);
        }
        try {
            return readBuilder.newScan().plan().splits().iterator();
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_READ_ERROR, "Cannot plan the scan of %s%s: %s".formatted(
                    handle.name(),
                    handle.snapshotId().isPresent() ? " at snapshot " + handle.snapshotId().getAsLong() : "",
                    e.getMessage()), e);
        }
    }

    private SplitWeight weight(Split split)
    {
        if (!(split instanceof DataSplit dataSplit)) {
            return SplitWeight.standard();
        }
        long bytes = dataSplit.dataFiles().stream().mapToLong(DataFileMeta::fileSize).sum();
        return SplitWeight.fromProportion(Math.clamp((double) bytes / maxSplitSize, MINIMUM_WEIGHT, 1));
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
    public void close()
    {
        finished = true;
    }
}
