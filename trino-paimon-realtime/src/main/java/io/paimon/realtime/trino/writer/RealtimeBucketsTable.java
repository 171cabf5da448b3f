package io.paimon.realtime.trino.writer;

import static io.trino.spi.connector.SystemTable.Distribution.SINGLE_COORDINATOR;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.createUnboundedVarcharType;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.model.TableStatus;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import org.apache.paimon.catalog.Identifier;

/** {@code "t$realtime"}: one row per partition-bucket of a table that the writer holds. */
public class RealtimeBucketsTable implements SystemTable
{
    /** Follows the name of a table, as those of Paimon's system tables do. */
    public static final String SUFFIX = "$realtime";

    private static final List<ColumnMetadata> COLUMNS = ImmutableList.<ColumnMetadata>builder()
            .add(new ColumnMetadata("partition", createUnboundedVarcharType()))
            .add(new ColumnMetadata("bucket", INTEGER))
            .add(new ColumnMetadata("committed_offset", BIGINT))
            .add(new ColumnMetadata("upper_offset", BIGINT))
            .add(new ColumnMetadata("memory_rows", BIGINT))
            .add(new ColumnMetadata("memory_bytes", BIGINT))
            .add(new ColumnMetadata("segments", INTEGER))
            .add(new ColumnMetadata("pins", INTEGER))
            .add(new ColumnMetadata("oldest_row_age_ms", BIGINT))
            .add(new ColumnMetadata("last_commit_snapshot", BIGINT))
            .add(new ColumnMetadata("last_error", createUnboundedVarcharType()))
            .build();

    private final ConnectorTableMetadata metadata;
    private final RealtimeWriter writer;
    private final Identifier table;

    public RealtimeBucketsTable(SchemaTableName name, Identifier table, RealtimeWriter writer)
    {
        this.metadata = new ConnectorTableMetadata(requireNonNull(name, "name is null"), COLUMNS);
        this.table = requireNonNull(table, "table is null");
        this.writer = requireNonNull(writer, "writer is null");
    }

    @Override
    public Distribution getDistribution()
    {
        return SINGLE_COORDINATOR;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata()
    {
        return metadata;
    }

    @Override
    public RecordCursor cursor(ConnectorTransactionHandle transaction, ConnectorSession session, TupleDomain<Integer> constraint)
    {
        InMemoryRecordSet.Builder rows = InMemoryRecordSet.builder(metadata);
        TableStatus status = writer.service().tableStatus(table);
        Long snapshot = status.lastCommitSnapshot() < 0 ? null : status.lastCommitSnapshot();
        for (TableStatus.BucketStatus bucket : status.buckets()) {
            rows.addRow(bucket.partition(), bucket.bucket(), bucket.committedOffset(), bucket.upperOffset(), bucket.memoryRows(),
                    bucket.memoryBytes(),
                    bucket.segments(), bucket.pins(), bucket.oldestRowAgeMillis(), snapshot, status.lastError());
        }
        return rows.build().cursor();
    }
}
