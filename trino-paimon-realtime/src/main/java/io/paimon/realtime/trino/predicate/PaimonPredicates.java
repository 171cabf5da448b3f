package io.paimon.realtime.trino.predicate;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.trino.block.BlockReader;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.types.DataField;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;

/**
 * Turns a filter of Trino into one of Paimon that every matching row passes. It may let others pass as well: what uses it only skips partitions, files and row groups.
 */
public final class PaimonPredicates
{
    /** Longer lists of values become one range, which bounds what planning costs. */
    public static final int MAX_VALUES = 1_000;
    private static final int MICROSECONDS = 6;

    private PaimonPredicates()
    {}

    /**
     * @param filter not {@code none}
     * @return empty if nothing can be said to Paimon
     */
    public static Optional<Predicate> toPaimon(org.apache.paimon.types.RowType rowType, TupleDomain<PaimonColumnHandle> filter)
    {
        Map<PaimonColumnHandle, Domain> domains = filter.getDomains().orElseThrow(() -> new IllegalArgumentException("filter is none"));
        PredicateBuilder builder = new PredicateBuilder(rowType);
        List<Predicate> predicates = new ArrayList<>();
        domains.forEach((column, domain) -> {
            int index = indexOf(rowType, column);
            // readers of Parquet take a dot for a step into a row, do not find the column, and drop every row
            if (index >= 0 && column.isColumn() && column.name().indexOf('.') < 0) {
                toPaimon(builder, index, domain).ifPresent(predicates::add);
            }
        });
        return predicates.isEmpty() ? Optional.empty() : Optional.of(PredicateBuilder.and(predicates));
    }

    private static int indexOf(org.apache.paimon.types.RowType rowType, PaimonColumnHandle column)
    {
        for (int i = 0; i < rowType.getFieldCount(); i++) {
            DataField field = rowType.getFields().get(i);
            if (field.id() == column.fieldId() && field.name().equals(column.name())) {
                return i;
            }
        }
        return -1;
    }

    private static Optional<Predicate> toPaimon(PredicateBuilder builder, int index, Domain domain)
    {
        if (domain.isAll()) {
            return Optional.empty();
        }
        if (domain.isOnlyNull()) {
            return Optional.of(builder.isNull(index));
        }
        ValueSet values = domain.getValues();
        if (values.isAll()) {
            return Optional.of(builder.isNotNull(index));
        }
        Optional<Predicate> predicate = valuesToPaimon(builder, index, domain);
        if (!domain.isNullAllowed()) {
            return predicate;
        }
        return predicate.map(value -> PredicateBuilder.or(value, builder.isNull(index)));
    }

    private static Optional<Predicate> valuesToPaimon(PredicateBuilder builder, int index, Domain domain)
    {
        Type type = domain.getType();
        if (type == REAL || type == DOUBLE) {
            // minimum and maximum of files are not reliable where there are NaNs, and say nothing about -0.0 and 0.0 being equal
            return Optional.empty();
        }
        if (type instanceof ArrayType || type instanceof MapType || type instanceof RowType) {
            // Paimon keeps no statistics of them
            return Optional.empty();
        }
        Domain simplified = domain.simplify(MAX_VALUES);
        ValueSet values = simplified.getValues();
        if (values.isAll() || values.isNone()) {
            return Optional.empty();
        }
        if (type instanceof CharType) {
            return charToPaimon(builder, index, values);
        }
        if (type == BOOLEAN || values.isDiscreteSet()) {
            if (!values.isDiscreteSet()) {
                return Optional.empty();
            }
            List<Object> literals = values.getDiscreteSet().stream()
                    .map(value -> BlockReader.toPaimon(type, value))
                    .toList();
            return Optional.of(builder.in(index, literals));
        }
        if (!type.isOrderable()) {
            return Optional.empty();
        }
        boolean cut = isCutByIndexes(type);
        ImmutableList.Builder<Predicate> ranges = ImmutableList.builder();
        for (Range range : values.getRanges().getOrderedRanges()) {
            List<Predicate> bounds = new ArrayList<>(2);
            if (range.isSingleValue()) {
                bounds.add(builder.equal(index, BlockReader.toPaimon(type, range.getSingleValue())));
            }
            else {
                range.getLowValue().ifPresent(value -> {
                    Object literal = BlockReader.toPaimon(type, value);
                    bounds.add(cut || range.isLowInclusive() ? builder.greaterOrEqual(index, literal) : builder.greaterThan(index, literal));
                });
                range.getHighValue().ifPresent(value -> {
                    Object literal = BlockReader.toPaimon(type, value);
                    bounds.add(cut || range.isHighInclusive() ? builder.lessOrEqual(index, literal) : builder.lessThan(index, literal));
                });
            }
            if (bounds.isEmpty()) {
                return Optional.empty();
            }
            ranges.add(PredicateBuilder.and(bounds));
        }
        return Optional.of(PredicateBuilder.or(ranges.build()));
    }

    /** Indexes of files cut timestamps to microseconds, and bounds alike: what is beyond a bound may be equal to it. */
    private static boolean isCutByIndexes(Type type)
    {
        return type instanceof TimestampType timestamp && timestamp.getPrecision() > MICROSECONDS
                || type instanceof TimestampWithTimeZoneType instant && instant.getPrecision() > MICROSECONDS;
    }

    /** Files may hold CHAR with or without padding, and Trino compares it as if padded: only beginnings can be compared. */
    private static Optional<Predicate> charToPaimon(PredicateBuilder builder, int index, ValueSet values)
    {
        if (!values.isDiscreteSet()) {
            return Optional.empty();
        }
        List<Predicate> predicates = values.getDiscreteSet().stream()
                .map(value -> builder.startsWith(index, BlockReader.toPaimon(io.trino.spi.type.VarcharType.VARCHAR, value)))
                .toList();
        return Optional.of(PredicateBuilder.or(predicates));
    }
}
