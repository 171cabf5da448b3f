package io.paimon.realtime.paimon;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.KeyRange;
import io.paimon.realtime.model.PartitionBucket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.CoreOptions.MergeEngine;
import org.apache.paimon.KeyValueFileStore;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.mergetree.SortedRun;
import org.apache.paimon.mergetree.compact.IntervalPartition;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.predicate.PredicateVisitor;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.snapshot.SnapshotReader;
import org.apache.paimon.utils.BinPacking;

/**
 * The files of a primary-key table's snapshot, all levels of them, and where rows in memory meet them: buckets without rows in memory stay Paimon's own splits, the others are cut where no two files
 * overlap, so that each part is merged with the keys of memory that belong there.
 */
public final class KeyedFiles
{
    private final FileStoreTable table;
    private final CoreOptions options;
    private final Comparator<InternalRow> comparator;

    public KeyedFiles(FileStoreTable table)
    {
        this.table = requireNonNull(table, "table is null");
        this.options = table.coreOptions();
        this.comparator = ((KeyValueFileStore) table.store()).newKeyComparator();
    }

    /**
     * A part of a bucket that has rows in memory.
     *
     * @param keys that belong to the part; the parts of a bucket share out all keys
     * @param disk the files whose keys are in the range; empty if there is none. It is raw-convertible if the files alone, without memory, need no merging
     */
    public record Part(PartitionBucket bucket, KeyRange keys, Optional<DataSplit> disk)
    {
        public Part
        {
            requireNonNull(bucket, "bucket is null");
            requireNonNull(keys, "keys is null");
            requireNonNull(disk, "disk is null");
        }
    }

    /**
     * @param diskOnly splits of buckets without rows in memory
     */
    public record Plan(List<DataSplit> diskOnly, List<Part> parts)
    {
        public Plan
        {
            diskOnly = List.copyOf(diskOnly);
            parts = List.copyOf(parts);
        }
    }

    /**
     * @param snapshotId empty if the table has no snapshot
     * @param filter over the table's row type; only what it says of partitions and keys is used, for a value says nothing about another version of its key
     * @param bucket empty for all of them
     * @param inMemory partition-buckets with rows in memory
     */
    public Plan plan(OptionalLong snapshotId, Optional<Predicate> filter, OptionalInt bucket, Set<PartitionBucket> inMemory)
    {
        List<DataSplit> diskOnly = new ArrayList<>();
        Map<PartitionBucket, List<DataSplit>> touched = new HashMap<>();
        if (snapshotId.isPresent()) {
            SnapshotReader reader = table.newSnapshotReader().withSnapshot(snapshotId.getAsLong());
            filter.flatMap(predicate -> keyFilter(table, predicate)).flatMap(predicate -> PushableFilters.forPlan(predicate, table))
                    .ifPresent(reader::withFilter);
            bucket.ifPresent(reader::withBucket);
            for (DataSplit split : reader.read().dataSplits()) {
                PartitionBucket key = new PartitionBucket(split.partition(), split.bucket());
                if (inMemory.contains(key)) {
                    touched.computeIfAbsent(key, _ -> new ArrayList<>()).add(split);
                }
                else {
                    diskOnly.add(split);
                }
            }
        }
        List<Part> parts = new ArrayList<>();
        for (PartitionBucket key : inMemory) {
            List<DataSplit> splits = touched.get(key);
            if (splits == null) {
                parts.add(new Part(key, KeyRange.ALL, Optional.empty()));
            }
            else {
                parts.addAll(divide(key, splits));
            }
        }
        return new Plan(diskOnly, parts);
    }

    /** The conjuncts of a filter that speak of partition columns or of the primary key only: what they say of one version of a key they say of all of them. */
    public static Optional<Predicate> keyFilter(FileStoreTable table, Predicate filter)
    {
        Set<String> columns = new HashSet<>(table.primaryKeys());
        columns.addAll(table.partitionKeys());
        List<Predicate> kept = PredicateBuilder.splitAnd(filter).stream()
                .filter(conjunct -> columns.containsAll(PredicateVisitor.collectFieldNames(conjunct)))
                .toList();
        return kept.isEmpty() ? Optional.empty() : Optional.of(PredicateBuilder.and(kept));
    }

    private List<Part> divide(PartitionBucket bucket, List<DataSplit> splits)
    {
        List<DataFileMeta> files = new ArrayList<>();
        Map<String, DeletionFile> deletions = new HashMap<>();
        for (DataSplit split : splits) {
            files.addAll(split.dataFiles());
            split.deletionFiles().ifPresent(ofSplit -> {
                for (int i = 0; i < ofSplit.size(); i++) {
                    if (ofSplit.get(i) != null) {
                        deletions.put(split.dataFiles().get(i).fileName(), ofSplit.get(i));
                    }
                }
            });
        }
        List<List<SortedRun>> sections = new IntervalPartition(files, comparator).partition();
        List<List<List<SortedRun>>> groups = BinPacking.packForOrdered(sections,
                section -> Math.max(section.stream().mapToLong(SortedRun::totalSize).sum(), options.splitOpenFileCost()), options.splitTargetSize());
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            Optional<BinaryRow> from = i == 0 ? Optional.empty() : Optional.of(lowestKey(groups.get(i)));
            Optional<BinaryRow> to = i == groups.size() - 1 ? Optional.empty() : Optional.of(lowestKey(groups.get(i + 1)));
            parts.add(new Part(bucket, new KeyRange(from, to), Optional.of(split(splits.getFirst(), groups.get(i), deletions))));
        }
        return parts;
    }

    private BinaryRow lowestKey(List<List<SortedRun>> group)
    {
        return group.getFirst().stream().map(run -> run.files().getFirst().minKey()).min(comparator).orElseThrow();
    }

    private DataSplit split(DataSplit like, List<List<SortedRun>> group, Map<String, DeletionFile> deletions)
    {
        List<DataFileMeta> files = group.stream().flatMap(List::stream).flatMap(run -> run.files().stream()).toList();
        DataSplit.Builder builder = DataSplit.builder()
                .withSnapshot(like.snapshotId())
                .withPartition(like.partition())
                .withBucket(like.bucket())
                .withBucketPath(like.bucketPath())
                .withTotalBuckets(like.totalBuckets())
                .withDataFiles(files)
                .rawConvertible(isRawConvertible(group, files));
        if (files.stream().anyMatch(file -> deletions.containsKey(file.fileName()))) {
            // one for each file, null for those without
            List<DeletionFile> ofFiles = new ArrayList<>();
            files.forEach(file -> ofFiles.add(deletions.get(file.fileName())));
            builder.withDataDeletionFiles(ofFiles);
        }
        return builder.build();
    }

    /** Whether the rows of the files are those of the table: every key once, and no deletes. */
    private boolean isRawConvertible(List<List<SortedRun>> group, List<DataFileMeta> files)
    {
        if (files.stream().anyMatch(file -> file.deleteRowCount().filter(count -> count > 0).isPresent())) {
            return false;
        }
        boolean apart = group.stream().allMatch(section -> section.size() == 1);
        boolean kept = options.deletionVectorsEnabled() || options.mergeEngine() == MergeEngine.FIRST_ROW;
        return apart || (kept && files.stream().allMatch(file -> file.level() > 0));
    }
}
