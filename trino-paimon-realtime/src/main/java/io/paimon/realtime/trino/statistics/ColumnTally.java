package io.paimon.realtime.trino.statistics;

import io.paimon.realtime.trino.block.ColumnAppender;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.DoubleRange;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.StatsUtil;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.types.DataType;

import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.readNativeValue;

/** NULLs and the range of one column, put together from pieces of the table; a piece of which nothing is known makes all of it unknown. */
final class ColumnTally
{
    private final Type type;
    private final ColumnAppender appender;
    private final boolean ranged;
    private long rows;
    /** Rows of which the NULLs are known. */
    private long seen;
    private long nulls;
    private boolean nullsKnown = true;
    private boolean rangeKnown = true;
    private double minimum = Double.POSITIVE_INFINITY;
    private double maximum = Double.NEGATIVE_INFINITY;
    /** Of a partition column: all that there are. */
    private final Set<Object> values = new HashSet<>();
    private boolean valuesKnown;

    ColumnTally(DataType dataType, Type type)
    {
        this.type = type;
        this.appender = ColumnAppender.create(dataType, type);
        this.ranged = isRanged(type);
    }

    /** Whether the optimizer knows ranges of the type. */
    private static boolean isRanged(Type type)
    {
        return type == BOOLEAN || type == TINYINT || type == SMALLINT || type == INTEGER || type == BIGINT || type == REAL || type == DOUBLE
                || type == DATE
                || type instanceof DecimalType || type instanceof TimestampType || type instanceof TimestampWithTimeZoneType;
    }

    /** Rows that are taken to have as many NULLs as the others, and values of any range. */
    void addUnseen(long count)
    {
        rows += count;
        if (count > 0) {
            rangeKnown = false;
        }
    }

    /** Rows of which nothing is known. */
    void addUnknown(long count)
    {
        if (count > 0) {
            rows += count;
            nullsKnown = false;
            rangeKnown = false;
        }
    }

    /**
     * Rows with their range.
     *
     * @param nullCount how many of them are NULL
     * @param known whether the range is known
     */
    void add(long count, long nullCount, boolean known, DataGetters minimums, DataGetters maximums, int field)
    {
        rows += count;
        seen += count;
        nulls += nullCount;
        if (!ranged || nullCount >= count) {
            return;
        }
        if (!known || minimums.isNullAt(field) || maximums.isNullAt(field)) {
            rangeKnown = false;
            return;
        }
        addRange(number(minimums, field), number(maximums, field));
    }

    private void addRange(OptionalDouble from, OptionalDouble to)
    {
        if (from.isEmpty() || to.isEmpty() || Double.isNaN(from.getAsDouble()) || Double.isNaN(to.getAsDouble())) {
            rangeKnown = false;
            return;
        }
        minimum = Math.min(minimum, from.getAsDouble());
        maximum = Math.max(maximum, to.getAsDouble());
    }

    /** Rows that all have one value. */
    void addPartition(long count, DataGetters partition, int field)
    {
        valuesKnown = true;
        rows += count;
        seen += count;
        if (partition.isNullAt(field)) {
            nulls += count;
            return;
        }
        values.add(read(partition, field));
        if (ranged) {
            OptionalDouble number = number(partition, field);
            addRange(number, number);
        }
    }

    private OptionalDouble number(DataGetters row, int field)
    {
        return StatsUtil.toStatsRepresentation(type, read(row, field));
    }

    private Object read(DataGetters row, int field)
    {
        BlockBuilder builder = type.createBlockBuilder(null, 1);
        appender.append(row, field, builder);
        return readNativeValue(type, builder.build(), 0);
    }

    /** @param analyzed what ANALYZE has found, maybe some time ago: for what the tally does not know */
    ColumnStatistics statistics(Optional<ColStats<?>> analyzed, long analyzedRows)
    {
        ColumnStatistics.Builder statistics = ColumnStatistics.builder();
        double nullFraction = Double.NaN;
        if (seen > 0 && nullsKnown) {
            nullFraction = Math.clamp((double) nulls / seen, 0, 1);
        }
        else if (analyzedRows > 0 && analyzed.isPresent() && analyzed.get().nullCount().isPresent()) {
            nullFraction = Math.clamp((double) analyzed.get().nullCount().getAsLong() / analyzedRows, 0, 1);
        }
        if (!Double.isNaN(nullFraction)) {
            statistics.setNullsFraction(Estimate.of(nullFraction));
        }
        if (rangeKnown && minimum <= maximum) {
            statistics.setRange(new DoubleRange(minimum, maximum));
        }
        if (valuesKnown) {
            statistics.setDistinctValuesCount(Estimate.of(values.size()));
        }
        else if (analyzed.isPresent() && analyzed.get().distinctCount().isPresent()) {
            double valuesOfRows = Double.isNaN(nullFraction) ? rows : rows * (1 - nullFraction);
            statistics.setDistinctValuesCount(Estimate.of(Math.min(analyzed.get().distinctCount().getAsLong(), Math.ceil(valuesOfRows))));
        }
        if (analyzed.isPresent() && analyzed.get().avgLen().isPresent()) {
            statistics.setDataSize(
                    Estimate.of((double) analyzed.get().avgLen().getAsLong() * rows * (Double.isNaN(nullFraction) ? 1 : 1 - nullFraction)));
        }
        return statistics.build();
    }
}
