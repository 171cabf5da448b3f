package io.paimon.realtime.paimon;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;

/**
 * Tables whose number of buckets is changed: Paimon takes rows for the new number only once the data there is was overwritten with it.
 */
public final class Rescaling
{
    private Rescaling()
    {}

    /** Whether rows are routed to other buckets by the one definition of a table than by the other. */
    public static boolean isChanged(FileStoreTable before, FileStoreTable after)
    {
        return before.bucketMode() == BucketMode.HASH_FIXED && before.coreOptions().bucket() != after.coreOptions().bucket();
    }

    /** Why rows cannot be written with the number of buckets that the table has now; empty if they can. */
    public static Optional<String> problem(FileStoreTable table)
    {
        int buckets = table.coreOptions().bucket();
        for (Split split : splits(table)) {
            Integer found = ((DataSplit) split).totalBuckets();
            if (found != null && found != buckets) {
                return Optional.of(
                        "its data has %s buckets, its option says %s: rescale it first (INSERT OVERWRITE of the whole table), or set the option back"
                                .formatted(found, buckets));
            }
        }
        return Optional.empty();
    }

    /** Of all levels: an ordinary scan may leave out what no compaction has seen. */
    private static List<Split> splits(FileStoreTable table)
    {
        if (!KeyedTables.scansSkipLevel0(table)) {
            return table.newReadBuilder().newScan().plan().splits();
        }
        return table.snapshotManager().latestSnapshotIdFromFileSystem() == null ? List.of() : table.newSnapshotReader().read().splits();
    }

    /** The definition with another number of buckets, and everything else as it is. */
    public static FileStoreTable withBuckets(FileStoreTable table, int buckets)
    {
        Map<String, String> options = new HashMap<>(table.schema().options());
        options.put(CoreOptions.BUCKET.key(), Integer.toString(buckets));
        return table.copy(table.schema().copy(options));
    }

    /** Whether files were made for a number of buckets that their table has no more. */
    static boolean isOutdated(FileStoreTable table, List<CommitMessage> messages)
    {
        if (table.bucketMode() != BucketMode.HASH_FIXED) {
            return false;
        }
        int buckets = RealtimeTables.newest(table).coreOptions().bucket();
        return messages.stream().map(message -> ((CommitMessageImpl) message).totalBuckets()).anyMatch(made -> made != null && made != buckets);
    }
}
