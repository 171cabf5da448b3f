package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.paimon.types.RowType;

/**
 * What an indexer is made for.
 *
 * @param tableName full name of the table, for messages
 * @param rowType schema of the rows: Paimon's field ids, names and types
 * @param primaryKeys names of the (trimmed) primary key columns; empty for append tables
 * @param startOffset offset of the first row that will be written
 * @param allocator where memory comes from; the indexer makes no child of it and never closes it
 * @param tableOptions all options of the table
 */
public record MemIndexerOptions(String tableName, RowType rowType, List<String> primaryKeys, long startOffset, BufferAllocator allocator,
        Map<String, String> tableOptions)
{
    public MemIndexerOptions
    {
        requireNonNull(tableName, "tableName is null");
        requireNonNull(rowType, "rowType is null");
        primaryKeys = List.copyOf(primaryKeys);
        requireNonNull(allocator, "allocator is null");
        tableOptions = Map.copyOf(tableOptions);
    }
}
