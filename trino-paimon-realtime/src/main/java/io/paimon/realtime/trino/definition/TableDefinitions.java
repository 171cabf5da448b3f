package io.paimon.realtime.trino.definition;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorTableMetadata;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.CatalogEnvironment;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;

import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;

/**
 * Paimon's definitions of the tables that statements create, checked before anything is created.
 */
public final class TableDefinitions
{
    private TableDefinitions()
    {}

    /** The definition of a table that a statement creates. */
    public static Schema schema(ConnectorTableMetadata tableMetadata)
    {
        Map<String, Object> properties = tableMetadata.getProperties();
        Set<String> names = new LinkedHashSet<>();
        AtomicInteger fieldIds = new AtomicInteger(-1);
        Schema.Builder builder = Schema.newBuilder();
        for (ColumnMetadata column : tableMetadata.getColumns()) {
            DataType type = PaimonTypes.toPaimon(column.getType(), fieldIds);
            builder.column(column.getName(), column.isNullable() ? type : type.notNull(), column.getComment().orElse(null));
            names.add(column.getName());
        }
        if (PaimonTableProperties.hasOffsetColumn(properties)) {
            builder.column(RealtimeTables.OFFSET_COLUMN, DataTypes.BIGINT());
        }
        List<String> primaryKey = PaimonTableProperties.getPrimaryKey(properties);
        List<String> partitionedBy = PaimonTableProperties.getPartitionedBy(properties);
        checkColumns(PaimonTableProperties.PRIMARY_KEY, primaryKey, names);
        checkColumns(PaimonTableProperties.PARTITIONED_BY, partitionedBy, names);

        Map<String, Optional<Object>> set = new HashMap<>();
        properties.forEach((property, value) -> Optional.ofNullable(value).ifPresent(present -> set.put(property, Optional.of(present))));
        Map<String, String> options = new HashMap<>();
        PaimonTableProperties.toOptions(set, (property, column) -> {
            checkColumns(property, ImmutableList.of(column), names);
            return column;
        }).forEach((option, value) -> value.ifPresent(present -> options.put(option, present)));
        PaimonTableProperties.checkRealtime(options, !primaryKey.isEmpty());
        try {
            Schema schema = builder
                    .primaryKey(primaryKey)
                    .partitionKeys(partitionedBy)
                    .options(options)
                    .comment(tableMetadata.getComment().orElse(null))
                    .build();
            checkWriterAccepts(TableSchema.create(0, schema));
            return schema;
        }
        catch (IllegalArgumentException | IllegalStateException e) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "Cannot create table %s: %s".formatted(tableMetadata.getTable(), e.getMessage()), e);
        }
    }

    /**
     * Refuses what the writer would refuse at the first row.
     *
     * @throws TrinoException INVALID_TABLE_PROPERTY with the writer's reason
     */
    static void checkWriterAccepts(TableSchema schema)
    {
        if (!PaimonTableProperties.isRealtime(schema.options())) {
            return;
        }
        // nothing is read or written: what matters is what the definition says
        FileStoreTable table = FileStoreTableFactory.createWithoutFallbackBranch(LocalFileIO.create(), new Path("file:/"), schema, new Options(),
                CatalogEnvironment.empty());
        RealtimeTables.unsupportedReason(table).ifPresent(reason -> {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "The table cannot be a real-time table: " + reason);
        });
    }

    private static void checkColumns(String property, List<String> columns, Set<String> existing)
    {
        columns.forEach(column -> {
            if (!existing.contains(column)) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, "%s names a column that is not there: %s".formatted(property, column));
            }
        });
    }
}
