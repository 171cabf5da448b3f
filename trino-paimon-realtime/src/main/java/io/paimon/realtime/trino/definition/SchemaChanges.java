package io.paimon.realtime.trino.definition;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.type.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataType;

import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Locale.ENGLISH;

/**
 * Changes of a table's definition as Paimon takes them, checked against the definition as it is. Nothing is changed here.
 */
public final class SchemaChanges
{
    private SchemaChanges()
    {}

    /**
     * @param properties by name, empty for what is set back to its default
     * @throws TrinoException if a property cannot be changed, or the table would be none that can be written
     */
    public static List<SchemaChange> setProperties(FileStoreTable table, Map<String, Optional<Object>> properties)
    {
        for (String fixed : ImmutableList.of(PaimonTableProperties.PRIMARY_KEY, PaimonTableProperties.PARTITIONED_BY,
                PaimonTableProperties.REALTIME_OFFSET_COLUMN)) {
            if (properties.containsKey(fixed)) {
                throw new TrinoException(NOT_SUPPORTED, "Table property '%s' cannot be changed".formatted(fixed));
            }
        }
        Map<String, Optional<String>> changes = PaimonTableProperties.toOptions(properties, (property, column) -> table.rowType().getFieldNames()
                .stream()
                .filter(field -> field.toLowerCase(ENGLISH).equals(column))
                .findFirst()
                .orElseThrow(
                        () -> new TrinoException(INVALID_TABLE_PROPERTY, "%s names a column that is not there: %s".formatted(property, column))));
        Map<String, String> options = new HashMap<>(table.schema().options());
        ImmutableList.Builder<SchemaChange> schemaChanges = ImmutableList.builder();
        changes.forEach((option, value) -> {
            if (value.isPresent()) {
                options.put(option, value.get());
                schemaChanges.add(SchemaChange.setOption(option, value.get()));
            }
            else {
                options.remove(option);
                schemaChanges.add(SchemaChange.removeOption(option));
            }
        });
        PaimonTableProperties.checkRealtime(options, !table.primaryKeys().isEmpty());
        PaimonTableProperties.checkRouting(table.schema().options(), options);
        TableDefinitions.checkWriterAccepts(table.schema().copy(options));
        return schemaChanges.build();
    }

    /** Whether a real-time table is none any more after these changes. */
    public static boolean turnsRealtimeOff(FileStoreTable table, List<SchemaChange> changes)
    {
        Map<String, String> options = new HashMap<>(table.schema().options());
        for (SchemaChange change : changes) {
            switch (change) {
                case SchemaChange.SetOption set -> options.put(set.key(), set.value());
                case SchemaChange.RemoveOption removed -> options.remove(removed.key());
                default -> {
                }
            }
        }
        return PaimonTableProperties.isRealtime(table.options()) && !PaimonTableProperties.isRealtime(options);
    }

    public static List<SchemaChange> addColumn(FileStoreTable table, ColumnMetadata column, ColumnPosition position)
    {
        if (!column.isNullable()) {
            throw new TrinoException(NOT_SUPPORTED, "This connector does not support adding not null columns");
        }
        SchemaChange.Move move = switch (position) {
            case ColumnPosition.First _ -> SchemaChange.Move.first(column.getName());
            case ColumnPosition.After after -> SchemaChange.Move.after(column.getName(), paimonColumn(table, after.columnName()));
            case ColumnPosition.Last _ -> null;
        };
        checkNewColumn(table, column.getName());
        return ImmutableList.of(SchemaChange.addColumn(
                column.getName(), PaimonTypes.toPaimon(column.getType(), fieldIds(table)), column.getComment().orElse(null), move));
    }

    public static List<SchemaChange> renameColumn(FileStoreTable table, String source, String target)
    {
        checkNewColumn(table, target);
        return ImmutableList.of(SchemaChange.renameColumn(source, target));
    }

    /** @param path of a column, or of a field in one, as Paimon spells it */
    public static List<SchemaChange> changeType(FileStoreTable table, List<String> path, Type type)
    {
        if (NestedFields.isInMapKey(table.rowType(), path)) {
            throw new TrinoException(NOT_SUPPORTED, "Paimon does not support changing fields in keys of maps: " + String.join(".", path));
        }
        DataType from = NestedFields.type(table.rowType(), path);
        DataType to = PaimonTypes.toPaimon(type, fieldIds(table));
        if (!TypeChanges.isAllowed(from, to)) {
            throw new TrinoException(NOT_SUPPORTED, "Cannot change the type of '%s' from %s to %s: values could be lost"
                    .formatted(String.join(".", path), from.copy(true).asSQLString(), to.asSQLString()));
        }
        return ImmutableList.of(SchemaChange.updateColumnType(path.toArray(new String[0]), to, true));
    }

    /** @param path as Trino gives it, of a field in a column */
    public static List<SchemaChange> changeFieldType(FileStoreTable table, List<String> path, Type type)
    {
        return changeType(table, paimonPath(table, path), type);
    }

    /** @return nothing if the field is there already and may be */
    public static List<SchemaChange> addField(FileStoreTable table, List<String> parentPath, String fieldName, Type type, boolean ignoreExisting)
    {
        List<String> path = paimonPath(table, parentPath);
        if (NestedFields.find(table.rowType(), path, fieldName).isPresent()) {
            if (ignoreExisting) {
                return ImmutableList.of();
            }
            throw new TrinoException(COLUMN_ALREADY_EXISTS, "Field '%s' already exists".formatted(fieldName));
        }
        return ImmutableList.of(SchemaChange.addColumn(child(path, fieldName), PaimonTypes.toPaimon(type, fieldIds(table)), null, null));
    }

    public static List<SchemaChange> dropField(FileStoreTable table, List<String> path)
    {
        return ImmutableList.of(SchemaChange.dropColumn(paimonPath(table, path).toArray(new String[0])));
    }

    public static List<SchemaChange> renameField(FileStoreTable table, List<String> fieldPath, String target)
    {
        List<String> path = paimonPath(table, fieldPath);
        if (NestedFields.find(table.rowType(), path.subList(0, path.size() - 1), target).isPresent()) {
            throw new TrinoException(COLUMN_ALREADY_EXISTS, "Field '%s' already exists".formatted(target));
        }
        return ImmutableList.of(SchemaChange.renameColumn(path.toArray(new String[0]), target));
    }

    private static AtomicInteger fieldIds(FileStoreTable table)
    {
        return new AtomicInteger(table.schema().highestFieldId());
    }

    private static String paimonColumn(FileStoreTable table, String trinoName)
    {
        return table.rowType().getFieldNames().stream()
                .filter(name -> name.toLowerCase(ENGLISH).equals(trinoName.toLowerCase(ENGLISH)))
                .findFirst()
                .orElseThrow(() -> new TrinoException(COLUMN_NOT_FOUND, "Column '%s' does not exist".formatted(trinoName)));
    }

    private static void checkNewColumn(FileStoreTable table, String name)
    {
        if (table.rowType().getFieldNames().stream().anyMatch(field -> field.toLowerCase(ENGLISH).equals(name.toLowerCase(ENGLISH)))) {
            throw new TrinoException(COLUMN_ALREADY_EXISTS, "Column '%s' already exists".formatted(name));
        }
    }

    /** The path with every name as Paimon spells it. */
    private static List<String> paimonPath(FileStoreTable table, List<String> path)
    {
        return NestedFields.resolve(table.rowType(), path)
                .orElseThrow(() -> new TrinoException(COLUMN_NOT_FOUND, "Field '%s' does not exist".formatted(String.join(".", path))));
    }

    private static String[] child(List<String> parent, String name)
    {
        return ImmutableList.<String>builder().addAll(parent).add(name).build().toArray(new String[0]);
    }
}
