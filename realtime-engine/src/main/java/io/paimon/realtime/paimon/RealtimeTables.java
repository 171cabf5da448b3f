package io.paimon.realtime.paimon;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.RowType;

/**
 * Which Paimon tables can be written in real time, and how the writer opens them.
 */
public final class RealtimeTables
{
    /** Table option that turns real-time writes on. */
    public static final String ENABLED = "realtime.enabled";

    /** Column of type BIGINT that the writer fills with offsets, where a table has it. */
    public static final String OFFSET_COLUMN = "_OFFSET";

    /** Options that hang work on every commit, which a commit with progress would silently leave out. */
    private static final Set<String> REFUSED_OPTIONS = Set.of(
            CoreOptions.COMMIT_CALLBACKS.key(),
            CoreOptions.METASTORE_PARTITIONED_TABLE.key(),
            CoreOptions.METASTORE_TAG_TO_PARTITION.key(),
            CoreOptions.VISIBILITY_CALLBACK_ENABLED.key());

    private RealtimeTables()
    {}

    /** Why rows of a table with this definition cannot be written in real time; empty if they can. */
    public static Optional<String> unsupportedReason(Table table)
    {
        if (!(table instanceof FileStoreTable fileStoreTable)) {
            return Optional.of("it is not a Paimon data table");
        }
        if (!fileStoreTable.coreOptions().branch().equals(Identifier.DEFAULT_MAIN_BRANCH)) {
            return Optional.of("it is branch %s; only the main branch can be written in real time".formatted(fileStoreTable.coreOptions().branch()));
        }
        if (hasFallbackBranch(table)) {
            return Optional.of("it has a fallback branch, which has snapshots of its own");
        }
        BucketMode mode = fileStoreTable.bucketMode();
        if (mode != BucketMode.HASH_FIXED && mode != BucketMode.BUCKET_UNAWARE) {
            return Optional.of("its bucket mode is %s; real-time writes need bucket >= 1, or an append table with bucket = -1".formatted(mode));
        }
        if (fileStoreTable.partitionKeys().contains(OFFSET_COLUMN) || fileStoreTable.schema().bucketKeys().contains(OFFSET_COLUMN)) {
            return Optional.of("rows are routed by %s, which the writer fills only afterwards".formatted(OFFSET_COLUMN));
        }
        if (KeyedTables.isKeyed(fileStoreTable)) {
            Optional<String> reason = KeyedTables.unsupportedReason(fileStoreTable);
            if (reason.isPresent()) {
                return reason;
            }
        }
        if (fileStoreTable.coreOptions().dataEvolutionEnabled()) {
            return Optional.of("data evolution is on");
        }
        Map<String, String> options = fileStoreTable.options();
        for (String option : REFUSED_OPTIONS) {
            if (options.containsKey(option) && !"false".equals(options.get(option))) {
                return Optional.of("option %s hangs work on commits that real-time commits cannot do".formatted(option));
            }
        }
        if (options.getOrDefault("metadata.iceberg.storage", "disabled").equalsIgnoreCase("disabled")) {
            return Optional.empty();
        }
        return Optional.of("option metadata.iceberg.storage hangs work on commits that real-time commits cannot do");
    }

    /** Whether a second branch fills in for missing partitions: then no single snapshot says what is read. */
    public static boolean hasFallbackBranch(Table table)
    {
        return table.options().containsKey(CoreOptions.SCAN_FALLBACK_BRANCH.key());
    }

    /** Position of the column that the writer fills with offsets, -1 if the table has none. */
    public static int offsetColumn(RowType rowType)
    {
        int index = rowType.getFieldIndex(OFFSET_COLUMN);
        return index >= 0 && rowType.getTypeAt(index).getTypeRoot() == DataTypeRoot.BIGINT ? index : -1;
    }

    /** The table as it is defined now, columns and options; options that only this table object has stay. */
    public static FileStoreTable newest(FileStoreTable table)
    {
        SchemaManager schemas = table.schemaManager();
        TableSchema latest = schemas.latest()
                .orElseThrow(() -> new RealtimeException(Code.UNAVAILABLE, "Table %s is gone".formatted(table.fullName())));
        if (latest.id() == table.schema().id()) {
            return table;
        }
        Map<String, String> stored = schemas.schema(table.schema().id()).options();
        Map<String, String> options = new HashMap<>(latest.options());
        table.options().forEach((key, value) -> {
            if (!value.equals(stored.get(key))) {
                options.put(key, value);
            }
        });
        return table.copy(latest.copy(options));
    }

    /** A partition for people, {@code k=v/k2=v2}; never used to identify one. */
    public static String describePartition(FileStoreTable table, BinaryRow partition)
    {
        if (table.partitionKeys().isEmpty()) {
            return "";
        }
        StringJoiner description = new StringJoiner("/");
        table.store().pathFactory().partitionComputer().generatePartValues(partition).forEach((key, value) -> description.add(key + "=" + value));
        return description.toString();
    }

    /** Whether the table asks for real-time writes. */
    public static boolean isEnabled(Table table)
    {
        return Boolean.parseBoolean(table.options().getOrDefault(ENABLED, "false"));
    }

    /**
     * The table as the writer uses it: write-only, so that no compaction result ever shares a commit with progress.
     *
     * @throws RealtimeException NOT_REALTIME with the statement that turns real-time writes on, or the reason why it cannot
     */
    public static FileStoreTable openForWriting(Table table)
    {
        if (!isEnabled(table)) {
            throw new RealtimeException(Code.NOT_REALTIME,
                    "Table %s is not a real-time table: ALTER TABLE %s SET PROPERTIES realtime = true".formatted(table.fullName(), table.fullName()));
        }
        Optional<String> reason = unsupportedReason(table);
        if (reason.isPresent()) {
            throw new RealtimeException(Code.NOT_REALTIME, "Table %s cannot be written in real time: %s".formatted(table.fullName(), reason.get()));
        }
        FileStoreTable writable = ((FileStoreTable) table).copy(Map.of(CoreOptions.WRITE_ONLY.key(), "true"));
        if (writable.fileIO() instanceof LocalFileIO && !(writable.fileIO() instanceof DurableLocalFileIO)) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s was opened with %s, which loses commits; the first access through the durable file system failed: load the table again"
                            .formatted(table.fullName(), writable.fileIO().getClass().getName()));
        }
        return writable;
    }
}
