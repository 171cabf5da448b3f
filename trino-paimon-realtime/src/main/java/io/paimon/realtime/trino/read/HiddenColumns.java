package io.paimon.realtime.trino.read;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.trino.block.DerivedPage;
import io.paimon.realtime.trino.handle.HiddenColumn;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Columns of a scan of which some are {@link HiddenColumn}s: those that are read, and where the others stand among them.
 *
 * @param outputs one for each column of the scan: the hidden one, or empty for the next of those that are read
 */
record HiddenColumns(List<PaimonColumnHandle> columns, List<Optional<HiddenColumn>> outputs)
{
    HiddenColumns
    {
        columns = ImmutableList.copyOf(columns);
        outputs = ImmutableList.copyOf(outputs);
    }

    static HiddenColumns of(List<PaimonColumnHandle> scanned)
    {
        return new HiddenColumns(
                scanned.stream().filter(column -> HiddenColumn.of(column).isEmpty()).collect(toImmutableList()),
                scanned.stream().map(HiddenColumn::of).collect(toImmutableList()));
    }

    /** Whether the scan has none. */
    boolean isEmpty()
    {
        return columns.size() == outputs.size();
    }

    /** @param source of {@link #columns}, whose rows are of one origin */
    ConnectorPageSource apply(ConnectorPageSource source, RowOrigin origin)
    {
        Map<HiddenColumn, Block> values = origin.blocks(outputs.stream().flatMap(Optional::stream).toList());
        int[] channels = new int[outputs.size()];
        Block[] constants = new Block[outputs.size()];
        int next = 0;
        for (int i = 0; i < channels.length; i++) {
            Optional<HiddenColumn> hidden = outputs.get(i);
            channels[i] = hidden.isPresent() ? -1 : next++;
            constants[i] = hidden.map(values::get).orElse(null);
        }
        return new DerivedPageSource(source, new DerivedPage.Layout(channels, constants));
    }
}
