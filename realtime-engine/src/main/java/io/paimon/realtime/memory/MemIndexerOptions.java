package io.paimon.realtime.memory;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.paimon.types.RowType;

/**
 * What an indexer is made for.
 *
 * @param tableName full name of the table, for messages
 * @param rowType schema of the rows: Paimon's field ids, names and types; for primary-key tables the last column is {@link org.apache.paimon.table.SpecialFields#VALUE_KIND}
 * @param primaryKey by which rows can be asked for in the order of keys; empty for append tables
 * @param startOffset offset of the first row that will be written
 * @param allocator where memory comes from; the indexer makes no child of it and never closes it
 * @param tableOptions all options of the table
 */
public record MemIndexerOptions(String tableName, RowType rowType, Optional<PrimaryKey> primaryKey, long startOffset, BufferAllocator allocator,
        Map<String, String> tableOptions)
{
    public MemIndexerOptions
    {
        requireNonNull(tableName, "tableName is null");
        requireNonNull(rowType, "rowType is null");
        requireNonNull(primaryKey, "primaryKey is null");
        requireNonNull(allocator, "allocator is null");
        tableOptions = Map.copyOf(tableOptions);
    }
}
