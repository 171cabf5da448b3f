package io.paimon.realtime.scan;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.BucketPruning;
import io.paimon.realtime.paimon.KeyedFiles;
import io.paimon.realtime.paimon.KeyedMerge;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.PushableFilters;
import io.paimon.realtime.scan.RealtimeSplit.DiskSplit;
import io.paimon.realtime.scan.RealtimeSplit.MemorySplit;
import io.paimon.realtime.scan.RealtimeSplit.MergeSplit;
import io.paimon.realtime.table.RealtimeContext;
import io.paimon.realtime.table.RealtimeContext.HeldCut;
import io.paimon.realtime.table.TableCut;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.RowType;

/**
 * Plans union reads of one table: committed rows and rows in memory, each row once. A table without a write in the context has committed rows only.
 *
 * <p>Columns are those of the table object given, rows of older and newer schemas are matched by field id. Not thread-safe; plans are.
 */
public final class RealtimeScan
{
    /** Options by which a table object asks for something else than its newest state. */
    private static final Set<String> TIME_TRAVEL = Set.of(
            CoreOptions.SCAN_SNAPSHOT_ID.key(),
            CoreOptions.SCAN_TAG_NAME.key(),
            CoreOptions.SCAN_VERSION.key(),
            CoreOptions.SCAN_TIMESTAMP.key(),
            CoreOptions.SCAN_TIMESTAMP_MILLIS.key(),
            CoreOptions.SCAN_WATERMARK.key(),
            CoreOptions.SCAN_FILE_CREATION_TIME_MILLIS.key(),
            CoreOptions.SCAN_CREATION_TIME_MILLIS.key(),
            CoreOptions.INCREMENTAL_BETWEEN.key(),
            CoreOptions.INCREMENTAL_BETWEEN_TIMESTAMP.key(),
            CoreOptions.INCREMENTAL_TO_AUTO_TAG.key());

    private final RealtimeContext context;
    private final FileStoreTable table;
    private Optional<Predicate> filter = Optional.empty();
    private Optional<RowType> readType = Optional.empty();
    private OptionalInt bucket = OptionalInt.empty();
    private OptionalLong snapshot = OptionalLong.empty();
    private boolean committedOnly;

    /**
     * @param table one whose options choose a snapshot, a tag or a time is read as they say: committed rows only
     */
    public RealtimeScan(RealtimeContext context, FileStoreTable table)
    {
        this.context = requireNonNull(context, "context is null");
        this.table = requireNonNull(table, "table is null");
    }

    /** Only rows that match, exactly; together with earlier filters. Partitions, buckets, files and batches that cannot hold any are not read. */
    public RealtimeScan withFilter(Predicate predicate)
    {
        filter = Optional.of(filter.isEmpty() ? requireNonNull(predicate, "predicate is null") : PredicateBuilder.and(filter.get(), predicate));
        return this;
    }

    /** Only rows of partitions with these values, given as Paimon writes them into paths. */
    public RealtimeScan withPartition(Map<String, String> values)
    {
        for (String key : values.keySet()) {
            if (!table.partitionKeys().contains(key)) {
                throw new IllegalArgumentException("Table %s has no partition column %s; it has %s".formatted(table.fullName(), key,
                        table.partitionKeys()));
            }
        }
        return values.isEmpty() ? this : withFilter(PredicateBuilder.partition(values, table.rowType(), table.coreOptions().partitionDefaultName()));
    }

    /** Only rows of this bucket, of every partition. */
    public RealtimeScan withBucket(int number)
    {
        bucket = OptionalInt.of(number);
        return this;
    }

    /** Columns of the result by field id, in this order; rows inside may have fewer fields. The default is all of the table's. */
    public RealtimeScan withReadType(RowType columns)
    {
        readType = Optional.of(columns);
        return this;
    }

    /** Columns of the result by their index in the table's row type. */
    public RealtimeScan withProjection(int... fields)
    {
        return withReadType(table.rowType().project(fields));
    }

    /** Only what the newest snapshot holds: memory is left out, also that of another writer. */
    public RealtimeScan withCommittedOnly()
    {
        committedOnly = true;
        return this;
    }

    /** Only what this snapshot holds: memory is left out. */
    public RealtimeScan withSnapshot(long snapshotId)
    {
        snapshot = OptionalLong.of(snapshotId);
        return this;
    }

    /**
     * Plans at this instant. The order makes it right: the cut of memory is taken, then the snapshot is chosen, then its progress is read, then its files are planned; so a row that moves
     * from memory to disk meanwhile is in exactly one split.
     *
     * @throws RealtimeException UNAVAILABLE, retryable, if the table was rolled back or re-created under its writer, or if another writer that lives holds rows of it; CUT_EXPIRED, retryable,
     *         if the snapshot that fits has just expired
     */
    public RealtimePlan plan()
    {
        if (snapshot.isPresent() || committedOnly || table.options().keySet().stream().anyMatch(TIME_TRAVEL::contains)) {
            List<RealtimeSplit> splits = new ArrayList<>();
            FileStoreTable target = snapshot.isPresent() ? at(snapshot.getAsLong()) : table;
            addDiskSplits(target, splits);
            return new RealtimePlan(target, resultType(), filter, snapshot, splits, context.allocator(), null);
        }
        HeldCut held = context.retainCut(table.fullName());
        try {
            return plan(held);
        }
        catch (RuntimeException e) {
            held.memory().ifPresent(TableCut::release);
            throw e;
        }
    }

    private RealtimePlan plan(HeldCut held)
    {
        ReadPoint point = ReadPoints.choose(table, Identifier.fromString(table.fullName()), held.cut());
        if (KeyedTables.isKeyed(table)) {
            return planKeyed(held, point);
        }
        List<RealtimeSplit> splits = new ArrayList<>();
        FileStoreTable target = table;
        if (point.snapshotId().isPresent()) {
            long chosen = point.snapshotId().getAsLong();
            target = at(chosen);
            addDiskSplits(target, splits);
            point.snapshotIdentity().ifPresent(identity -> ReadPoints.checkUnchanged(table, chosen, identity));
        }
        wantedMemory(held, point).forEach((key, offsets) -> splits.add(new MemorySplit(point.snapshotId(), key, offsets)));
        return new RealtimePlan(target, resultType(), filter, point.snapshotId(), splits, context.allocator(), held.memory().orElse(null));
    }

    private RealtimePlan planKeyed(HeldCut held, ReadPoint point)
    {
        Map<PartitionBucket, OffsetRange> memory = wantedMemory(held, point);
        FileStoreTable target = point.snapshotId().isPresent() ? at(point.snapshotId().getAsLong()) : table;
        KeyedFiles.Plan files = new KeyedFiles(table).plan(point.snapshotId(), filter, bucket, memory.keySet());
        point.snapshotIdentity().ifPresent(identity -> ReadPoints.checkUnchanged(table, point.snapshotId().getAsLong(), identity));
        List<RealtimeSplit> splits = new ArrayList<>();
        files.diskOnly().forEach(split -> splits.add(new DiskSplit(split)));
        files.parts().forEach(part -> splits.add(
                new MergeSplit(point.snapshotId(), part.bucket(), KeyedMerge.runs(table, point.segments().get(part.bucket())), part.keys(),
                        part.disk())));
        return new RealtimePlan(target, resultType(), filter, point.snapshotId(), splits, context.allocator(), held.memory().orElse(null));
    }

    /** What of memory may hold rows that are asked for. */
    private Map<PartitionBucket, OffsetRange> wantedMemory(HeldCut held, ReadPoint point)
    {
        Optional<BucketPruning> pruning = filter.map(predicate -> new BucketPruning(table, predicate));
        Map<PartitionBucket, OffsetRange> memory = new TreeMap<>(PartitionBucket.ORDER);
        point.memory().forEach((key, offsets) -> {
            boolean wanted = bucket.isEmpty() || bucket.getAsInt() == key.bucket();
            if (wanted && (pruning.isEmpty() || mayMatch(held, pruning.get(), key))) {
                memory.put(key, offsets);
            }
        });
        return memory;
    }

    private boolean mayMatch(HeldCut held, BucketPruning pruning, PartitionBucket key)
    {
        return pruning.mayMatchPartition(key)
                && (!held.memory().orElseThrow().isRoutedBy(key, table.coreOptions().bucket()) || pruning.mayMatchBucket(key));
    }

    /** The table at a snapshot, with the schema it has here. */
    private FileStoreTable at(long snapshotId)
    {
        return table.copyWithoutTimeTravel(Map.of(
                CoreOptions.SCAN_MODE.key(), CoreOptions.StartupMode.FROM_SNAPSHOT.toString(),
                CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(snapshotId)));
    }

    private void addDiskSplits(FileStoreTable target, List<RealtimeSplit> splits)
    {
        ReadBuilder builder = target.newReadBuilder();
        filter.flatMap(predicate -> PushableFilters.forPlan(predicate, target)).ifPresent(builder::withFilter);
        bucket.ifPresent(builder::withBucket);
        builder.newScan().plan().splits().forEach(split -> splits.add(new DiskSplit(split)));
    }

    private RowType resultType()
    {
        return readType.orElseGet(table::rowType);
    }
}
