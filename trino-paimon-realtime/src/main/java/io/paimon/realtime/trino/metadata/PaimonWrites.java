package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.airlift.slice.Slice;
import io.paimon.realtime.trino.config.InsertExistingPartitionsBehavior;
import io.paimon.realtime.trino.handle.CommitFragment;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonPartitioningHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle.RealtimeTarget;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableCommitImpl;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_COMMIT_ERROR;
import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.connector.RetryMode.NO_RETRIES;
import static java.util.Locale.ENGLISH;

/**
 * Statements that write with Paimon's own writers: how rows are laid out, what is refused, how everything becomes one snapshot.
 */
final class PaimonWrites
{
    private PaimonWrites()
    {}

    /** Rows of one partition-bucket go to one writer; without fixed buckets, rows of a partition are kept together. */
    static Optional<ConnectorTableLayout> layout(TableSchema schema)
    {
        int buckets = new CoreOptions(schema.options()).bucket();
        if (buckets < 1) {
            if (schema.partitionKeys().isEmpty()) {
                return Optional.empty();
            }
            return Optional
                    .of(new ConnectorTableLayout(schema.partitionKeys().stream().map(name -> name.toLowerCase(ENGLISH)).collect(toImmutableList())));
        }
        Set<String> columns = new LinkedHashSet<>(schema.partitionKeys());
        columns.addAll(schema.bucketKeys());
        if (columns.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ConnectorTableLayout(
                new PaimonPartitioningHandle(schema.toString(), ImmutableList.copyOf(columns)),
                columns.stream().map(name -> name.toLowerCase(ENGLISH)).collect(toImmutableList()),
                false));
    }

    static PaimonWriteHandle writeHandle(ConnectorSession session, SchemaTableName name, Identifier identifier, FileStoreTable table,
            List<PaimonColumnHandle> columns, Optional<RealtimeTarget> realtime)
    {
        return new PaimonWriteHandle(name, identifier.getDatabaseName(), identifier.getObjectName(), table.schema().id(), columns,
                "trino-" + session.getQueryId(), realtime);
    }

    static void checkRetryMode(RetryMode retryMode)
    {
        if (retryMode != NO_RETRIES) {
            throw new TrinoException(NOT_SUPPORTED, "This connector does not support query retries");
        }
    }

    static void checkWritable(SchemaTableName name, FileStoreTable table)
    {
        BucketMode bucketMode = table.bucketMode();
        if (bucketMode != BucketMode.HASH_FIXED && bucketMode != BucketMode.BUCKET_UNAWARE) {
            throw new TrinoException(NOT_SUPPORTED,
                    "Writing to %s is not supported: its buckets are dynamic (bucket = %s). Create the table with bucket = n, n >= 1"
                            .formatted(name, table.coreOptions().bucket()));
        }
    }

    /** One snapshot for the whole statement. The commit user is the statement's own, so that a repetition finds the work done. */
    static void commit(PaimonWriteHandle handle, FileStoreTable table, Collection<Slice> fragments, InsertExistingPartitionsBehavior behavior)
    {
        List<CommitMessage> messages = new ArrayList<>();
        fragments.forEach(fragment -> messages.addAll(CommitFragment.deserialize(fragment)));
        boolean overwrite = behavior == InsertExistingPartitionsBehavior.OVERWRITE;
        if (messages.isEmpty() && !overwrite) {
            return;
        }
        try (TableCommitImpl commit = table.newCommit(handle.commitUser())) {
            if (behavior == InsertExistingPartitionsBehavior.ERROR && !table.partitionKeys().isEmpty()) {
                Set<BinaryRow> existing = ImmutableSet.copyOf(table.newReadBuilder().newScan().listPartitions());
                if (messages.stream().anyMatch(message -> existing.contains(((CommitMessageImpl) message).partition()))) {
                    commit.abort(messages);
                    throw new TrinoException(ALREADY_EXISTS,
                            "Cannot insert into an existing partition of %s (insert_existing_partitions_behavior is ERROR)".formatted(handle.name()));
                }
            }
            if (overwrite) {
                commit.withOverwrite(ImmutableMap.of());
            }
            commit.filterAndCommit(ImmutableMap.of(PaimonWriteHandle.COMMIT_IDENTIFIER, messages));
        }
        catch (TrinoException e) {
            throw e;
        }
        catch (Exception e) {
            throw new TrinoException(PAIMON_COMMIT_ERROR, "Cannot commit to %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
    }
}
