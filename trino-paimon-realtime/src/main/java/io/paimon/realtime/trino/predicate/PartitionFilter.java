package io.paimon.realtime.trino.predicate;

import io.paimon.realtime.trino.block.ColumnAppender;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.types.RowType;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static io.trino.spi.type.TypeUtils.readNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * Decides exactly whether a partition can hold rows that pass a filter on partition columns, by the typed values as Trino sees them. Not thread-safe.
 */
public final class PartitionFilter
{
    private final List<PartitionColumn> columns = new ArrayList<>();
    private final Map<BinaryRow, Boolean> known = new HashMap<>();
    private final boolean none;

    /**
     * @param partitionType types of the partition columns in the order of partition rows
     * @param filter columns that are no partition columns are left out
     */
    public PartitionFilter(RowType partitionType, TupleDomain<PaimonColumnHandle> filter)
    {
        requireNonNull(partitionType, "partitionType is null");
        this.none = filter.isNone();
        filter.getDomains().ifPresent(domains -> domains.forEach((column, domain) -> {
            int field = partitionType.getFieldIndex(column.name());
            if (field >= 0 && column.isColumn()) {
                columns.add(new PartitionColumn(field, ColumnAppender.create(partitionType.getTypeAt(field), column.type()), column.type(), domain));
            }
        }));
    }

    public boolean matches(BinaryRow partition)
    {
        if (none) {
            return false;
        }
        if (columns.isEmpty()) {
            return true;
        }
        return known.computeIfAbsent(partition, row -> columns.stream().allMatch(column -> column.matches(row)));
    }

    private record PartitionColumn(int field, ColumnAppender appender, Type type, Domain domain)
    {
        private boolean matches(BinaryRow partition)
        {
            BlockBuilder block = type.createBlockBuilder(null, 1);
            appender.append(partition, field, block);
            return domain.includesNullableValue(readNativeValue(type, block.build(), 0));
        }
    }
}
