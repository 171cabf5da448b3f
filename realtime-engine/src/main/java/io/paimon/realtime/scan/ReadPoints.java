package io.paimon.realtime.scan;

import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut.TableCutInfo;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;

/**
 * Finds the snapshot that fits a cut. In this order and no other: the cut is taken, then the snapshot is chosen, then its progress is read; so nothing that was in memory
 * when the cut was taken can be in neither.
 *
 * <p>The snapshot is the newest one that holds no real-time row the cut does not show: all tables of a query are read at the instant of its cuts, and a batch is seen whole or not at all.
 */
public final class ReadPoints
{
    private ReadPoints()
    {}

    /**
     * @param cut what the query sees of the writer; empty if the writer has nothing of the table
     * @throws RealtimeException UNAVAILABLE (try again) if the table was rolled back or re-created under the writer
     */
    public static ReadPoint choose(FileStoreTable table, Optional<TableCutInfo> cut)
    {
        ProgressFiles progressFiles = new ProgressFiles(table);
        Optional<Long> latest = progressFiles.latestSnapshotId();
        if (cut.isEmpty()) {
            return new ReadPoint(latest.map(OptionalLong::of).orElse(OptionalLong.empty()), Map.of());
        }
        TableCutInfo info = cut.get();
        Optional<String> lineage = progressFiles.lineage();
        if (!lineage.equals(Optional.of(info.lineage()))) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s was dropped or re-created while its writer held rows".formatted(table.fullName()));
        }
        long snapshot = latest.orElse(-1L);
        if (snapshot < info.committedSnapshot()) {
            throw rolledBack(table, info, snapshot);
        }
        Optional<Published> published = progressFiles.newest(info.lineage(), snapshot);
        while (published.isPresent() && isAhead(published.get(), info)) {
            snapshot = published.get().snapshotId() - 1;
            if (snapshot < Snapshot.FIRST_SNAPSHOT_ID || !table.snapshotManager().snapshotExists(snapshot)) {
                throw new RealtimeException(Code.CUT_EXPIRED,
                        "Table %s: the snapshot that fits the query's view is gone: run the query again".formatted(table.fullName()));
            }
            published = progressFiles.newest(info.lineage(), snapshot);
        }
        Map<PartitionBucket, OffsetRange> memory = new HashMap<>();
        for (Map.Entry<PartitionBucket, OffsetRange> entry : info.buckets().entrySet()) {
            long known = entry.getValue().start();
            // our own snapshot may be gone (expiry): then what the cut knew counts, never 0
            long disk = published.isPresent() ? published.get().progress().offset(entry.getKey()) : known;
            if (disk < known) {
                throw rolledBack(table, info, snapshot);
            }
            if (disk < entry.getValue().end()) {
                memory.put(entry.getKey(), new OffsetRange(disk, entry.getValue().end()));
            }
        }
        return new ReadPoint(OptionalLong.of(snapshot), memory);
    }

    private static boolean isAhead(Published published, TableCutInfo cut)
    {
        return published.progress().offsets().entrySet().stream().anyMatch(entry -> {
            OffsetRange shown = cut.buckets().get(entry.getKey());
            return entry.getValue() > (shown == null ? 0 : shown.end());
        });
    }

    private static RealtimeException rolledBack(FileStoreTable table, TableCutInfo cut, long snapshot)
    {
        return new RealtimeException(Code.UNAVAILABLE,
                "Table %s: snapshot %s is behind what its writer committed in snapshot %s; it was rolled back".formatted(
                        table.fullName(), snapshot, cut.committedSnapshot()));
    }
}
