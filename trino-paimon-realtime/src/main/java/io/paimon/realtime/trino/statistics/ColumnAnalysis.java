package io.paimon.realtime.trino.statistics;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.paimon.realtime.trino.block.BlockReader;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.spi.block.Block;
import io.trino.spi.expression.FunctionName;
import io.trino.spi.statistics.ColumnStatisticMetadata;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.TableStatisticType;
import io.trino.spi.statistics.TableStatisticsMetadata;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.statistics.ColumnStatisticType.MAX_VALUE_SIZE_IN_BYTES;
import static io.trino.spi.statistics.ColumnStatisticType.TOTAL_SIZE_IN_BYTES;
import static io.trino.spi.statistics.TableStatisticType.ROW_COUNT;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.TypeUtils.readNativeValue;

/** What ANALYZE asks the engine to compute, and the statistics of Paimon that become of it. */
public final class ColumnAnalysis
{
    private static final String COUNT = "count";
    private static final String MINIMUM = "min";
    private static final String MAXIMUM = "max";
    private static final String DISTINCT = "approx_distinct";

    private ColumnAnalysis()
    {}

    /** @param columns those that are analyzed */
    public static TableStatisticsMetadata metadata(List<PaimonColumnHandle> columns)
    {
        ImmutableSet.Builder<ColumnStatisticMetadata> statistics = ImmutableSet.builder();
        for (PaimonColumnHandle column : columns) {
            aggregations(column.type()).forEach(aggregation -> statistics.add(aggregate(column, aggregation)));
            if (hasLength(column.type())) {
                statistics.add(new ColumnStatisticMetadata(column.trinoName(), TOTAL_SIZE_IN_BYTES));
                statistics.add(new ColumnStatisticMetadata(column.trinoName(), MAX_VALUE_SIZE_IN_BYTES));
            }
        }
        return new TableStatisticsMetadata(statistics.build(), ImmutableSet.of(ROW_COUNT), ImmutableList.of());
    }

    private static ColumnStatisticMetadata aggregate(PaimonColumnHandle column, String function)
    {
        return new ColumnStatisticMetadata(column.trinoName(), function, new FunctionName(function));
    }

    private static List<String> aggregations(Type type)
    {
        if (type instanceof ArrayType || type instanceof MapType || type instanceof RowType) {
            return ImmutableList.of(COUNT);
        }
        if (type instanceof VarbinaryType || type == BOOLEAN || type == REAL || type == DOUBLE) {
            // Paimon does not compare binaries, nor is there a smallest number where one is NaN
            return ImmutableList.of(COUNT, DISTINCT);
        }
        return ImmutableList.of(COUNT, DISTINCT, MINIMUM, MAXIMUM);
    }

    private static boolean hasLength(Type type)
    {
        return type instanceof VarcharType || type instanceof VarbinaryType;
    }

    /**
     * @param snapshotId snapshot that was analyzed
     * @param computed what the engine has computed of the {@link #metadata}
     */
    public static Statistics statistics(long snapshotId, long schemaId, List<PaimonColumnHandle> columns, ComputedStatistics computed)
    {
        Map<TableStatisticType, Block> ofTable = computed.getTableStatistics();
        long rows = BIGINT.getLong(ofTable.get(ROW_COUNT), 0);
        Map<String, ColStats<?>> ofColumns = new HashMap<>();
        for (PaimonColumnHandle column : columns) {
            ofColumns.put(column.name(), statistics(column, rows, computed.getColumnStatistics()));
        }
        return new Statistics(snapshotId, schemaId, rows, null, ofColumns);
    }

    private static ColStats<?> statistics(PaimonColumnHandle column, long rows, Map<ColumnStatisticMetadata, Block> computed)
    {
        Type type = column.type();
        long values = count(computed.get(aggregate(column, COUNT))).orElse(0L);
        Optional<Long> totalSize = count(computed.get(new ColumnStatisticMetadata(column.trinoName(), TOTAL_SIZE_IN_BYTES)));
        return newColStats(
                column.fieldId(),
                count(computed.get(aggregate(column, DISTINCT))).orElse(null),
                value(type, computed.get(aggregate(column, MINIMUM))),
                value(type, computed.get(aggregate(column, MAXIMUM))),
                rows - values,
                totalSize.isEmpty() || values == 0 ? null : Math.ceilDiv(totalSize.get(), values),
                count(computed.get(new ColumnStatisticMetadata(column.trinoName(), MAX_VALUE_SIZE_IN_BYTES))).orElse(null));
    }

    @SuppressWarnings("unchecked")
    private static ColStats<Object> newColStats(int fieldId, Long distinct, Object minimum, Object maximum, long nulls, Long averageLength,
            Long maximumLength)
    {
        return ColStats.newColStats(fieldId, distinct, (Comparable<Object>) minimum, (Comparable<Object>) maximum, nulls, averageLength,
                maximumLength);
    }

    private static Optional<Long> count(Block block)
    {
        return block == null || block.isNull(0) ? Optional.empty() : Optional.of(BIGINT.getLong(block, 0));
    }

    private static Object value(Type type, Block block)
    {
        return block == null || block.isNull(0) ? null : BlockReader.toPaimon(type, readNativeValue(type, block, 0));
    }
}
