package io.paimon.realtime.trino.read;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.function.Function.identity;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.paimon.KeyedFiles;
import io.paimon.realtime.paimon.KeyedMerge;
import io.paimon.realtime.paimon.KeyedFiles.Part;
import io.paimon.realtime.trino.file.DataFiles;
import io.paimon.realtime.trino.handle.KeyedSplit;
import io.paimon.realtime.trino.handle.PaimonSplit;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.RealtimeSplit;
import io.paimon.realtime.trino.handle.RealtimeTicket;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.spi.SplitWeight;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;

/**
 * Splits of a union read of a primary-key table: files of buckets without rows in memory, which are read as ever, and the parts of the others.
 *
 * @param diskOnly Paimon's own splits
 */
record KeyedSplits(List<Split> diskOnly, List<KeyedSplit> merged)
{
    KeyedSplits
    {
        diskOnly = ImmutableList.copyOf(diskOnly);
        merged = ImmutableList.copyOf(merged);
    }

    /**
     * @param memory partition-buckets whose rows in memory may match
     * @param weight of so many bytes of files
     */
    static KeyedSplits plan(FileStoreTable table, PaimonTableHandle handle, TupleDomain<PaimonColumnHandle> filter, List<RealtimeTicket.Range> memory,
            ToDoubleFunction<DataSplit> weight)
    {
        RealtimeTicket ticket = handle.realtime().orElseThrow();
        Map<PartitionBucket, RealtimeTicket.Range> ranges = memory.stream()
                .collect(ImmutableMap.toImmutableMap(RealtimeTicket.Range::partitionBucket, identity()));
        KeyedFiles.Plan plan = new KeyedFiles(table).plan(handle.snapshotId(), PaimonPredicates.toPaimon(table.rowType(), filter), OptionalInt.empty(),
                ranges.keySet());
        return new KeyedSplits(ImmutableList.copyOf(plan.diskOnly()), plan.parts().stream()
                .map(part -> split(table, handle, ticket, part, ranges.get(part.bucket()), weight))
                .collect(toImmutableList()));
    }

    private static KeyedSplit split(FileStoreTable table, PaimonTableHandle handle, RealtimeTicket ticket, Part part, RealtimeTicket.Range range,
            ToDoubleFunction<DataSplit> weight)
    {
        List<RealtimeSplit> runs = KeyedMerge.runs(table, range.segments()).stream()
                .map(run -> new RealtimeSplit(ticket.address(), ticket.incarnation(), ticket.queryId(), handle.snapshotId(), range.partition(), range.bucket(),
                        run.start(), run.end()))
                .collect(toImmutableList());
        SplitWeight standard = part.disk().map(disk -> SplitWeight.fromProportion(weight.applyAsDouble(disk))).orElseGet(runs.getFirst()::getSplitWeight);
        Optional<PaimonSplit> disk = part.disk().map(files -> PaimonSplit.of(files, Optional.empty(), DataFiles.isLocalTimeUtc(), standard));
        return KeyedSplit.of(runs, part.keys(), disk, standard);
    }
}
