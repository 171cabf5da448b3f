package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.trino.plugin.base.projection.ApplyProjectionUtil;
import io.trino.plugin.base.projection.ApplyProjectionUtil.ProjectedColumnRepresentation;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/** What of a query's work a scan takes over, wholly or in part. */
final class PushDown
{
    private final TransactionTables tables;

    PushDown(TransactionTables tables)
    {
        this.tables = requireNonNull(tables, "tables is null");
    }

    Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(PaimonTableHandle handle, Constraint constraint)
    {
        if (handle.kind() != PaimonTableHandle.Kind.DATA) {
            return Optional.empty();
        }
        TupleDomain<PaimonColumnHandle> summary = constraint.getSummary().transformKeys(PaimonColumnHandle.class::cast);
        Set<String> partitionKeys = ImmutableSet.copyOf(tables.table(handle).partitionKeys());
        TupleDomain<PaimonColumnHandle> exact = summary.filter((column, _) -> isPartitionKey(partitionKeys, column));
        TupleDomain<PaimonColumnHandle> remaining = summary.filter((column, _) -> !isPartitionKey(partitionKeys, column));
        TupleDomain<PaimonColumnHandle> enforced = handle.enforced().intersect(exact);
        TupleDomain<PaimonColumnHandle> unenforced = handle.unenforced().intersect(simplify(remaining));
        if (Objects.equals(enforced, handle.enforced()) && Objects.equals(unenforced, handle.unenforced())) {
            return Optional.empty();
        }
        return Optional.of(new ConstraintApplicationResult<>(
                handle.withFilter(enforced, unenforced),
                remaining.transformKeys(ColumnHandle.class::cast),
                constraint.getExpression(),
                false));
    }

    private static boolean isPartitionKey(Set<String> partitionKeys, PaimonColumnHandle column)
    {
        return column.isColumn() && partitionKeys.contains(column.name());
    }

    /** Long lists of values are not worth carrying to every worker. */
    private static TupleDomain<PaimonColumnHandle> simplify(TupleDomain<PaimonColumnHandle> filter)
    {
        if (filter.isNone()) {
            return filter;
        }
        Map<PaimonColumnHandle, Domain> domains = filter.getDomains().orElseThrow();
        return TupleDomain.withColumnDomains(domains.entrySet().stream()
                .collect(toImmutableMap(Map.Entry::getKey, entry -> entry.getValue().simplify(PaimonPredicates.MAX_VALUES))));
    }

    Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(PaimonTableHandle handle, long limit)
    {
        if (handle.limit().isPresent() && handle.limit().getAsLong() <= limit) {
            return Optional.empty();
        }
        // every split may give as many rows, so that the engine still counts
        return Optional.of(new LimitApplicationResult<>(handle.withLimit(limit), false, false));
    }

    /** Fields of rows become columns of the scan, which reads no more of the rows than these. */
    static Optional<ProjectionApplicationResult<ConnectorTableHandle>> applyProjection(PaimonTableHandle handle,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments)
    {
        Set<ConnectorExpression> wanted = projections.stream()
                .flatMap(projection -> ApplyProjectionUtil.extractSupportedProjectedColumns(projection).stream())
                .collect(toImmutableSet());
        if (wanted.stream().allMatch(Variable.class::isInstance)) {
            return Optional.empty();
        }
        Map<ConnectorExpression, Variable> variables = new LinkedHashMap<>();
        Map<ColumnHandle, Assignment> newAssignments = new LinkedHashMap<>();
        for (ConnectorExpression expression : wanted) {
            ProjectedColumnRepresentation projected = ApplyProjectionUtil.createProjectedColumnRepresentation(expression);
            PaimonColumnHandle column = field((PaimonColumnHandle) assignments.get(projected.getVariable().getName()),
                    projected.getDereferenceIndices());
            // whatever the names are, each of these is one of its own
            String name = (column.isColumn() ? column.name() : column.path().getLast()) + "#" + newAssignments.size();
            Assignment assignment = newAssignments.computeIfAbsent(column, _ -> new Assignment(name, column, column.type()));
            variables.put(expression, new Variable(assignment.getVariable(), column.type()));
        }
        List<ConnectorExpression> newProjections = projections.stream()
                .map(projection -> ApplyProjectionUtil.replaceWithNewVariables(projection, variables))
                .collect(toImmutableList());
        return Optional.of(new ProjectionApplicationResult<>(handle, newProjections, ImmutableList.copyOf(newAssignments.values()), false));
    }

    private static PaimonColumnHandle field(PaimonColumnHandle column, List<Integer> ordinals)
    {
        ImmutableList.Builder<String> path = ImmutableList.builder();
        Type type = column.type();
        for (int ordinal : ordinals) {
            RowType.Field field = ((RowType) type).getFields().get(ordinal);
            path.add(field.getName().orElseThrow());
            type = field.getType();
        }
        return column.field(path.build(), type);
    }
}
