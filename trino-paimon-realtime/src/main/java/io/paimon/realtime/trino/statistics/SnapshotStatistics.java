package io.paimon.realtime.trino.statistics;

import io.paimon.realtime.paimon.FileStatistics;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.paimon.realtime.trino.predicate.PartitionFilter;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

/**
 * Rows, NULLs, ranges and distinct values of what a scan of a table would read, before its filters: of a snapshot by its manifests, of the writer's memory by what the handle
 * says of it. Rows in memory have no statistics of columns, except of partition columns.
 */
public final class SnapshotStatistics
{
    private final RowType rowType;
    private final RowType partitionType;
    private final List<Column> columns = new ArrayList<>();
    private long rows;

    private record Column(PaimonColumnHandle handle, int field, int partitionField, ColumnTally tally)
    {}

    private SnapshotStatistics(FileStoreTable table, List<PaimonColumnHandle> handles)
    {
        this.rowType = table.rowType();
        this.partitionType = table.schema().logicalPartitionType();
        for (PaimonColumnHandle handle : handles) {
            int field = rowType.getFieldIndex(handle.name());
            columns.add(
                    new Column(handle, field, partitionType.getFieldIndex(handle.name()), new ColumnTally(rowType.getTypeAt(field), handle.type())));
        }
    }

    /**
     * @param table with the handle's schema and snapshot
     * @param handles the columns that are to be described
     */
    public static TableStatistics of(FileStoreTable table, PaimonTableHandle handle, List<PaimonColumnHandle> handles)
    {
        SnapshotStatistics statistics = new SnapshotStatistics(table, handles);
        PartitionFilter partitions = new PartitionFilter(statistics.partitionType, handle.enforced());
        Optional<Statistics> analyzed = Optional.empty();
        if (handle.snapshotId().isPresent()) {
            long snapshotId = handle.snapshotId().getAsLong();
            FileStatistics.forEach(table, snapshotId, filter(statistics.rowType, handle.enforced()), file -> {
                if (partitions.matches(file.partition())) {
                    statistics.add(file);
                }
            });
            analyzed = table.statistics();
        }
        handle.realtime().ifPresent(ticket -> ticket.ranges().forEach(range -> {
            BinaryRow partition = range.partitionBucket().partition();
            if (partitions.matches(partition)) {
                statistics.addMemory(partition, range.end() - range.start());
            }
        }));
        return statistics.build(analyzed);
    }

    private static Optional<org.apache.paimon.predicate.Predicate> filter(RowType rowType, TupleDomain<PaimonColumnHandle> enforced)
    {
        return enforced.isNone() ? Optional.empty() : PaimonPredicates.toPaimon(rowType, enforced);
    }

    private void add(FileStatistics file)
    {
        rows += file.rows();
        InternalArray nullCounts = file.nullCounts();
        for (Column column : columns) {
            if (column.partitionField() >= 0) {
                column.tally().addPartition(file.rows(), file.partition(), column.partitionField());
            }
            else if (nullCounts.isNullAt(column.field()) || nullCounts.getLong(column.field()) < 0) {
                column.tally().addUnknown(file.rows());
            }
            else {
                column.tally().add(file.rows(), nullCounts.getLong(column.field()), file.ranged().test(column.field()), file.minimums(),
                        file.maximums(),
                        column.field());
            }
        }
    }

    private void addMemory(BinaryRow partition, long count)
    {
        rows += count;
        for (Column column : columns) {
            if (column.partitionField() >= 0) {
                column.tally().addPartition(count, partition, column.partitionField());
            }
            else {
                column.tally().addUnseen(count);
            }
        }
    }

    private TableStatistics build(Optional<Statistics> analyzed)
    {
        Map<Integer, ColStats<?>> analyzedColumns = analyzed
                .map(statistics -> statistics.colStats().values().stream().collect(toMap(ColStats::colId, identity(), (first, _) -> first)))
                .orElse(Map.of());
        long analyzedRows = analyzed.map(statistics -> statistics.mergedRecordCount().orElse(0)).orElse(0L);
        TableStatistics.Builder builder = TableStatistics.builder().setRowCount(Estimate.of(rows));
        for (Column column : columns) {
            DataField field = rowType.getFields().get(column.field());
            builder.setColumnStatistics((ColumnHandle) column.handle(),
                    column.tally().statistics(Optional.ofNullable(analyzedColumns.get(field.id())), analyzedRows));
        }
        return builder.build();
    }
}
