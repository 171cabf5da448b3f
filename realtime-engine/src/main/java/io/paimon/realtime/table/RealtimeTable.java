package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.Iterables;
import com.google.common.collect.Sets;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.MemIndexerOptions;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.RealtimeSegmentHandle;
import io.paimon.realtime.memory.RealtimeWriteBatch;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.model.TableStatus.BucketStatus;
import io.paimon.realtime.paimon.BulkFlush;
import io.paimon.realtime.paimon.ProgressCommit;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.paimon.RowRouting;
import io.paimon.realtime.paimon.SegmentFlush;
import io.paimon.realtime.table.TableCut.BucketCut;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.types.RowType;

/**
 * The real-time side of one table: append, seal, flush, commit, refresh, reclaim.
 *
 * <h2>States</h2>
 * Rows are <i>building</i> until a round seals them, <i>sealed</i> until their data files are written, <i>flushed</i> until a snapshot names the files, <i>committed</i> until the cut says
 * so, then <i>reclaimed</i>. Only a commit round moves them on; a failed round leaves them where they are and the next one goes on with the same segments.
 *
 * <h2>Locks</h2>
 * {@code roundLock}, then {@code appendLock}, then those of {@link MemoryBudget} and {@link CutBoard}. The round lock is held over a whole round, I/O included: one round at a time is its
 * purpose. The append lock guards the buckets and is never held over I/O.
 */
public final class RealtimeTable implements AutoCloseable
{
    private static final Logger log = Logger.get(RealtimeTable.class);

    private final String name;
    private final TableOptions options;
    private final ReentrantLock roundLock = new ReentrantLock();
    private final ReentrantLock appendLock = new ReentrantLock();
    private final String commitUser;
    private final String lineage;

    /** The table at its newest known schema. */
    private volatile FileStoreTable table;
    /** Progress of the newest own snapshot. */
    private volatile Published committed;
    @GuardedBy("appendLock")
    private final Map<PartitionBucket, Bucket> buckets = new HashMap<>();
    @GuardedBy("appendLock")
    private boolean closed;
    @GuardedBy("roundLock")
    private PreparedRound prepared;
    private volatile String lastError = "";

    /**
     * @param name full name of the table, {@code schema.table}
     * @param logId id of the service's data directory
     * @param incarnation id of the running service, part of the commit user
     * @param maxPartitionBuckets partition-buckets with rows in memory at the most
     */
    public record TableOptions(MemIndexerFactory indexers, BufferAllocator allocator, MemoryBudget budget, CutBoard board, String name, String logId,
            String incarnation,
            int maxPartitionBuckets, long appendTimeoutMillis)
    {
        public TableOptions
        {
            requireNonNull(indexers, "indexers is null");
            requireNonNull(allocator, "allocator is null");
            requireNonNull(budget, "budget is null");
            requireNonNull(board, "board is null");
            requireNonNull(name, "name is null");
            requireNonNull(logId, "logId is null");
            requireNonNull(incarnation, "incarnation is null");
        }
    }

    /** Rows of one partition-bucket: one generation for each schema that still has rows in memory. */
    private static final class Bucket
    {
        private final List<Generation> generations = new ArrayList<>();
        private List<SharedView> views = List.of();
        private long upper;
        private long oldestRowNanos = -1;

        private Bucket(long upper)
        {
            this.upper = upper;
        }
    }

    /** Rows written under one schema. */
    private static final class Generation
    {
        private final FileStoreTable table;
        private final MemIndexer indexer;
        private final List<RealtimeSegmentHandle> sealed = new ArrayList<>();

        private Generation(FileStoreTable table, MemIndexer indexer)
        {
            this.table = table;
            this.indexer = indexer;
        }
    }

    /** A round whose data files are written: committed as it is until its fate is known. */
    public record PreparedRound(Optional<Progress> base, Progress next, List<CommitMessage> messages)
    {
        public PreparedRound
        {
            requireNonNull(base, "base is null");
            requireNonNull(next, "next is null");
            messages = List.copyOf(messages);
        }
    }

    private RealtimeTable(FileStoreTable table, String lineage, TableOptions options, Optional<Published> base)
    {
        this.name = options.name();
        this.table = table;
        this.lineage = lineage;
        this.options = options;
        this.commitUser = "realtime-%s-%s".formatted(options.incarnation(), UUID.randomUUID());
        Progress claim = new Progress(lineage, options.logId(), base.map(found -> found.progress().epoch() + 1).orElse(1L),
                base.map(found -> found.progress().identifier() + 1).orElse(1L), false,
                base.map(found -> found.progress().offsets()).orElse(Map.of()),
                base.map(found -> found.progress().producers()).orElse(Map.of()));
        long snapshot = new ProgressCommit(table, commitUser).commit(base.map(Published::progress), claim, List.of());
        this.committed = new Published(snapshot, claim);
        holdSnapshot(snapshot);
        appendLock.lock();
        try {
            publish();
        }
        finally {
            appendLock.unlock();
        }
    }

    /**
     * Claims the table for this service by a progress-only commit of the next epoch, and goes on where the last progress ends.
     */
    public static RealtimeTable open(FileStoreTable table, TableOptions options)
    {
        FileStoreTable writable = RealtimeTables.openForWriting(table);
        ProgressFiles progressFiles = new ProgressFiles(writable);
        String lineage = progressFiles.createLineage();
        Optional<Published> base = progressFiles.latestSnapshotId().flatMap(latest -> progressFiles.newest(lineage, latest));
        return new RealtimeTable(writable, lineage, options, base);
    }

    public String name()
    {
        return name;
    }

    /** Schema that rows must have now. */
    public RowType rowType()
    {
        return table.rowType();
    }

    /** Newest known definition of the table. */
    public FileStoreTable paimonTable()
    {
        return table;
    }

    /** Newest own snapshot and its progress. */
    public Published committed()
    {
        return committed;
    }

    /**
     * Appends rows: all visible at once, over all buckets and all batches.
     *
     * @param batches in the canonical Arrow form of {@code schema}; stay the caller's
     * @param schema the row type the rows were made for
     * @throws RealtimeException UNAVAILABLE if the schema has changed since: make the rows again
     */
    public long append(List<VectorSchemaRoot> batches, RowType schema)
    {
        long count = 0;
        long bytes = 0;
        List<List<RowRouting.Route>> routes = new ArrayList<>();
        for (VectorSchemaRoot rows : batches) {
            count += rows.getRowCount();
            List<RowRouting.Route> routed = new RowRouting(table).route(new VectorRows(rows, schema));
            routes.add(routed);
            // what is gathered now and what a merge of small chunks holds twice for a moment
            bytes += 2 * rows.getFieldVectors().stream().mapToLong(vector -> vector.getBufferSize()).sum() + 4096L * routed.size();
        }
        if (count == 0) {
            return 0;
        }
        MemoryBudget.Reservation reservation = options.budget().reserveForAppend("Table " + name, bytes, options.appendTimeoutMillis());
        try {
            appendLock.lock();
            try {
                checkOpen();
                checkSchema(schema);
                write(batches, routes);
                publish();
            }
            finally {
                appendLock.unlock();
            }
        }
        finally {
            reservation.close();
        }
        return count;
    }

    private void checkSchema(RowType schema)
    {
        if (!schema.equals(table.rowType())) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s: the schema has just changed; try again".formatted(name));
        }
    }

    @GuardedBy("appendLock")
    private void write(List<VectorSchemaRoot> batches, List<List<RowRouting.Route>> routes)
    {
        Map<PartitionBucket, Long> ends = new LinkedHashMap<>();
        for (List<RowRouting.Route> routed : routes) {
            for (RowRouting.Route route : routed) {
                long start = ends.containsKey(route.bucket()) ? ends.get(route.bucket()) : upper(route.bucket());
                if (route.rowCount() > OffsetRange.MAX_OFFSET - start) {
                    throw new RealtimeException(Code.RESOURCE_EXHAUSTED, "Table %s: offsets of a bucket are used up".formatted(name));
                }
                ends.put(route.bucket(), start + route.rowCount());
            }
        }
        if (buckets.size() + Sets.difference(ends.keySet(), buckets.keySet()).size() > options.maxPartitionBuckets()) {
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED,
                    "Table %s: rows for more than %s partition-buckets in memory (paimon.realtime.max-partition-buckets); try again"
                            .formatted(name, options.maxPartitionBuckets()));
        }
        Map<PartitionBucket, Long> written = new HashMap<>();
        try {
            for (int i = 0; i < batches.size(); i++) {
                for (RowRouting.Route route : routes.get(i)) {
                    Bucket bucket = buckets.get(route.bucket());
                    if (bucket == null) {
                        bucket = new Bucket(upper(route.bucket()));
                        buckets.put(route.bucket(), bucket);
                    }
                    long start = written.getOrDefault(route.bucket(), bucket.upper);
                    currentGeneration(bucket).indexer
                            .write(new RealtimeWriteBatch(batches.get(i), route.positions(), route.from(), route.rowCount(), start));
                    written.put(route.bucket(), start + route.rowCount());
                }
            }
        }
        catch (RuntimeException e) {
            // no cut shows these rows yet
            written.keySet().forEach(key -> {
                Bucket bucket = buckets.get(key);
                Iterables.getLast(bucket.generations).indexer.discardFrom(bucket.upper);
            });
            throw e;
        }
        long now = System.nanoTime();
        ends.forEach((key, end) -> {
            Bucket bucket = buckets.get(key);
            bucket.upper = end;
            if (bucket.oldestRowNanos < 0) {
                bucket.oldestRowNanos = now;
            }
            renewViews(bucket);
        });
    }

    @GuardedBy("appendLock")
    private long upper(PartitionBucket key)
    {
        Bucket bucket = buckets.get(key);
        return bucket == null ? committed.progress().offset(key) : bucket.upper;
    }

    /**
     * Commits rows directly, behind a round of what is in memory: for statements that do not fit into memory. They are visible at once when this returns, and not at all when it throws.
     * Appends wait while the snapshot is made.
     *
     * @param rows row objects may be reused
     */
    public long appendDirectly(Iterator<InternalRow> rows, RowType schema)
    {
        FileStoreTable target = table;
        checkSchema(schema);
        BulkFlush.Result bulk = BulkFlush.flush(target, commitUser, rows);
        roundLock.lock();
        try {
            commitRound();
            appendLock.lock();
            try {
                checkOpen();
                Optional<PreparedRound> round = prepareCommitWithProgress();
                Progress base = committed.progress();
                Map<PartitionBucket, Long> ends = new HashMap<>(round.map(memory -> memory.next().offsets()).orElse(base.offsets()));
                bulk.rows().forEach((key, count) -> ends.merge(key, count, Math::addExact));
                List<CommitMessage> messages = new ArrayList<>(round.map(PreparedRound::messages).orElse(List.of()));
                messages.addAll(bulk.messages());
                Progress next = new Progress(lineage, options.logId(), base.epoch(), base.identifier() + 1, false, ends, base.producers());
                PreparedRound memoryOnly = prepared;
                prepared = new PreparedRound(Optional.of(base), next, messages);
                long snapshot;
                try {
                    snapshot = commitWithProgress();
                }
                catch (RuntimeException e) {
                    if (new ProgressCommit(table, commitUser).find(next).isEmpty()) {
                        // the rows of the statement are given up, those of memory go on
                        prepared = memoryOnly;
                        new ProgressCommit(table, commitUser).abort(bulk.messages());
                    }
                    throw e;
                }
                bulk.rows().keySet().forEach(key -> {
                    Bucket bucket = buckets.get(key);
                    if (bucket != null) {
                        bucket.upper = ends.get(key);
                    }
                });
                refreshCommittedSnapshot(snapshot);
                return bulk.rows().values().stream().mapToLong(Long::longValue).sum();
            }
            finally {
                appendLock.unlock();
            }
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("appendLock")
    private Generation currentGeneration(Bucket bucket)
    {
        if (bucket.generations.isEmpty() || Iterables.getLast(bucket.generations).table.schema().id() != table.schema().id()) {
            bucket.generations.add(new Generation(table, options.indexers().create(
                    new MemIndexerOptions(name, table.rowType(), table.schema().trimmedPrimaryKeys(), bucket.upper, options.allocator(),
                            table.options()))));
        }
        return Iterables.getLast(bucket.generations);
    }

    /** Called with the append lock held. */
    private static void renewViews(Bucket bucket)
    {
        List<SharedView> old = bucket.views;
        bucket.views = bucket.generations.stream().map(generation -> new SharedView(generation.indexer)).toList();
        old.forEach(SharedView::release);
    }

    /** Makes the state of the buckets the newest cut. */
    @GuardedBy("appendLock")
    private void publish()
    {
        Map<PartitionBucket, BucketCut> cut = new HashMap<>();
        Progress progress = committed.progress();
        buckets.forEach((key, bucket) -> {
            bucket.views.forEach(SharedView::retain);
            cut.put(key, new BucketCut(progress.offset(key), bucket.upper, bucket.views));
        });
        progress.offsets().forEach((key, end) -> cut.putIfAbsent(key, new BucketCut(end, end, List.of())));
        options.board().publish(name, new TableCut(lineage, committed.snapshotId(), cut));
    }

    /** Opens readers over one partition-bucket of a cut that the caller holds. */
    public static List<MemBatchReader> read(TableCut cut, PartitionBucket bucket, MemReadRequest request, MemQueryContext context)
    {
        BucketCut bucketCut = cut.buckets().get(bucket);
        if (bucketCut == null) {
            return List.of();
        }
        if (request.offsets().end() > bucketCut.upper()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Offsets %s are above the cut's %s".formatted(request.offsets(), bucketCut.upper()));
        }
        List<MemBatchReader> readers = new ArrayList<>();
        try {
            for (SharedView view : bucketCut.views()) {
                readers.addAll(view.indexer().createQueryReaders(view.view(), request, context));
            }
            return readers;
        }
        catch (RuntimeException e) {
            readers.forEach(MemBatchReader::close);
            throw e;
        }
    }

    /** One whole round: everything accepted before the call is in a snapshot when it returns. Throws what went wrong; the rows stay and the next round tries again. */
    public void commitRound()
    {
        roundLock.lock();
        try {
            while (prepareCommitWithProgress().isPresent()) {
                refreshCommittedSnapshot(commitWithProgress());
                if (rowsInMemory() == 0) {
                    break;
                }
            }
            lastError = "";
        }
        catch (RuntimeException e) {
            lastError = String.valueOf(e.getMessage());
            throw e;
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Seals all buckets at one cut and writes their sealed segments into data files. A round that is prepared already and whose fate is open is returned again.
     *
     * @return empty if there is nothing to commit
     */
    public Optional<PreparedRound> prepareCommitWithProgress()
    {
        roundLock.lock();
        try {
            if (prepared != null) {
                return Optional.of(prepared);
            }
            refreshSchema();
            Map<PartitionBucket, Long> ends = new HashMap<>(committed.progress().offsets());
            record Work(PartitionBucket bucket, FileStoreTable table, MemIndexer indexer, RealtimeSegmentHandle segment)
            {}
            List<Work> work = new ArrayList<>();
            appendLock.lock();
            try {
                checkOpen();
                buckets.forEach((key, bucket) -> {
                    for (Generation generation : bucket.generations) {
                        generation.indexer.sealForCommit().ifPresent(generation.sealed::add);
                        generation.sealed.forEach(segment -> work.add(new Work(key, generation.table, generation.indexer, segment)));
                    }
                    ends.put(key, bucket.upper);
                });
            }
            finally {
                appendLock.unlock();
            }
            if (work.isEmpty()) {
                return Optional.empty();
            }
            Progress base = committed.progress();
            Progress next = new Progress(lineage, options.logId(), base.epoch(), base.identifier() + 1, false, ends, base.producers());
            List<CommitMessage> messages = new ArrayList<>();
            try {
                for (Work item : work) {
                    messages.addAll(flush(item.table(), item.bucket(), item.indexer(), item.segment(), next.identifier()));
                }
            }
            catch (RuntimeException e) {
                // nothing was published: the files of this attempt are certainly unreferenced
                new ProgressCommit(table, commitUser).abort(messages);
                throw e;
            }
            prepared = new PreparedRound(Optional.of(base), next, messages);
            return Optional.of(prepared);
        }
        finally {
            roundLock.unlock();
        }
    }

    private List<CommitMessage> flush(FileStoreTable target, PartitionBucket bucket, MemIndexer indexer, RealtimeSegmentHandle segment,
            long identifier)
    {
        try (MemoryBudget.Reservation _ = options.budget().reserveForFlush("Flush of table " + name, segment.memoryBytes(),
                options.appendTimeoutMillis());
                SegmentRows rows = new SegmentRows(indexer.createCommitReaders(segment), target.rowType())) {
            return new SegmentFlush(target, commitUser).flush(bucket, rows, segment.rowCount(), identifier);
        }
    }

    /**
     * Commits the prepared round.
     *
     * @return the snapshot that holds it, also when an earlier call whose answer was lost made it
     */
    public long commitWithProgress()
    {
        roundLock.lock();
        try {
            if (prepared == null) {
                throw new IllegalStateException("Table %s: no round is prepared".formatted(name));
            }
            ProgressCommit commit = new ProgressCommit(table, commitUser);
            Optional<Published> earlier = commit.find(prepared.next());
            if (earlier.isPresent()) {
                return earlier.get().snapshotId();
            }
            return commit.commit(prepared.base(), prepared.next(), prepared.messages());
        }
        finally {
            roundLock.unlock();
        }
    }

    /**
     * Adopts a snapshot: what it holds is committed for every cut from now on, and memory below it is given up. Repeating it changes nothing; an older snapshot is refused.
     */
    public void refreshCommittedSnapshot(long snapshotId)
    {
        roundLock.lock();
        try {
            ProgressFiles progressFiles = new ProgressFiles(table);
            Published published = progressFiles.newest(lineage, snapshotId)
                    .orElseThrow(() -> new RealtimeException(Code.COMMIT_FAILED,
                            "Table %s: snapshot %s has no progress of this table".formatted(name, snapshotId)));
            if (published.progress().isSameStep(committed.progress())) {
                return;
            }
            if (published.progress().epoch() != committed.progress().epoch()) {
                throw new RealtimeException(Code.FENCED, "Table %s: snapshot %s belongs to writer epoch %s, this is %s".formatted(name, snapshotId,
                        published.progress().epoch(), committed.progress().epoch()));
            }
            if (published.progress().identifier() < committed.progress().identifier()) {
                throw new RealtimeException(Code.INVALID_ARGUMENT,
                        "Table %s: snapshot %s is older than the adopted %s".formatted(name, snapshotId, committed.snapshotId()));
            }
            if (prepared != null && published.progress().isSameStep(prepared.next())) {
                prepared = null;
            }
            appendLock.lock();
            try {
                committed = published;
                buckets.forEach((key, bucket) -> reclaim(bucket, published.progress().offset(key)));
                publish();
                buckets.values().removeIf(bucket -> bucket.generations.isEmpty());
            }
            finally {
                appendLock.unlock();
            }
            options.budget().signalFreed();
            holdSnapshot(published.snapshotId());
        }
        finally {
            roundLock.unlock();
        }
    }

    @GuardedBy("appendLock")
    private void reclaim(Bucket bucket, long end)
    {
        for (Generation generation : List.copyOf(bucket.generations)) {
            long last = generation.sealed.stream().filter(segment -> segment.offsets().end() <= end).mapToLong(segment -> segment.offsets().end())
                    .max().orElse(-1);
            if (last < 0) {
                continue;
            }
            generation.indexer.reclaim(last);
            generation.sealed.removeIf(segment -> segment.offsets().end() <= last);
            if (generation.indexer.segmentCount() == 0 && (generation.table.schema().id() != table.schema().id() || bucket.upper == end)) {
                generation.indexer.close();
                bucket.generations.remove(generation);
            }
        }
        bucket.oldestRowNanos = bucket.upper == end ? -1 : System.nanoTime();
        renewViews(bucket);
    }

    /** Looks for a newer schema; rows written from then on have it. */
    public void refreshSchema()
    {
        FileStoreTable latest = RealtimeTables.openForWriting(table.copyWithLatestSchema());
        if (latest.schema().id() == table.schema().id()) {
            return;
        }
        appendLock.lock();
        try {
            table = latest;
        }
        finally {
            appendLock.unlock();
        }
    }

    private long rowsInMemory()
    {
        appendLock.lock();
        try {
            return buckets.values().stream().flatMap(bucket -> bucket.generations.stream()).mapToLong(generation -> generation.indexer.rowCount())
                    .sum();
        }
        finally {
            appendLock.unlock();
        }
    }

    /** Keeps the newest own snapshot from expiry: readers and restarts find their offsets in it. */
    private void holdSnapshot(long snapshotId)
    {
        try {
            table.consumerManager().resetConsumer("realtime-" + lineage, new org.apache.paimon.consumer.Consumer(snapshotId));
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: cannot keep snapshot %s from expiry", name, snapshotId);
        }
    }

    public TableStatus status()
    {
        appendLock.lock();
        try {
            long now = System.nanoTime();
            Progress progress = committed.progress();
            List<BucketStatus> status = new ArrayList<>();
            buckets.forEach((key, bucket) -> status.add(new BucketStatus(
                    RealtimeTables.describePartition(table, key.partition()), key.bucket(), progress.offset(key), bucket.upper,
                    bucket.generations.stream().mapToLong(generation -> generation.indexer.rowCount()).sum(),
                    bucket.generations.stream().mapToLong(generation -> generation.indexer.memoryBytes()).sum(),
                    bucket.generations.stream().mapToInt(generation -> generation.indexer.segmentCount()).sum(),
                    0,
                    bucket.oldestRowNanos < 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(now - bucket.oldestRowNanos))));
            return new TableStatus(name, progress.epoch(), committed.snapshotId(), lastError, status);
        }
        finally {
            appendLock.unlock();
        }
    }

    @GuardedBy("appendLock")
    private void checkOpen()
    {
        if (closed) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s is being closed".formatted(name));
        }
    }

    /** Gives up the rows in memory; cuts that are held elsewhere stay readable. */
    @Override
    public void close()
    {
        appendLock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (Bucket bucket : buckets.values()) {
                bucket.views.forEach(SharedView::release);
                bucket.generations.forEach(generation -> generation.indexer.close());
            }
            buckets.clear();
        }
        finally {
            appendLock.unlock();
        }
        options.board().remove(name);
    }

    /** Rows of a batch as Paimon sees them. */
    private static final class VectorRows implements RowRouting.Rows
    {
        private final int rowCount;
        private final ArrowRowView view;

        private VectorRows(VectorSchemaRoot rows, RowType schema)
        {
            this.rowCount = rows.getRowCount();
            this.view = new ArrowRowView(rows.getFieldVectors(), schema);
        }

        @Override
        public int rowCount()
        {
            return rowCount;
        }

        @Override
        public InternalRow row(int position)
        {
            view.setPosition(position);
            return view;
        }
    }
}
