package io.paimon.realtime.scan;

import io.paimon.realtime.model.CommitUser;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.QueryCut.TableCutInfo;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.paimon.LeaseFile.Lease;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.ProgressFiles.Found;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;

/**
 * Finds the snapshot that fits a cut. In this order and no other: the cut is taken, then the snapshot is chosen, then its progress is read; so nothing that was in memory
 * when the cut was taken can be in neither.
 *
 * <p>The snapshot is the newest one that holds no real-time row the cut does not show: all tables of a query are read at the instant of its cuts, and a batch is seen whole or not at all.
 */
public final class ReadPoints
{
    private final FileStoreTable table;
    private final QueryCut cut;
    private final ProgressFiles progressFiles;

    private ReadPoints(FileStoreTable table, QueryCut cut)
    {
        this.table = table;
        this.cut = cut;
        this.progressFiles = new ProgressFiles(table);
    }

    /**
     * @param cut what the query sees of the writer
     * @throws RealtimeException INVALID_ARGUMENT if the table has a fallback branch; UNAVAILABLE (try again) if the table was rolled back or re-created under the writer, or another live writer holds rows of it; CUT_EXPIRED if the snapshot
     *         that fits is gone
     */
    public static ReadPoint choose(FileStoreTable table, Identifier identifier, QueryCut cut)
    {
        ReadPoints points = new ReadPoints(table, cut);
        TableCutInfo info = cut.tables().get(identifier.getFullName());
        if (info != null && RealtimeTables.hasFallbackBranch(table)) {
            throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "Table %s has a fallback branch, which has snapshots of its own: a union read is not possible".formatted(table.fullName()));
        }
        return info == null ? points.outsideTheCut() : points.inTheCut(info);
    }

    /** The writer had nothing of the table when the cut was taken. */
    private ReadPoint outsideTheCut()
    {
        // the lease first: a writer that drains and leaves now has its rows in the snapshot that is chosen below
        Optional<Lease> lease = new LeaseFile(table).read();
        // one of an earlier incarnation of this writer tells of nothing that is left
        if (lease.isPresent() && !lease.get().log().equals(cut.log()) && lease.get().isLive(System.currentTimeMillis())) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: its fresh rows are in the memory of %s (incarnation %s), which this catalog does not read; committed rows can be read"
                            .formatted(table.fullName(), lease.get().owner(), lease.get().incarnation()));
        }
        Optional<Long> latest = progressFiles.latestSnapshotId();
        Optional<String> lineage = progressFiles.lineage();
        if (latest.isEmpty() || lineage.isEmpty()) {
            return point(latest.map(OptionalLong::of).orElse(OptionalLong.empty()), latest.flatMap(progressFiles::identity));
        }
        long snapshot = latest.get();
        Found found = find(lineage.get(), snapshot);
        while (found.newest().isPresent() && isOpenedLater(found.newest().get())) {
            snapshot = found.newest().get().snapshotId() - 1;
            if (snapshot < Snapshot.FIRST_SNAPSHOT_ID) {
                return point(OptionalLong.empty(), Optional.empty());
            }
            found = find(lineage.get(), snapshot);
        }
        return point(OptionalLong.of(snapshot), found.identity());
    }

    private static ReadPoint point(OptionalLong snapshot, Optional<String> identity)
    {
        return new ReadPoint(snapshot, identity, OptionalInt.empty(), Map.of(), Map.of());
    }

    /** Whether the cut's writer opened the table only after the cut: then none of its rows belongs to the query. */
    private boolean isOpenedLater(Published published)
    {
        return CommitUser.parse(published.commitUser())
                .filter(user -> user.incarnation().equals(cut.incarnation()) && user.opened() > cut.instant())
                .isPresent();
    }

    private ReadPoint inTheCut(TableCutInfo info)
    {
        Optional<String> lineage = progressFiles.lineage();
        if (!lineage.equals(Optional.of(info.lineage()))) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s was dropped or re-created while its writer held rows".formatted(table.fullName()));
        }
        Optional<Long> latest = progressFiles.latestSnapshotId();
        long snapshot = latest.orElse(-1L);
        if (snapshot < info.committedSnapshot()) {
            throw rolledBack(info, snapshot);
        }
        Found found = latest.map(id -> find(info.lineage(), id)).orElseGet(() -> new Found(Optional.empty(), Optional.empty()));
        if (found.newest().isPresent() && found.newest().get().progress().epoch() > info.epoch()) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s was taken over by another writer (epoch %s, this catalog's is %s)".formatted(table.fullName(),
                            found.newest().get().progress().epoch(), info.epoch()));
        }
        // without any progress nobody can tell what is on disk: what the cut knew may be surpassed by rounds whose snapshots are gone as well
        boolean wasCommitted = info.committedSnapshot() >= Snapshot.FIRST_SNAPSHOT_ID;
        if (wasCommitted && found.newest().isEmpty()) {
            throw rolledBack(info, snapshot);
        }
        while (found.newest().isPresent() && isAhead(found.newest().get(), info)) {
            snapshot = found.newest().get().snapshotId() - 1;
            if (snapshot < Snapshot.FIRST_SNAPSHOT_ID) {
                // the table was empty when the cut was taken, and the writer's claim is not older
                return ReadPoint.of(OptionalLong.empty(), Optional.empty(), info.bucketCount(), memory(info, Optional.empty(), snapshot),
                        info.segments());
            }
            found = find(info.lineage(), snapshot);
            if (wasCommitted && found.newest().isEmpty()) {
                throw gone();
            }
        }
        return ReadPoint.of(latest.isEmpty() ? OptionalLong.empty() : OptionalLong.of(snapshot), found.identity(), info.bucketCount(),
                memory(info, found.newest(), snapshot), info.segments());
    }

    /** Versions of a key are found by its bucket. */
    private void checkRouting(TableCutInfo info, Map<PartitionBucket, OffsetRange> memory)
    {
        if (!memory.isEmpty() && KeyedTables.isKeyed(table) && !info.bucketCount().equals(OptionalInt.of(table.coreOptions().bucket()))) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: its number of buckets was changed while rows of the old buckets are in memory: try again when they are committed (flush); committed rows can be read"
                            .formatted(table.fullName()));
        }
    }

    private Map<PartitionBucket, OffsetRange> memory(TableCutInfo info, Optional<Published> published, long snapshot)
    {
        Map<PartitionBucket, OffsetRange> memory = new HashMap<>();
        info.buckets().forEach((bucket, offsets) -> {
            long known = offsets.start();
            // before the writer's first snapshot what the cut knows counts
            long disk = published.isPresent() ? published.get().progress().offset(bucket) : known;
            if (disk < known) {
                throw rolledBack(info, snapshot);
            }
            if (disk < offsets.end()) {
                memory.put(bucket, new OffsetRange(disk, offsets.end()));
            }
        });
        checkRouting(info, memory);
        return memory;
    }

    /** A snapshot that was there. */
    private Found find(String lineage, long snapshot)
    {
        Found found = progressFiles.find(lineage, snapshot);
        if (found.identity().isEmpty()) {
            throw gone();
        }
        return found;
    }

    private RealtimeException gone()
    {
        return new RealtimeException(Code.CUT_EXPIRED,
                "Table %s: the snapshot that fits the query's view is gone: run the query again".formatted(table.fullName()));
    }

    /**
     * To be called once the files of a snapshot are planned: whether they are those of the snapshot that was chosen.
     *
     * @param identity of the one that was chosen
     * @throws RealtimeException CUT_EXPIRED if the table was rolled back meanwhile and another snapshot has the id, or none
     */
    public static void checkUnchanged(FileStoreTable table, long snapshot, String identity)
    {
        if (!new ProgressFiles(table).identity(snapshot).equals(Optional.of(identity))) {
            throw new RealtimeException(Code.CUT_EXPIRED,
                    "Table %s: snapshot %s was rolled back or has expired while the query was planned: run the query again".formatted(
                            table.fullName(),
                            snapshot));
        }
    }

    private static boolean isAhead(Published published, TableCutInfo cut)
    {
        return published.progress().offsets().entrySet().stream().anyMatch(entry -> {
            OffsetRange shown = cut.buckets().get(entry.getKey());
            return entry.getValue() > (shown == null ? 0 : shown.end());
        });
    }

    private RealtimeException rolledBack(TableCutInfo info, long snapshot)
    {
        return new RealtimeException(Code.UNAVAILABLE,
                "Table %s: snapshot %s is behind what its writer committed in snapshot %s, which was rolled back or has expired: try again when the writer has noticed"
                        .formatted(table.fullName(), snapshot, info.committedSnapshot()));
    }
}
