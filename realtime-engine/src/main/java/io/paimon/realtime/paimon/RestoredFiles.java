package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.FileStoreScan;
import org.apache.paimon.operation.RestoreFiles;
import org.apache.paimon.operation.WriteRestore;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;

/**
 * What writers of a primary-key table go on from: the files of the snapshot that was the latest when this was made, and files written since that are committed before theirs. So the sequence
 * numbers of what is written next are above both.
 *
 * <p>Not thread-safe.
 */
public final class RestoredFiles implements WriteRestore
{
    private final FileStoreTable table;
    private final Snapshot snapshot;
    private final Set<BinaryRow> known = new HashSet<>();
    private final Map<PartitionBucket, List<DataFileMeta>> files = new HashMap<>();
    private final Map<PartitionBucket, Integer> totalBuckets = new HashMap<>();
    private final Map<PartitionBucket, List<DataFileMeta>> earlier = new HashMap<>();

    public RestoredFiles(FileStoreTable table)
    {
        this.table = table;
        this.snapshot = table.snapshotManager().latestSnapshotFromFileSystem();
    }

    /** Files that are not committed yet and will be before those that are written next. */
    public void add(Collection<CommitMessage> messages)
    {
        for (CommitMessage message : messages) {
            CommitMessageImpl written = (CommitMessageImpl) message;
            earlier.computeIfAbsent(new PartitionBucket(written.partition(), written.bucket()), _ -> new ArrayList<>())
                    .addAll(written.newFilesIncrement().newFiles());
        }
    }

    /** Looks up the files of these partitions at once. */
    public void prefetch(Set<BinaryRow> partitions)
    {
        Set<BinaryRow> wanted = new HashSet<>(partitions);
        wanted.removeAll(known);
        if (snapshot == null || wanted.isEmpty()) {
            return;
        }
        for (ManifestEntry entry : scan(table, snapshot, wanted)) {
            PartitionBucket bucket = new PartitionBucket(entry.partition(), entry.bucket());
            files.computeIfAbsent(bucket, _ -> new ArrayList<>()).add(entry.file());
            totalBuckets.put(bucket, entry.totalBuckets());
        }
        known.addAll(wanted);
    }

    /** All files of some partitions in a snapshot. */
    static List<ManifestEntry> scan(FileStoreTable table, Snapshot snapshot, Set<BinaryRow> partitions)
    {
        FileStoreScan scan = table.store().newScan().withSnapshot(snapshot).dropStats();
        if (!table.partitionKeys().isEmpty()) {
            scan.withPartitionFilter(List.copyOf(partitions));
        }
        return scan.plan().files();
    }

    @Override
    public long latestCommittedIdentifier(String user)
    {
        // a writer is used for one round
        return Long.MIN_VALUE;
    }

    @Override
    public RestoreFiles restoreFiles(BinaryRow partition, int bucket, boolean scanDynamicBucketIndex, boolean scanDeleteVectorsIndex)
    {
        PartitionBucket key = new PartitionBucket(partition.copy(), bucket);
        prefetch(Set.of(key.partition()));
        List<DataFileMeta> all = new ArrayList<>(files.getOrDefault(key, List.of()));
        all.addAll(earlier.getOrDefault(key, List.of()));
        // deletion vectors are a matter of compactions, which a writer of this kind does not do
        return new RestoreFiles(snapshot, totalBuckets.get(key), all, null, List.of());
    }
}
