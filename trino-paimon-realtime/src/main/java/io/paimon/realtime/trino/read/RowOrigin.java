package io.paimon.realtime.trino.read;

import com.google.common.collect.Streams;
import io.airlift.slice.Slices;
import io.paimon.realtime.trino.handle.HiddenColumn;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.DateTimeEncoding;
import io.trino.spi.type.TimeZoneKey;
import io.trino.spi.type.TypeUtils;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;

import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

/**
 * Where rows come from, as values of {@link HiddenColumn}.
 *
 * @param file the file that the rows are in; empty if they are in none, or merged from several
 */
record RowOrigin(FileStoreTable table, BinaryRow partition, Optional<FileOfRows> file)
{
    record FileOfRows(String path, DataFileMeta meta)
    {}

    static RowOrigin of(FileStoreTable table, BinaryRow partition)
    {
        return new RowOrigin(table, partition, Optional.empty());
    }

    static RowOrigin of(FileStoreTable table, DataSplit split, DataFileMeta file)
    {
        String path = table.store().pathFactory().createDataFilePathFactory(split.partition(), split.bucket()).toPath(file).toString();
        return new RowOrigin(table, split.partition(), Optional.of(new FileOfRows(path, file)));
    }

    /** Whether rows of this origin can pass a filter. */
    boolean matches(TupleDomain<PaimonColumnHandle> filter)
    {
        return filter.getDomains().orElse(Map.of()).entrySet().stream()
                .allMatch(entry -> HiddenColumn.of(entry.getKey()).map(column -> entry.getValue().includesNullableValue(value(column))).orElse(true));
    }

    /** A block of one position for each of the columns. */
    Map<HiddenColumn, Block> blocks(Iterable<HiddenColumn> columns)
    {
        return Streams.stream(columns).distinct()
                .collect(toImmutableMap(column -> column, this::block));
    }

    private Block block(HiddenColumn column)
    {
        BlockBuilder builder = column.type().createBlockBuilder(null, 1);
        TypeUtils.writeNativeValue(column.type(), builder, value(column));
        return builder.build();
    }

    private Object value(HiddenColumn column)
    {
        return switch (column) {
            case PATH -> file.map(rows -> Slices.utf8Slice(rows.path())).orElse(null);
            case FILE_SIZE -> file.map(rows -> rows.meta().fileSize()).orElse(null);
            case FILE_MODIFIED_TIME -> file
                    .map(rows -> DateTimeEncoding.packDateTimeWithZone(rows.meta().creationTimeEpochMillis(), TimeZoneKey.UTC_KEY))
                    .orElse(null);
            case PARTITION -> {
                String path = table.store().pathFactory().getPartitionString(partition);
                yield Slices.utf8Slice(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
            }
        };
    }
}
