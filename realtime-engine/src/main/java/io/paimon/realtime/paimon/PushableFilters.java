package io.paimon.realtime.paimon;

import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.predicate.CompoundPredicate;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.IsNotNull;
import org.apache.paimon.predicate.IsNull;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypeRoot;

/**
 * What of a filter Paimon can be given so that it skips only what cannot match. The rest of the filter is left to whoever tests rows.
 */
public final class PushableFilters
{
    private PushableFilters()
    {}

    /** The part for planning, where Paimon skips partitions, buckets, and files by their statistics. */
    public static Optional<Predicate> forPlan(Predicate filter, FileStoreTable table)
    {
        // files of any format may be there; the values of partitions do not come from files
        return keep(filter, (leaf, field) -> isComparable(leaf, field)
                && (!field.type().is(DataTypeRoot.CHAR) || table.partitionKeys().contains(field.name())));
    }

    /** The part for reading a split, where Paimon skips row groups, stripes and pages. */
    public static Optional<Predicate> forRead(Predicate filter, Split split)
    {
        boolean orc = !(split instanceof DataSplit data) || data.dataFiles().stream().map(DataFileMeta::fileFormat).anyMatch("orc"::equals);
        return keep(filter, (leaf, field) -> isComparable(leaf, field)
                // a dot is taken for a step into a row by Paimon's reader of Parquet, which does not find the column then and drops every row
                && field.name().indexOf('.') < 0
                // ORC pads texts, and Paimon's reader of it compares local times with instants unless the JVM's time zone is UTC
                && !(orc && field.type().isAnyOf(DataTypeRoot.CHAR, DataTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE)));
    }

    /** Minimum and maximum of a file are not reliable where there are NaNs, and say nothing about -0.0 and 0.0 being different. */
    private static boolean isComparable(LeafPredicate leaf, FieldRef field)
    {
        return leaf.function() instanceof IsNull || leaf.function() instanceof IsNotNull
                || !field.type().isAnyOf(DataTypeRoot.FLOAT, DataTypeRoot.DOUBLE);
    }

    private static Optional<Predicate> keep(Predicate filter, BiPredicate<LeafPredicate, FieldRef> pushable)
    {
        List<Predicate> kept = PredicateBuilder.splitAnd(filter).stream().filter(conjunct -> isPushable(conjunct, pushable)).toList();
        return kept.isEmpty() ? Optional.empty() : Optional.of(PredicateBuilder.and(kept));
    }

    private static boolean isPushable(Predicate predicate, BiPredicate<LeafPredicate, FieldRef> pushable)
    {
        return switch (predicate) {
            case CompoundPredicate compound -> compound.children().stream().allMatch(child -> isPushable(child, pushable));
            case LeafPredicate leaf -> leaf.transform().inputs().stream()
                    .allMatch(input -> !(input instanceof FieldRef field) || pushable.test(leaf, field));
            default -> false;
        };
    }
}
