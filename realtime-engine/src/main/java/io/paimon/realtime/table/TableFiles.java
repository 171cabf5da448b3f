package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.paimon.BulkFlush;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.paimon.Rescaling;
import io.paimon.realtime.paimon.RestoredFiles;
import io.paimon.realtime.paimon.SegmentFlush;
import io.paimon.realtime.table.TableMemory.SealedSegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;

/**
 * Data files of one table in the name of its writer: written within the memory budget, published by a {@link #newCommit}, or deleted. Without state of its own; all methods do I/O and take no
 * lock but that of the {@link MemoryBudget}, for a moment.
 */
final class TableFiles
{
    private final TableOptions options;
    private final String commitUser;
    private final LiveDefinition definition;

    TableFiles(TableOptions options, String commitUser, LiveDefinition definition)
    {
        this.options = requireNonNull(options, "options is null");
        this.commitUser = requireNonNull(commitUser, "commitUser is null");
        this.definition = requireNonNull(definition, "definition is null");
    }

    ProgressCommit newCommit()
    {
        return new ProgressCommit(definition.table(), commitUser);
    }

    /**
     * Writes sealed segments, whose rows stay in memory. A failure leaves no file.
     *
     * @param earlier files that are not committed yet and will be before these
     */
    List<CommitMessage> flush(List<SealedSegment> segments, List<CommitMessage> earlier, long identifier)
    {
        Optional<RestoredFiles> restored = restored(earlier);
        restored.ifPresent(files -> files.prefetch(segments.stream().map(segment -> segment.bucket().partition()).collect(Collectors.toSet())));
        List<CommitMessage> messages = new ArrayList<>();
        try {
            // rows of before a rescale may belong to the bucket of newer ones, which must come after them
            List<SealedSegment> byDefinition = segments.stream().sorted(Comparator.comparingLong(segment -> segment.table().schema().id())).toList();
            for (SealedSegment segment : byDefinition) {
                List<CommitMessage> written = flush(segment, restored, identifier);
                messages.addAll(written);
                restored.ifPresent(files -> files.add(written));
            }
        }
        catch (RuntimeException e) {
            // nothing was published: the files of this attempt are certainly unreferenced
            abort(messages, e);
            throw e;
        }
        return messages;
    }

    private Optional<RestoredFiles> restored(List<CommitMessage> earlier)
    {
        FileStoreTable table = definition.table();
        if (!KeyedTables.isKeyed(table)) {
            return Optional.empty();
        }
        RestoredFiles restored = new RestoredFiles(table);
        restored.add(earlier);
        return Optional.of(restored);
    }

    private List<CommitMessage> flush(SealedSegment sealed, Optional<RestoredFiles> restored, long identifier)
    {
        try (MemoryBudget.Reservation _ = options.budget().reserveForFlush("Flush of table " + options.name(), sealed.segment().memoryBytes(),
                options.appendTimeoutMillis());
                SegmentRows rows = new SegmentRows(sealed.indexer().createCommitReaders(sealed.segment()), KeyedTables.memoryType(sealed.table()))) {
            // rows of before a rescale belong to other buckets now
            FileStoreTable table = definition.table();
            boolean rescaled = Rescaling.isChanged(sealed.table(), table);
            FileStoreTable target = rescaled ? Rescaling.withBuckets(sealed.table(), table.coreOptions().bucket()) : sealed.table();
            return new SegmentFlush(target, commitUser, restored).flush(rescaled ? Optional.empty() : Optional.of(sealed.bucket()), rows,
                    sealed.segment().rowCount(), identifier);
        }
    }

    /**
     * Writes rows that never were in memory. A failure leaves no file.
     *
     * @param target the definition by which they are written
     * @param earlier files that are not committed yet and will be before these; matters for primary-key tables
     * @param nextOffsets where each partition-bucket goes on, for tables with an offset column; others ignore it
     * @param spillDirectory where rows that do not fit into the write buffer are kept meanwhile
     */
    BulkFlush.Result flush(FileStoreTable target, Iterator<InternalRow> rows, List<CommitMessage> earlier, Map<PartitionBucket, Long> nextOffsets,
            Path spillDirectory)
    {
        try (MemoryBudget.Reservation reservation = options.budget().reserveForFlush("Table " + options.name(), BulkFlush.MAX_BUFFER_BYTES,
                options.appendTimeoutMillis())) {
            return BulkFlush.flush(target, commitUser, rows, nextOffsets, restored(earlier), reservation.bytes(), spillDirectory);
        }
    }

    /** Deletes files that are certainly not referenced; the failure that led to it stays the one that is told. */
    void abort(List<CommitMessage> messages, RuntimeException failure)
    {
        try {
            newCommit().abort(messages);
        }
        catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
