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
import io.paimon.realtime.trino.file.FileParts;
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
import java.util.function.Function;
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
     * @param divide parts of files, so that several read a big one
     * @param weight of such a part
     */
    static KeyedSplits plan(FileStoreTable table, PaimonTableHandle handle, TupleDomain<PaimonColumnHandle> filter, List<RealtimeTicket.Range> memory,
            Function<Split, List<FileParts.Part>> divide, Function<FileParts.Part, SplitWeight> weight)
    {
        RealtimeTicket ticket = handle.realtime().orElseThrow();
        Map<PartitionBucket, RealtimeTicket.Range> ranges = memory.stream()
                .collect(ImmutableMap.toImmutableMap(RealtimeTicket.Range::partitionBucket, identity()));
        KeyedFiles.Plan plan = new KeyedFiles(table).plan(handle.snapshotId(), PaimonPredicates.toPaimon(table.rowType(), filter),
                OptionalInt.empty(),
                ranges.keySet());
        ImmutableList.Builder<KeyedSplit> splits = ImmutableList.builder();
        for (Part part : plan.parts()) {
            RealtimeTicket.Range range = ranges.get(part.bucket());
            List<RealtimeSplit> runs = KeyedMerge.runs(table, range.segments()).stream()
                    .map(run -> new RealtimeSplit(ticket.address(), ticket.incarnation(), ticket.queryId(), handle.snapshotId(), range.partition(),
                            range.bucket(),
                            run.start(), run.end()))
                    .collect(toImmutableList());
            if (part.disk().isEmpty()) {
                splits.add(KeyedSplit.of(runs, part.keys(), Optional.empty(), true, runs.getFirst().getSplitWeight()));
                continue;
            }
            DataSplit files = part.disk().get();
            List<FileParts.Part> pieces = KeyedReads.isColumnar(table, files)
                    ? divide.apply(files)
                    : List.of(new FileParts.Part(files, Optional.empty()));
            for (int i = 0; i < pieces.size(); i++) {
                FileParts.Part piece = pieces.get(i);
                SplitWeight pieceWeight = weight.apply(piece);
                PaimonSplit disk = PaimonSplit.of(piece.split(), piece.range(), DataFiles.isLocalTimeUtc(), pieceWeight);
                splits.add(KeyedSplit.of(runs, part.keys(), Optional.of(disk), i == 0, pieceWeight));
            }
        }
        return new KeyedSplits(ImmutableList.copyOf(plan.diskOnly()), splits.build());
    }
}
