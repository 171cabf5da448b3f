package io.paimon.realtime.paimon;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.RowRouting.Rows;
import java.util.Arrays;
import java.util.Optional;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.KeyValue;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.mergetree.compact.MergeFunction;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyTableUtils;
import org.apache.paimon.utils.RowKindFilter;
import org.apache.paimon.table.sink.RowKindGenerator;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.utils.ProjectedRow;

/**
 * What Paimon's writer does with the kinds of a primary-key table's rows: it may take them from a column, leave rows of some kinds out, and refuse others. One instance per batch: not thread-safe.
 */
public final class RowKinds
{
    private final FileStoreTable table;
    private final RowKindGenerator generator;
    private final RowKindFilter filter;

    public RowKinds(FileStoreTable table)
    {
        this.table = table;
        this.generator = RowKindGenerator.create(table.schema(), table.coreOptions());
        this.filter = RowKindFilter.of(table.coreOptions());
    }

    /**
     * Kinds that the table's own column says ({@code rowkind.field}); empty if the table has none, so that those in memory count.
     *
     * @param rows in the form of memory
     * @throws RealtimeException BAD_DATA if a value is no kind
     */
    public Optional<byte[]> fromColumn(Rows rows)
    {
        if (generator == null) {
            return Optional.empty();
        }
        byte[] kinds = new byte[rows.rowCount()];
        for (int i = 0; i < kinds.length; i++) {
            try {
                kinds[i] = generator.generate(rows.row(i)).toByteValue();
            }
            catch (RuntimeException e) {
                throw new RealtimeException(Code.BAD_DATA, "Table %s, column %s, row %s: %s".formatted(table.fullName(),
                        table.coreOptions().rowkindField().orElse(""), i, e.getMessage()), e);
            }
        }
        return Optional.of(kinds);
    }

    /**
     * Positions of the rows that are written; empty if all are.
     *
     * @param rows in the form of memory
     * @throws RealtimeException BAD_DATA if the table's merge engine takes no row of such a kind: a flush would fail by it
     */
    public Optional<int[]> written(Rows rows)
    {
        if (filter == null && table.coreOptions().mergeEngine() == CoreOptions.MergeEngine.DEDUPLICATE) {
            return Optional.empty();
        }
        MergeFunction<KeyValue> trial = table.coreOptions().mergeEngine() == CoreOptions.MergeEngine.DEDUPLICATE
                ? null
                : PrimaryKeyTableUtils.createMergeFunctionFactory(table.schema()).create();
        ProjectedRow key = ProjectedRow.from(table.schema().projection(table.schema().trimmedPrimaryKeys()));
        int[] kept = new int[rows.rowCount()];
        int count = 0;
        for (int i = 0; i < kept.length; i++) {
            InternalRow row = rows.row(i);
            RowKind kind = row.getRowKind();
            if (filter != null && !filter.test(kind)) {
                continue;
            }
            if (trial != null && kind.isRetract()) {
                tryMerge(trial, new KeyValue().replace(key.replaceRow(row), kind, row), i);
            }
            kept[count++] = i;
        }
        return count == kept.length ? Optional.empty() : Optional.of(Arrays.copyOf(kept, count));
    }

    private void tryMerge(MergeFunction<KeyValue> function, KeyValue row, int position)
    {
        if (KeyedTables.mayFailToRetract(table)) {
            throw new RealtimeException(Code.BAD_DATA,
                    "Table %s, row %s of kind %s: a product can not always be taken back, so that retractions are not taken"
                            .formatted(table.fullName(), position, row.valueKind().shortString()));
        }
        try {
            function.reset();
            function.add(row);
        }
        catch (RuntimeException e) {
            throw new RealtimeException(Code.BAD_DATA, "Table %s, row %s of kind %s: its merge engine %s does not take it: %s".formatted(
                    table.fullName(), position, row.valueKind().shortString(), table.coreOptions().mergeEngine(), e.getMessage()), e);
        }
    }
}
