package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableWriteImpl;

/**
 * Writes rows of any partition-bucket into data files, for statements that are committed directly.
 */
public final class BulkFlush
{
    private BulkFlush()
    {}

    /**
     * @param rows number of rows by partition-bucket
     */
    public record Result(List<CommitMessage> messages, Map<PartitionBucket, Long> rows)
    {
        public Result
        {
            messages = List.copyOf(messages);
            rows = Map.copyOf(rows);
        }
    }

    /** Writes all rows; on failure no file is left. */
    public static Result flush(FileStoreTable table, String commitUser, Iterator<InternalRow> rows)
    {
        List<CommitMessage> messages = new ArrayList<>();
        try (TableWriteImpl<?> write = table.newWrite(commitUser)) {
            while (rows.hasNext()) {
                write.write(rows.next());
            }
            messages.addAll(write.prepareCommit(true, 0));
            Map<PartitionBucket, Long> counts = new HashMap<>();
            for (CommitMessage message : messages) {
                CommitMessageImpl files = (CommitMessageImpl) message;
                counts.merge(new PartitionBucket(files.partition().copy(), files.bucket()),
                        files.newFilesIncrement().newFiles().stream().mapToLong(DataFileMeta::rowCount).sum(), Math::addExact);
            }
            return new Result(messages, counts);
        }
        catch (Exception e) {
            new ProgressCommit(table, commitUser).abort(messages);
            throw new RealtimeException(Code.COMMIT_FAILED, "Table %s: writing data files failed: %s".formatted(table.fullName(), e.getMessage()), e);
        }
    }
}
