package io.paimon.realtime.trino.writer;

import static io.trino.spi.connector.SystemTable.Distribution.SINGLE_COORDINATOR;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.createUnboundedVarcharType;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.paimon.realtime.model.WriterStatus;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;

/** {@code system.realtime_writers}: one row for the writer of the catalog, also when it is unavailable. */
class RealtimeWritersTable implements SystemTable
{
    private static final ConnectorTableMetadata METADATA = new ConnectorTableMetadata(
            new SchemaTableName("system", "realtime_writers"),
            ImmutableList.<ColumnMetadata>builder()
                    .add(new ColumnMetadata("address", createUnboundedVarcharType()))
                    .add(new ColumnMetadata("incarnation", createUnboundedVarcharType()))
                    .add(new ColumnMetadata("phase", createUnboundedVarcharType()))
                    .add(new ColumnMetadata("tables", BIGINT))
                    .add(new ColumnMetadata("memory_bytes", BIGINT))
                    .add(new ColumnMetadata("memory_limit_bytes", BIGINT))
                    .add(new ColumnMetadata("log_bytes", BIGINT))
                    .add(new ColumnMetadata("last_error", createUnboundedVarcharType()))
                    .build());

    private final RealtimeWriter writer;

    @Inject
    RealtimeWritersTable(RealtimeWriter writer)
    {
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
        return METADATA;
    }

    @Override
    public RecordCursor cursor(ConnectorTransactionHandle transaction, ConnectorSession session, TupleDomain<Integer> constraint)
    {
        InMemoryRecordSet.Builder rows = InMemoryRecordSet.builder(METADATA);
        WriterStatus status = writer.local()
                .map(service -> service.status())
                .orElseGet(() -> new WriterStatus("", "", WriterStatus.Phase.UNAVAILABLE, 0, 0, 0, 0, writer.unavailableReason()));
        rows.addRow(status.address(), status.incarnation(), status.phase().name(), (long) status.tables(), status.memoryBytes(),
                status.memoryLimitBytes(),
                status.logBytes(), status.lastError());
        return rows.build().cursor();
    }
}
