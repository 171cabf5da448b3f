package io.paimon.realtime.paimon;

import io.paimon.realtime.memory.PrimaryKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.KeyValueFileStore;
import org.apache.paimon.mergetree.compact.LookupMergeFunction;
import org.apache.paimon.mergetree.compact.MergeFunctionFactory;
import org.apache.paimon.KeyValue;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyTableUtils;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * What is particular to tables with a primary key: the form of their rows in memory, their key, and how Paimon merges the versions of a key.
 */
public final class KeyedTables
{
    /** Options by which files hold other rows, or in another order, than a merge of versions by key. */
    private static final List<String> UNSUPPORTED_OPTIONS = List.of(
            CoreOptions.RECORD_LEVEL_EXPIRE_TIME.key(),
            CoreOptions.PK_CLUSTERING_OVERRIDE.key(),
            "chain-table.enabled");

    /** Functions of aggregation that take bytes of a form of their own. */
    private static final Set<String> SKETCHES = Set.of("hll_sketch", "theta_sketch", "rbm32", "rbm64");

    private KeyedTables()
    {}

    public static boolean isKeyed(FileStoreTable table)
    {
        return !table.primaryKeys().isEmpty();
    }

    /** Why rows of such a table cannot be written in real time; empty if they can. */
    static Optional<String> unsupportedReason(FileStoreTable table)
    {
        if (RealtimeTables.offsetColumn(table.rowType()) >= 0) {
            return Optional.of("it has a column %s, whose numbers would not be continuous where rows replace each other"
                    .formatted(RealtimeTables.OFFSET_COLUMN));
        }
        for (String option : UNSUPPORTED_OPTIONS) {
            String value = table.options().get(option);
            if (value != null && !value.equals("false")) {
                return Optional.of("option %s is not supported".formatted(option));
            }
        }
        return table.options().entrySet().stream()
                .filter(option -> option.getKey().endsWith(".aggregate-function") && SKETCHES.contains(option.getValue()))
                .map(option -> "option %s = %s is not supported: a value that is no sketch would keep all rows from being committed"
                        .formatted(option.getKey(), option.getValue()))
                .findFirst();
    }

    /** Whether a retraction can fail by values that only a merge brings together. */
    static boolean mayFailToRetract(FileStoreTable table)
    {
        return table.options().entrySet().stream()
                .anyMatch(option -> option.getKey().endsWith(".aggregate-function") && option.getValue().equals("product"));
    }

    /** Columns that rows have in memory: those of the table, and behind them {@link SpecialFields#VALUE_KIND} if the table has a primary key. */
    public static RowType memoryType(FileStoreTable table)
    {
        return isKeyed(table) ? withKind(table.rowType()) : table.rowType();
    }

    /** The type and behind it {@link SpecialFields#VALUE_KIND}. */
    static RowType withKind(RowType type)
    {
        List<DataField> fields = new ArrayList<>(type.getFields());
        fields.add(SpecialFields.VALUE_KIND);
        return new RowType(fields);
    }

    /** The key of rows within a partition-bucket; empty for an append table. */
    public static Optional<PrimaryKey> primaryKey(FileStoreTable table)
    {
        return isKeyed(table)
                ? Optional.of(new PrimaryKey(table.schema().trimmedPrimaryKeysFields().stream().map(DataField::id).toList(),
                        () -> ((KeyValueFileStore) table.store()).newKeyComparator()))
                : Optional.empty();
    }

    /**
     * Whether of several versions of a key, none of which is on disk yet, the newest one is all that is left of them: so that older ones need not be read.
     */
    public static boolean keepsNewestOnly(FileStoreTable table)
    {
        CoreOptions options = table.coreOptions();
        return options.mergeEngine() == CoreOptions.MergeEngine.DEDUPLICATE && options.sequenceField().isEmpty();
    }

    /** Whether an ordinary scan leaves out what no compaction has seen yet. */
    public static boolean scansSkipLevel0(FileStoreTable table)
    {
        return isKeyed(table) && table.coreOptions().batchScanSkipLevel0();
    }

    /** How versions of a key are merged where they come from files of several levels. */
    static MergeFunctionFactory<KeyValue> mergeFunctions(FileStoreTable table)
    {
        MergeFunctionFactory<KeyValue> functions = PrimaryKeyTableUtils.createMergeFunctionFactory(table.schema());
        return table.coreOptions().needLookup()
                ? LookupMergeFunction.wrap(functions, table.coreOptions(), keyType(table), table.rowType())
                : functions;
    }

    /** Columns of keys as files have them. */
    static RowType keyType(FileStoreTable table)
    {
        return new RowType(PrimaryKeyTableUtils.PrimaryKeyFieldsExtractor.EXTRACTOR.keyFields(table.schema()));
    }
}
