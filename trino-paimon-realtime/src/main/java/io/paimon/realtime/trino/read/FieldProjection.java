package io.paimon.realtime.trino.read;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.trino.block.DerivedPage;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.type.FieldSubsets;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Columns of a scan of which some are fields of rows: the columns that have to be read for them, with no more fields than are asked for, and the way from those to these.
 *
 * @param columns what is read: columns of the table, each once, whose rows may have fewer fields
 * @param outputs one for each column of the scan
 */
record FieldProjection(List<PaimonColumnHandle> columns, List<Output> outputs)
{
    /**
     * @param channel what is read
     * @param ordinals the way from there, one number of a field for each step
     */
    record Output(int channel, int[] ordinals)
    {}

    FieldProjection
    {
        columns = ImmutableList.copyOf(columns);
        outputs = ImmutableList.copyOf(outputs);
    }

    /** @param tableType columns of the table, asked for where there are fields of rows */
    static FieldProjection of(List<PaimonColumnHandle> scanned, Supplier<org.apache.paimon.types.RowType> tableType)
    {
        if (scanned.stream().allMatch(PaimonColumnHandle::isColumn)) {
            return new FieldProjection(scanned, ImmutableList.of());
        }
        org.apache.paimon.types.RowType rowType = tableType.get();
        Map<String, Wanted> wanted = new LinkedHashMap<>();
        Map<String, PaimonColumnHandle> columns = new LinkedHashMap<>();
        for (PaimonColumnHandle column : scanned) {
            Wanted node = wanted.computeIfAbsent(column.name(), _ -> new Wanted());
            for (String step : column.path()) {
                node = node.fields.computeIfAbsent(step, _ -> new Wanted());
            }
            node.type = column.type();
            columns.putIfAbsent(column.name(), column);
        }
        columns.replaceAll((name, column) -> new PaimonColumnHandle(name, column.fieldId(),
                FieldSubsets.inOrderOf(rowType.getField(name).type(), wanted.get(name).type())));
        List<String> names = ImmutableList.copyOf(columns.keySet());
        ImmutableList.Builder<Output> outputs = ImmutableList.builder();
        for (PaimonColumnHandle column : scanned) {
            outputs.add(new Output(names.indexOf(column.name()), ordinals(columns.get(column.name()).type(), column.path())));
        }
        return new FieldProjection(ImmutableList.copyOf(columns.values()), outputs.build());
    }

    /** What is wanted of a column or field: all of it, if it has a type, else some of its fields. */
    private static final class Wanted
    {
        private Type type;
        private final Map<String, Wanted> fields = new LinkedHashMap<>();

        private Type type()
        {
            return type != null
                    ? type
                    : RowType.from(fields.entrySet().stream().map(field -> RowType.field(field.getKey(), field.getValue().type())).toList());
        }
    }

    private static int[] ordinals(Type type, List<String> path)
    {
        int[] ordinals = new int[path.size()];
        for (int i = 0; i < ordinals.length; i++) {
            List<RowType.Field> fields = ((RowType) type).getFields();
            String name = path.get(i);
            ordinals[i] = fields.stream().map(field -> field.getName().orElseThrow()).toList().indexOf(name);
            type = fields.get(ordinals[i]).getType();
        }
        return ordinals;
    }

    /** @param source of {@link #columns} */
    ConnectorPageSource apply(ConnectorPageSource source)
    {
        if (outputs.isEmpty()) {
            return source;
        }
        int[] channels = outputs.stream().mapToInt(Output::channel).toArray();
        DerivedPage.Conversion[] conversions = outputs.stream().map(output -> (DerivedPage.Conversion) block -> field(block, output.ordinals()))
                .toArray(DerivedPage.Conversion[]::new);
        return new DerivedPageSource(source, new DerivedPage.Layout(channels, new Block[channels.length], conversions));
    }

    private static Block field(Block block, int[] ordinals)
    {
        Block field = block;
        for (int ordinal : ordinals) {
            // fields of a row that is NULL are NULL themselves
            field = RowBlock.getRowFieldsFromBlock(field).get(ordinal);
        }
        return field;
    }
}
