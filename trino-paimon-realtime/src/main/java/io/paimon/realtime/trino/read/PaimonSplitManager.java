package io.paimon.realtime.trino.read;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.writer.RealtimeQueries;
import io.trino.spi.NodeManager;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.FixedSplitSource;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

import java.util.Set;

import static io.trino.spi.StandardErrorCode.QUERY_REJECTED;
import static java.util.Objects.requireNonNull;

class PaimonSplitManager implements ConnectorSplitManager
{
    private static final int MEMORY_SPLITS_PER_CORE = 2;

    private final PaimonCatalog catalog;
    private final RealtimeQueries queries;
    private final NodeManager nodes;

    @Inject
    PaimonSplitManager(PaimonCatalog catalog, RealtimeQueries queries, NodeManager nodes)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.queries = requireNonNull(queries, "queries is null");
        this.nodes = requireNonNull(nodes, "nodes is null");
    }

    @Override
    public ConnectorSplitSource getSplits(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorTableHandle table,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint)
    {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        queries.planned(session.getQueryId());
        if (handle.unavailable().isPresent()) {
            throw new TrinoException(handle.unavailable().get().code(), handle.unavailable().get().message());
        }
        if (handle.enforced().isNone() || handle.unenforced().isNone()) {
            return new FixedSplitSource(ImmutableList.of());
        }
        long maxSplitSize = PaimonSessionProperties.getMaxSplitSize(session).toBytes();
        Table paimonTable = catalog.load(handle, ImmutableMap.of(CoreOptions.SOURCE_SPLIT_TARGET_SIZE.key(), maxSplitSize + " b"));
        if (handle.kind() == PaimonTableHandle.Kind.DATA && handle.snapshotId().isEmpty() && handle.realtime().isEmpty()
                && PaimonCatalog.isReadAtOneSnapshot(paimonTable)) {
            return new FixedSplitSource(ImmutableList.of());
        }
        checkPartitionFilter(session, handle, paimonTable);
        return new PaimonSplitSource(
                paimonTable,
                handle,
                maxSplitSize,
                memorySplitTarget(),
                dynamicFilterColumns.isEmpty() ? 0 : PaimonSessionProperties.getDynamicFilteringWaitTimeout(session).toMillis());
    }

    /** Two for each core of the cluster, whose nodes are taken to be like this one. */
    private int memorySplitTarget()
    {
        return MEMORY_SPLITS_PER_CORE * Runtime.getRuntime().availableProcessors() * Math.max(1, nodes.getWorkerNodes().size());
    }

    private static void checkPartitionFilter(ConnectorSession session, PaimonTableHandle handle, Table table)
    {
        if (PaimonSessionProperties.isQueryPartitionFilterRequired(session)
                && table instanceof FileStoreTable
                && !table.partitionKeys().isEmpty()
                && handle.enforced().isAll()) {
            throw new TrinoException(QUERY_REJECTED, "Filter required on %s for at least one of the partition columns: %s"
                    .formatted(handle.name(), String.join(", ", table.partitionKeys())));
        }
    }
}
