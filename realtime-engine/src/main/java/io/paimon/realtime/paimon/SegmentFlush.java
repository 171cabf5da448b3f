package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableWriteImpl;

/**
 * Writes rows of one partition-bucket into data files through Paimon's own writer: its rolling, file indexes, statistics and formats. A fresh writer each time, closed
 * before the next bucket's is opened, so that five hundred buckets do not hold five hundred open Parquet writers.
 */
public final class SegmentFlush
{
    private final FileStoreTable table;
    private final String commitUser;
    private final Optional<RestoredFiles> restored;

    /**
     * @param restored what rows of a primary-key table must be newer than; empty for append tables
     */
    public SegmentFlush(FileStoreTable table, String commitUser, Optional<RestoredFiles> restored)
    {
        this.table = table;
        this.commitUser = commitUser;
        this.restored = restored;
    }

    /**
     * Writes all rows.
     *
     * @param bucket where all rows belong; empty if each is to be routed by itself
     * @param rows may reuse one row object
     * @param expectedRows how many there must be, and what the data files of an append table must hold in the end; anything else is refused loudly
     */
    public List<CommitMessage> flush(Optional<PartitionBucket> bucket, Iterator<InternalRow> rows, long expectedRows, long identifier)
    {
        List<CommitMessage> messages = new ArrayList<>();
        try (TableWriteImpl<?> write = table.newWrite(commitUser)) {
            restored.ifPresent(write::withWriteRestore);
            long taken = 0;
            while (rows.hasNext()) {
                taken++;
                if (bucket.isPresent()) {
                    write.write(rows.next(), bucket.get().bucket());
                }
                else {
                    write.write(rows.next());
                }
            }
            messages.addAll(write.prepareCommit(true, identifier));
            long written = 0;
            for (CommitMessage message : messages) {
                CommitMessageImpl files = (CommitMessageImpl) message;
                if (bucket.isPresent() && !bucket.get().equals(new PartitionBucket(files.partition(), files.bucket()))) {
                    throw new RealtimeException(Code.INTERNAL,
                            "Table %s: rows of %s were routed to bucket %s".formatted(table.fullName(), bucket.get(), files.bucket()));
                }
                written += files.newFilesIncrement().newFiles().stream().mapToLong(DataFileMeta::rowCount).sum();
            }
            // versions of one key have become one row
            boolean complete = KeyedTables.isKeyed(table) ? taken == expectedRows && written <= taken : written == expectedRows;
            if (!complete) {
                throw new RealtimeException(Code.INTERNAL,
                        "Table %s: flushed %s rows of %s".formatted(where(bucket), written, expectedRows));
            }
            return messages;
        }
        catch (Exception e) {
            new ProgressCommit(table, commitUser).abort(messages, e);
            if (e instanceof RealtimeException realtimeException) {
                throw realtimeException;
            }
            throw new RealtimeException(Code.COMMIT_FAILED, "Table %s: flush failed: %s".formatted(where(bucket), e.getMessage()), e);
        }
    }

    private String where(Optional<PartitionBucket> bucket)
    {
        return bucket.map(place -> "%s, bucket %s of partition '%s'".formatted(table.fullName(), place.bucket(),
                RealtimeTables.describePartition(table, place.partition()))).orElse(table.fullName());
    }
}
