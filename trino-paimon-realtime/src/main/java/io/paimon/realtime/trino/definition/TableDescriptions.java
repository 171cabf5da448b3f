package io.paimon.realtime.trino.definition;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.paimon.RealtimeTables;
import io.paimon.realtime.trino.handle.HiddenColumn;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.Type;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataField;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Locale.ENGLISH;

/** Paimon's definition of a table in Trino's terms. */
public final class TableDescriptions
{
    private TableDescriptions()
    {}

    /** Properties as SHOW CREATE TABLE gives them. */
    public static Map<String, Object> properties(FileStoreTable table)
    {
        Map<String, Object> properties = PaimonTableProperties.fromTable(table.primaryKeys(), table.partitionKeys(), table.schema().options());
        if (!table.rowType().containsField(RealtimeTables.OFFSET_COLUMN)) {
            return properties;
        }
        return ImmutableMap.<String, Object>builder().putAll(properties).put(PaimonTableProperties.REALTIME_OFFSET_COLUMN, true).buildOrThrow();
    }

    /** All columns with their types in Trino, or an error that names the column that makes the table unreadable. */
    public static Map<DataField, Type> columns(SchemaTableName name, Table table)
    {
        Map<String, String> seen = new HashMap<>();
        Map<DataField, Type> columns = new LinkedHashMap<>();
        for (DataField field : table.rowType().getFields()) {
            String other = seen.putIfAbsent(field.name().toLowerCase(ENGLISH), field.name());
            if (other != null) {
                throw new TrinoException(NOT_SUPPORTED, "Columns '%s' and '%s' of %s differ in case only, so that they cannot be told apart in SQL"
                        .formatted(other, field.name(), name));
            }
            columns.put(field, PaimonTypes.toTrino(field.type())
                    .orElseThrow(() -> new TrinoException(NOT_SUPPORTED, "Column '%s' of %s has type %s, which is not supported"
                            .formatted(field.name(), name, field.type().asSQLString()))));
        }
        return columns;
    }

    /** What a data table has beside its columns, unless a column of its own has the name. */
    public static List<HiddenColumn> hiddenColumns(Table table)
    {
        if (!(table instanceof FileStoreTable)) {
            return ImmutableList.of();
        }
        return Arrays.stream(HiddenColumn.values())
                .filter(column -> column != HiddenColumn.PARTITION || !table.partitionKeys().isEmpty())
                .filter(column -> table.rowType().getFieldNames().stream().noneMatch(column.handle().name()::equalsIgnoreCase))
                .collect(toImmutableList());
    }

    /** The same as metadata. */
    public static List<ColumnMetadata> columnsMetadata(SchemaTableName name, Table table)
    {
        ImmutableList.Builder<ColumnMetadata> metadata = ImmutableList.builder();
        columns(name, table).forEach((field, type) -> metadata.add(columnMetadata(field, type)));
        return metadata.build();
    }

    /** One column, with its type in Trino. */
    public static ColumnMetadata columnMetadata(DataField field, Type type)
    {
        return ColumnMetadata.builder()
                .setName(field.name().toLowerCase(ENGLISH))
                .setType(type)
                .setNullable(field.type().isNullable())
                .setComment(Optional.ofNullable(field.description()))
                .setHidden(field.name().equals(RealtimeTables.OFFSET_COLUMN))
                .build();
    }
}
