package io.paimon.realtime.memory;

import java.util.List;
import java.util.Optional;

/**
 * The rows of one partition-bucket that are not yet in a committed snapshot, under one schema of the table.
 *
 * <p><b>Segments.</b> Rows are written into the <i>building</i> segment; {@link #sealForCommit} closes it and the next write opens another.
 * Sealed segments stay readable until {@link #reclaim} gives them up. Offsets are contiguous over all segments.
 *
 * <p><b>Threading.</b> {@link #write}, {@link #sealForCommit}, {@link #acquireReadView}, {@link #reclaim} and {@link #close} are called by one
 * thread at a time (the table serialises them and carries the memory effects). {@link #createQueryReaders}, {@link #createCommitReaders} and
 * everything done with views and readers may happen on any thread at any time, also while the owner writes: a view is immutable.
 *
 * <p><b>Errors.</b> A call that throws has changed nothing: after a failed {@code write} the same offsets may be written again.
 */
public interface MemIndexer extends AutoCloseable
{
    /**
     * Stores the selected rows of the batch. Offsets must continue where the last batch ended.
     * The batch's vectors stay the caller's; the indexer copies what it keeps.
     *
     * @throws IllegalArgumentException if the batch's offsets do not continue the last ones
     */
    void write(RealtimeWriteBatch batch);

    /**
     * Takes back the newest writes of the building segment: rows from the offset on are as if they had never been written. No view may show them.
     *
     * @throws IllegalArgumentException if the offset lies in a sealed segment or above the end
     */
    void discardFrom(long offset);

    /**
     * Closes the building segment. Empty if no row was written since the last seal.
     */
    Optional<RealtimeSegmentHandle> sealForCommit();

    /**
     * An immutable view of everything written so far and not reclaimed. The caller closes it; what the view shows stays in memory until
     * then, whatever is written, sealed or reclaimed meanwhile, and also after {@link #close}.
     */
    MemReadView acquireReadView();

    /**
     * Readers over the rows of the view that the request asks for, in offset order when read one after the other; each may be read by a thread of its
     * own. Readers hold the view's memory themselves, so the view may be closed before them. If one reader cannot be made, those
     * made before it are closed. An empty list means no row can match.
     */
    List<MemBatchReader> createQueryReaders(MemReadView view, MemReadRequest request, MemQueryContext context);

    /**
     * Readers over all rows of a sealed segment, all columns in the order of the indexer's schema, in offset order. Each reader must be closed by the caller.
     */
    List<MemBatchReader> createCommitReaders(RealtimeSegmentHandle segment);

    /**
     * Gives up all sealed segments that end at or below the offset. Idempotent; never frees what an open view, reader or batch still shows.
     *
     * @throws IllegalArgumentException if the offset lies inside a segment or in the building one
     */
    void reclaim(long committedOffset);

    /** Bytes held by segments that are not reclaimed; what only views still hold is not counted here but by the memory budget. */
    long memoryBytes();

    /** Rows in segments that are not reclaimed. */
    long rowCount();

    /** Number of segments that hold rows. */
    int segmentCount();

    /** Gives up every segment. Open views, readers and batches stay valid until they are closed. */
    @Override
    void close();
}
