package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import io.airlift.log.Logger;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.ReadMode;
import io.paimon.realtime.trino.definition.AnalyzeProperties;
import io.paimon.realtime.trino.definition.TableDescriptions;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.statistics.ColumnAnalysis;
import io.paimon.realtime.trino.statistics.SnapshotStatistics;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorAnalyzeMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.TableStatistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.TableCommitImpl;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_COMMIT_ERROR;
import static io.trino.spi.StandardErrorCode.INVALID_ANALYZE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

/** What the optimizer is told of tables in a transaction, and ANALYZE. */
final class TableEstimates
{
    private static final Logger log = Logger.get(TableEstimates.class);

    private final PaimonCatalog catalog;
    /** By what is read: the optimizer asks many times. */
    private final ConcurrentMap<PaimonTableHandle, TableStatistics> known = new ConcurrentHashMap<>();

    TableEstimates(PaimonCatalog catalog)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    TableStatistics statistics(PaimonTableHandle handle)
    {
        if (handle.kind() != PaimonTableHandle.Kind.DATA || handle.enforced().isNone()
                || (handle.readMode() == ReadMode.UNION && handle.realtime().isEmpty())) {
            return TableStatistics.empty();
        }
        return known.computeIfAbsent(handle.withFilter(handle.enforced(), TupleDomain.all()).withoutLimit(), this::read);
    }

    private TableStatistics read(PaimonTableHandle handle)
    {
        try {
            Table table = catalog.load(handle, ImmutableMap.of());
            // rows of a fallback branch, and files with some of the columns of their rows, do not add up
            if (!PaimonCatalog.isReadAtOneSnapshot(table) || ((FileStoreTable) table).coreOptions().dataEvolutionEnabled()) {
                return TableStatistics.empty();
            }
            return SnapshotStatistics.of((FileStoreTable) table, handle, columns(handle, table));
        }
        catch (RuntimeException e) {
            // a query must not fail for want of an estimate
            log.debug(e, "No statistics of %s", handle.name());
            return TableStatistics.empty();
        }
    }

    private static List<PaimonColumnHandle> columns(PaimonTableHandle handle, Table table)
    {
        return TableDescriptions.columns(handle.name(), table).entrySet().stream()
                .map(column -> new PaimonColumnHandle(column.getKey().name(), column.getKey().id(), column.getValue()))
                .collect(toImmutableList());
    }

    /** @param properties of the statement, see {@link AnalyzeProperties} */
    ConnectorAnalyzeMetadata analyze(PaimonTableHandle handle, FileStoreTable table, Map<String, Object> properties)
    {
        if (handle.timeTravel()) {
            throw new TrinoException(NOT_SUPPORTED, "%s is read-only".formatted(handle.name()));
        }
        List<PaimonColumnHandle> columns = columns(handle, table);
        Set<String> wanted = AnalyzeProperties.columns(properties)
                .orElseGet(() -> columns.stream().map(PaimonColumnHandle::trinoName).collect(toImmutableSet()));
        Set<String> names = columns.stream().map(PaimonColumnHandle::trinoName).collect(toImmutableSet());
        wanted.stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new TrinoException(INVALID_ANALYZE_PROPERTY, "%s has no column '%s'".formatted(handle.name(), name));
        });
        // the statistics are of a snapshot, without what is in memory
        return new ConnectorAnalyzeMetadata(handle.committed(),
                ColumnAnalysis.metadata(columns.stream().filter(column -> wanted.contains(column.trinoName())).collect(toImmutableList())));
    }

    void finishAnalyze(ConnectorSession session, PaimonTableHandle handle, FileStoreTable table, Collection<ComputedStatistics> computed)
    {
        if (handle.snapshotId().isEmpty()) {
            // without a snapshot there is nothing that could have statistics
            return;
        }
        ComputedStatistics statistics = Iterables.getOnlyElement(computed);
        List<PaimonColumnHandle> columns = columns(handle, table).stream()
                .filter(column -> statistics.getColumnStatistics().keySet().stream()
                        .anyMatch(metadata -> metadata.getColumnName().equals(column.trinoName())))
                .collect(toImmutableList());
        try (TableCommitImpl commit = table.newCommit("trino-" + session.getQueryId())) {
            commit.updateStatistics(ColumnAnalysis.statistics(handle.snapshotId().getAsLong(), table.schema().id(), columns, statistics));
        }
        catch (Exception e) {
            throw new TrinoException(PAIMON_COMMIT_ERROR, "Cannot keep the statistics of %s: %s".formatted(handle.name(), e.getMessage()), e);
        }
    }
}
