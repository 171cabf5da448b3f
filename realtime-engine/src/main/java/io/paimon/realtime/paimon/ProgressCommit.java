package io.paimon.realtime.paimon;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.KeyValueFileStore;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.TableRollback;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataFilePathFactory;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.manifest.SimpleFileEntry;
import org.apache.paimon.operation.FileStoreCommitImpl;
import org.apache.paimon.operation.commit.CommitRollback;
import org.apache.paimon.operation.commit.ConflictDetection;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.CommitPreCallback;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.utils.SnapshotManager;

/**
 * Publishes data files and progress in one snapshot, as a compare-and-set over the table's progress: a callback runs inside Paimon's own retry, right before the exclusive
 * create of the snapshot file, walks back from there and refuses unless the newest progress is the one this commit extends.
 *
 * <p>The commit user must be unique per incarnation of the service: Paimon's retry takes any snapshot of the same user and identifier for its own.
 */
public final class ProgressCommit
{
    private final FileStoreTable table;
    private final String commitUser;
    private final ProgressFiles progressFiles;

    public ProgressCommit(FileStoreTable table, String commitUser)
    {
        this.table = requireNonNull(table, "table is null");
        this.commitUser = requireNonNull(commitUser, "commitUser is null");
        this.progressFiles = new ProgressFiles(table);
    }

    /**
     * Commits.
     *
     * @param expected the progress this one extends; empty for the first one of the lineage
     * @return id of the snapshot that was made, not of the latest one
     * @throws RealtimeException FENCED if another writer's progress got in between (nothing was published), COMMIT_FAILED if the table was rolled back behind the expected progress, or
     *         otherwise: call {@link #find} before doing anything
     */
    public long commit(Optional<Progress> expected, Progress next, List<CommitMessage> messages)
    {
        checkExtends(expected, next);
        String file = progressFiles.write(next);
        ManifestCommittable committable = new ManifestCommittable(next.identifier(), null, messages);
        committable.addProperty(ProgressFiles.PROPERTY, file);
        Guard guard = new Guard(expected, next.lineage(), messages);
        Exception failure = null;
        try (TableCommitImpl commit = newCommit(guard)) {
            commit.ignoreEmptyCommit(false);
            // an empty change set with append checks means "all partitions": every manifest would be read
            commit.filterAndCommitMultiple(List.of(committable), !messages.isEmpty());
        }
        catch (Exception e) {
            failure = e;
        }
        try {
            return outcome(next, file, guard, failure);
        }
        finally {
            keepInterrupt(failure);
        }
    }

    private long outcome(Progress next, String file, Guard guard, Exception failure)
    {
        if (guard.refusal != null) {
            progressFiles.delete(file);
            throw guard.refusal;
        }
        Optional<Published> published;
        try {
            published = find(next);
        }
        catch (RuntimeException e) {
            if (failure != null) {
                e.addSuppressed(failure);
            }
            throw e;
        }
        if (published.isPresent()) {
            return published.get().snapshotId();
        }
        // the file stays: whether the attempt was published is not certain
        throw new RealtimeException(Code.COMMIT_FAILED, "Table %s: commit %s failed: %s".formatted(table.fullName(), next.identifier(),
                failure == null ? "its snapshot is not there" : failure.getMessage()), failure);
    }

    /** The snapshot of exactly this step, if it is there. */
    public Optional<Published> find(Progress step)
    {
        return progressFiles.latestSnapshotId()
                .flatMap(latest -> progressFiles.newest(step.lineage(), latest))
                .filter(published -> published.progress().isSameStep(step));
    }

    /** Like {@link #find}, looking also behind newer steps. */
    public Optional<Published> findEarlier(Progress step)
    {
        Optional<Published> published = progressFiles.latestSnapshotId().flatMap(latest -> progressFiles.newest(step.lineage(), latest));
        while (published.isPresent() && isBehind(step, published.get().progress())) {
            published = progressFiles.newest(step.lineage(), published.get().snapshotId() - 1);
        }
        return published.filter(found -> found.progress().isSameStep(step));
    }

    private static boolean isBehind(Progress step, Progress other)
    {
        return other.epoch() > step.epoch() || (other.epoch() == step.epoch() && other.identifier() > step.identifier());
    }

    /** Why files can never be committed, whatever happens: one is gone, they were made for another number of buckets, or rows of other writers are newer than those that must be newest. */
    public Optional<String> uncommittableReason(List<CommitMessage> messages)
    {
        if (Rescaling.isOutdated(table, messages)) {
            return Optional.of("the number of buckets was changed");
        }
        Optional<String> newer = WriteOrder.overtakenBy(table, table.snapshotManager()::latestSnapshotFromFileSystem, messages);
        if (newer.isPresent()) {
            return Optional.of(overtaken(newer.get()));
        }
        try {
            for (CommitMessage message : messages) {
                CommitMessageImpl files = (CommitMessageImpl) message;
                DataFilePathFactory paths = table.store().pathFactory().createDataFilePathFactory(files.partition(), files.bucket());
                for (DataFileMeta file : files.newFilesIncrement().newFiles()) {
                    if (!table.fileIO().exists(paths.toPath(file))) {
                        return Optional.of("data file %s is gone".formatted(file.fileName()));
                    }
                }
            }
            return Optional.empty();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String overtaken(String file)
    {
        return "another writer has committed rows of the same buckets meanwhile, in data file " + file;
    }

    /** As {@link #abort(List)}, because of a failure: an interrupt among it is kept for the caller, but only after the files are gone. */
    void abort(List<CommitMessage> messages, Exception failure)
    {
        try {
            abort(messages);
        }
        finally {
            keepInterrupt(failure);
        }
    }

    private static void keepInterrupt(Exception failure)
    {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /** Deletes the data files of an attempt that was definitely not published. */
    public void abort(List<CommitMessage> messages)
    {
        try (TableCommitImpl commit = table.newCommit(commitUser)) {
            commit.abort(messages);
        }
        catch (RuntimeException e) {
            throw e;
        }
        catch (Exception e) {
            keepInterrupt(e);
            throw new RuntimeException(e);
        }
    }

    private static void checkExtends(Optional<Progress> expected, Progress next)
    {
        expected.ifPresent(base -> {
            if (next.identifier() <= base.identifier()) {
                // Paimon would skip it without a word
                throw new IllegalArgumentException("Commit identifier %s does not grow over %s".formatted(next.identifier(), base.identifier()));
            }
            if (next.epoch() < base.epoch()) {
                throw new IllegalArgumentException("Epoch %s is behind %s".formatted(next.epoch(), base.epoch()));
            }
            base.offsets().forEach((bucket, end) -> {
                if (next.offset(bucket) < end) {
                    throw new IllegalArgumentException("Offset of %s goes back from %s to %s".formatted(bucket, end, next.offset(bucket)));
                }
            });
        });
    }

    private TableCommitImpl newCommit(CommitPreCallback callback)
    {
        var store = table.store();
        CoreOptions options = store.options();
        SnapshotManager snapshots = store.snapshotManager();
        TableRollback rollback = table.catalogEnvironment().catalogTableRollback();
        Comparator<InternalRow> keyComparator = store instanceof KeyValueFileStore keyValueStore ? keyValueStore.newKeyComparator() : null;
        IndexFileHandler indexFiles = store.newIndexFileHandler();
        ConflictDetection.Factory conflictDetection = scanner -> new ConflictDetection(table.name(), commitUser, store.partitionType(),
                store.pathFactory(),
                keyComparator, store.bucketMode(), options.deletionVectorsEnabled(), options.dataEvolutionEnabled(), options.pkClusteringOverride(),
                indexFiles,
                snapshots, scanner);
        FileStoreCommitImpl commit = new FileStoreCommitImpl(table.catalogEnvironment().snapshotCommit(snapshots), table.fileIO(),
                table.schemaManager(),
                table.name(), commitUser, store.partitionType(), options, store.pathFactory(), snapshots, store.manifestFileFactory(),
                store.manifestListFactory(),
                store.indexManifestFileFactory(), store::newScan, store.newStatsFileHandler(), store.bucketMode(), List.of(callback), List.of(),
                conflictDetection, rollback == null ? null : new CommitRollback(rollback));
        return new TableCommitImpl(commit, null, null, null, null, table.consumerManager(), options.snapshotExpireExecutionMode(), table.name(),
                options.forceCreatingSnapshot(), options.fileOperationThreadNum());
    }

    /** The compare part of the compare-and-set. */
    private final class Guard implements CommitPreCallback
    {
        private final Optional<Progress> expected;
        private final String lineage;
        private final List<CommitMessage> messages;
        private RealtimeException refusal;

        private Guard(Optional<Progress> expected, String lineage, List<CommitMessage> messages)
        {
            this.messages = messages;
            this.expected = expected;
            this.lineage = lineage;
        }

        @Override
        public void call(List<SimpleFileEntry> baseFiles, List<ManifestEntry> deltaFiles, List<IndexManifestEntry> indexFiles, Snapshot snapshot)
        {
            Optional<Progress> newest = progressFiles.newest(lineage, snapshot.id() - 1).map(Published::progress);
            boolean same = newest.isPresent() ? expected.isPresent() && newest.get().isSameStep(expected.get()) : expected.isEmpty();
            if (newest.isEmpty() && !progressFiles.lineage().equals(Optional.of(lineage))) {
                refusal = new RealtimeException(Code.FENCED, "Table %s was dropped or re-created under its writer".formatted(table.fullName()));
                throw refusal;
            }
            // after an expiry of our own snapshot nothing is left to compare with: the offsets the writer knows count, and the new snapshot re-asserts them
            if (!same && newest.isPresent()) {
                boolean rolledBack = expected.isPresent() && newest.get().epoch() <= expected.get().epoch()
                        && newest.get().identifier() < expected.get().identifier();
                refusal = new RealtimeException(rolledBack ? Code.COMMIT_FAILED : Code.FENCED,
                        "Table %s: the newest progress is epoch %s, commit %s, not the one this writer extends (%s)".formatted(
                                table.fullName(), newest.get().epoch(), newest.get().identifier(),
                                expected.map(base -> "epoch " + base.epoch() + ", commit " + base.identifier()).orElse("none")));
                throw refusal;
            }
            WriteOrder.overtakenBy(table, () -> progressFiles.snapshot(snapshot.id() - 1).orElse(null), messages).ifPresent(file -> {
                refusal = new RealtimeException(Code.COMMIT_FAILED, "Table %s: %s".formatted(table.fullName(), overtaken(file)));
                throw refusal;
            });
        }

        @Override
        public void close()
        {}
    }

}
