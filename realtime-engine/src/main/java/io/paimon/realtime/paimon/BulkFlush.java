package io.paimon.realtime.paimon;

import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.JoinedRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.ProjectedRow;

/**
 * Writes rows of any partition-bucket into data files, for statements that are committed directly. Rows are collected in Paimon's own write buffer, spilled to local disk, and written one bucket
 * after the other: memory is bounded however many buckets there are.
 */
public final class BulkFlush
{
    /** Write buffer that is of use at the most, in bytes. */
    public static final long MAX_BUFFER_BYTES = 64L << 20;
    private static final long MIN_BUFFER_BYTES = 512L << 10;

    private BulkFlush()
    {}

    /**
     * @param rows number of rows in the files, by partition-bucket
     * @param taken number of rows that were written; some of a primary-key table may have become one
     */
    public record Result(List<CommitMessage> messages, Map<PartitionBucket, Long> rows, long taken)
    {
        public Result
        {
            messages = List.copyOf(messages);
            rows = Map.copyOf(rows);
        }
    }

    /**
     * Writes all rows; on failure no file is left.
     *
     * @param rows row objects may be reused
     * @param nextOffsets where each partition-bucket goes on, for tables with an offset column; others ignore it
     * @param restored what rows of a primary-key table must be newer than; empty for append tables
     * @param bufferBytes memory for rows that are not in a file yet
     * @param spillDirectory local directory for those that do not fit; left empty
     */
    public static Result flush(FileStoreTable table, String commitUser, Iterator<InternalRow> rows, Map<PartitionBucket, Long> nextOffsets,
            Optional<RestoredFiles> restored, long bufferBytes, java.nio.file.Path spillDirectory)
    {
        long buffer = Math.clamp(bufferBytes, MIN_BUFFER_BYTES, MAX_BUFFER_BYTES);
        FileStoreTable buffered = table.copy(Map.of(
                CoreOptions.WRITE_BUFFER_FOR_APPEND.key(), "true",
                CoreOptions.WRITE_BUFFER_SPILLABLE.key(), "true",
                CoreOptions.WRITE_BUFFER_SIZE.key(), buffer + " b",
                // small pages, so that many buckets share the buffer
                CoreOptions.PAGE_SIZE.key(), Math.clamp(Long.highestOneBit(buffer >> 9), 4 << 10, 64 << 10) + " b"));
        List<CommitMessage> messages = new ArrayList<>();
        try (IOManager spill = IOManager.create(spillDirectory.toString());
                TableWriteImpl<?> write = buffered.newWrite(commitUser)) {
            write.withIOManager(spill);
            restored.ifPresent(write::withWriteRestore);
            long taken = 0;
            OffsetFiller filler = new OffsetFiller(table.rowType(), write, nextOffsets);
            while (rows.hasNext()) {
                write.write(filler.fill(rows.next()));
                taken++;
            }
            messages.addAll(write.prepareCommit(true, 0));
            Map<PartitionBucket, Long> counts = new HashMap<>();
            for (CommitMessage message : messages) {
                CommitMessageImpl files = (CommitMessageImpl) message;
                counts.merge(new PartitionBucket(files.partition().copy(), files.bucket()),
                        files.newFilesIncrement().newFiles().stream().mapToLong(DataFileMeta::rowCount).sum(), Math::addExact);
            }
            return new Result(messages, counts, taken);
        }
        catch (Exception e) {
            new ProgressCommit(table, commitUser).abort(messages, e);
            throw new RealtimeException(Code.COMMIT_FAILED, "Table %s: writing data files failed: %s".formatted(table.fullName(), e.getMessage()), e);
        }
    }

    /** Puts offsets into rows of tables that have a column for them. */
    private static final class OffsetFiller
    {
        private final int column;
        private final TableWriteImpl<?> routing;
        private final Map<PartitionBucket, Long> next;
        private final JoinedRow joined = new JoinedRow();
        private final ProjectedRow projected;

        private OffsetFiller(RowType rowType, TableWriteImpl<?> routing, Map<PartitionBucket, Long> nextOffsets)
        {
            this.column = RealtimeTables.offsetColumn(rowType);
            this.routing = routing;
            this.next = new HashMap<>(nextOffsets);
            int[] mapping = IntStream.range(0, rowType.getFieldCount()).map(i -> i == column ? rowType.getFieldCount() : i).toArray();
            this.projected = ProjectedRow.from(mapping);
        }

        private InternalRow fill(InternalRow row)
        {
            if (column < 0) {
                return row;
            }
            PartitionBucket bucket = new PartitionBucket(routing.getPartition(row).copy(), routing.getBucket(row));
            long offset = next.getOrDefault(bucket, 0L);
            next.put(bucket, offset + 1);
            return projected.replaceRow(joined.replace(row, GenericRow.of(offset)));
        }
    }
}
