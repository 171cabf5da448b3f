package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.paimon.Snapshot;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;

/**
 * Whether files of a primary-key table still are the newest of their buckets: rows in memory are newer than all that is committed, and must be so in their files, whoever commits meanwhile.
 */
final class WriteOrder
{
    private WriteOrder()
    {}

    /**
     * A file of the snapshot whose rows may be newer than some of those that are to be committed on top of it; empty if there is none.
     *
     * @param source of the snapshot, asked only if it matters; null if there is none
     */
    static Optional<String> overtakenBy(FileStoreTable table, Supplier<Snapshot> source, List<CommitMessage> messages)
    {
        if (messages.isEmpty() || !KeyedTables.isKeyed(table)) {
            return Optional.empty();
        }
        Snapshot snapshot = source.get();
        if (snapshot == null) {
            return Optional.empty();
        }
        Map<PartitionBucket, Long> lowest = new HashMap<>();
        Set<String> own = new HashSet<>();
        for (CommitMessage message : messages) {
            CommitMessageImpl written = (CommitMessageImpl) message;
            for (DataFileMeta file : written.newFilesIncrement().newFiles()) {
                lowest.merge(new PartitionBucket(written.partition(), written.bucket()), file.minSequenceNumber(), Math::min);
                own.add(file.fileName());
            }
        }
        for (ManifestEntry entry : RestoredFiles.scan(table, snapshot,
                lowest.keySet().stream().map(PartitionBucket::partition).collect(Collectors.toSet()))) {
            Long first = lowest.get(new PartitionBucket(entry.partition(), entry.bucket()));
            if (first != null && entry.file().maxSequenceNumber() >= first && !own.contains(entry.file().fileName())) {
                return Optional.of(entry.file().fileName());
            }
        }
        return Optional.empty();
    }
}
