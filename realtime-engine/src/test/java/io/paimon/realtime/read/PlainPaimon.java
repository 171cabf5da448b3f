package io.paimon.realtime.read;

import io.paimon.realtime.memory.RandomRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.AppendDeleteFileMaintainer;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.EndOfScanException;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowType;

/**
 * What programs do to a table that know Paimon only: nothing of the engine is in here.
 */
public final class PlainPaimon
{
    private static final Pattern NEGATIVE_ZERO = Pattern.compile("-0\\.0(?![0-9E])");

    private PlainPaimon()
    {}

    /** All rows of a snapshot, rendered and sorted, with the schema of the table object. */
    public static List<String> read(FileStoreTable table, long snapshot) throws IOException
    {
        ReadBuilder builder = table.copyWithoutTimeTravel(Map.of(
                CoreOptions.SCAN_MODE.key(), CoreOptions.StartupMode.FROM_SNAPSHOT.toString(),
                CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(snapshot))).newReadBuilder();
        List<String> rows = new ArrayList<>();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> rows.add(render(row, table.rowType())));
        }
        Collections.sort(rows);
        return rows;
    }

    /** All rows of the newest snapshot; none if there is no snapshot. */
    public static List<String> read(FileStoreTable table) throws IOException
    {
        Long latest = table.snapshotManager().latestSnapshotIdFromFileSystem();
        return latest == null ? List.of() : read(table, latest);
    }

    /**
     * A row as text that is equal for equal values. The zeros are equal: ORC's reader takes a column whose values are all {@code ==} for one value repeated, and gives each row the sign of the
     * first.
     */
    public static String render(InternalRow row, RowType type)
    {
        return NEGATIVE_ZERO.matcher(RandomRows.toObjects(row, type).toString()).replaceAll("0.0");
    }

    public static void append(FileStoreTable table, List<GenericRow> rows) throws Exception
    {
        commit(table.newBatchWriteBuilder(), rows);
    }

    /** Replaces the table's rows, or those of the partitions that the rows belong to. */
    public static void overwrite(FileStoreTable table, List<GenericRow> rows) throws Exception
    {
        commit(table.newBatchWriteBuilder().withOverwrite(), rows);
    }

    private static void commit(BatchWriteBuilder builder, List<GenericRow> rows) throws Exception
    {
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    public static void truncate(FileStoreTable table) throws Exception
    {
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.truncateTable();
        }
    }

    public static void dropPartition(FileStoreTable table, BinaryRow partition) throws Exception
    {
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.truncatePartitions(List.of(table.store().pathFactory().partitionComputer().generatePartValues(partition)));
        }
    }

    /** Deletes rows of a table of bucket -1 by a deletion vector: those at the positions, of its only data file. */
    public static void delete(FileStoreTable table, int... positions) throws Exception
    {
        DataSplit split = (DataSplit) table.newReadBuilder().newScan().plan().splits().getFirst();
        DeletionVector deleted = new BitmapDeletionVector();
        for (int position : positions) {
            deleted.delete(position);
        }
        AppendDeleteFileMaintainer maintainer = BaseAppendDeleteFileMaintainer.forUnawareAppend(table.store().newIndexFileHandler(),
                table.snapshotManager().latestSnapshot(), split.partition());
        maintainer.notifyNewDeletionVector(split.dataFiles().getFirst().fileName(), deleted);
        List<IndexFileMeta> indexFiles = maintainer.persist().stream().map(IndexManifestEntry::indexFile).toList();
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(List.of(new CommitMessageImpl(split.partition(), 0, split.totalBuckets(), DataIncrement.indexIncrement(indexFiles),
                    CompactIncrement.emptyIncrement())));
        }
    }

    /** Full compaction of everything there is. */
    public static void compact(FileStoreTable table) throws Exception
    {
        List<CommitMessage> messages = table.bucketMode() == BucketMode.BUCKET_UNAWARE ? compactUnaware(table) : compactBuckets(table);
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
    }

    private static List<CommitMessage> compactUnaware(FileStoreTable table) throws Exception
    {
        List<CommitMessage> messages = new ArrayList<>();
        FileStoreTable eager = table.copy(Map.of(CoreOptions.COMPACTION_MIN_FILE_NUM.key(), "2"));
        List<AppendCompactTask> tasks;
        try {
            tasks = new AppendCompactCoordinator(eager, false).run();
        }
        catch (EndOfScanException e) {
            return messages;
        }
        for (AppendCompactTask task : tasks) {
            if (task.compactBefore().size() < 2) {
                continue;
            }
            BaseAppendFileStoreWrite write = (BaseAppendFileStoreWrite) eager.store().newWrite("compact");
            try {
                messages.add(task.doCompact(eager, write));
            }
            finally {
                write.close();
            }
        }
        return messages;
    }

    private static List<CommitMessage> compactBuckets(FileStoreTable table) throws Exception
    {
        try (BatchTableWrite write = table.newBatchWriteBuilder().newWrite()) {
            for (Split split : table.newReadBuilder().newScan().plan().splits()) {
                DataSplit files = (DataSplit) split;
                write.compact(files.partition(), files.bucket(), true);
            }
            return write.prepareCommit();
        }
    }
}
