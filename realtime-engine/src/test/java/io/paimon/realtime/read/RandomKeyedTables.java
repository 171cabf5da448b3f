package io.paimon.realtime.read;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/**
 * Primary-key tables of every merge engine with random options, and rows for them: few keys, so that they meet.
 */
final class RandomKeyedTables
{
    private static final List<DataType> KEY_TYPES = List.of(DataTypes.BIGINT(), DataTypes.INT(), DataTypes.STRING(), DataTypes.DECIMAL(20, 2),
            DataTypes.TIMESTAMP(3),
            DataTypes.TINYINT(), DataTypes.DOUBLE(), DataTypes.CHAR(3), DataTypes.BINARY(4));

    private final Random random;
    private final Map<String, String> options = new HashMap<>();
    private final List<RowKind> kinds = new ArrayList<>();
    private boolean comparesAfterCompaction = true;

    RandomKeyedTables(Random random)
    {
        this.random = random;
    }

    /**
     * Whether Paimon's compaction leaves what its merge on read shows. It does not where a compaction looks up older versions: it passes the only version of a key through the merge function, which
     * makes something else of a retraction or of a NULL sequence group; its merge on read leaves such a version as it is.
     */
    boolean comparesAfterCompaction()
    {
        return comparesAfterCompaction;
    }

    /** May be one that Paimon refuses. */
    Schema table()
    {
        options.clear();
        kinds.clear();
        kinds.addAll(List.of(RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_AFTER));
        List<RowKind> deletes = List.of(RowKind.DELETE, RowKind.UPDATE_BEFORE);
        boolean ignoresDelete = random.nextInt(6) == 0;
        if (ignoresDelete) {
            options.put("ignore-delete", "true");
            kinds.addAll(deletes);
        }
        boolean sequence = random.nextInt(5) < 2;
        boolean groups = false;
        switch (random.nextInt(5)) {
            case 0, 1 -> {
                options.put("merge-engine", "deduplicate");
                kinds.addAll(deletes);
            }
            case 2 -> {
                options.put("merge-engine", "partial-update");
                groups = random.nextBoolean();
                if (groups) {
                    options.put("fields.g.sequence-group", "v1,v2");
                    if (random.nextBoolean()) {
                        options.put("fields.v2.aggregate-function", "sum");
                    }
                    kinds.addAll(deletes);
                }
                else if (random.nextBoolean()) {
                    options.put("partial-update.remove-record-on-delete", "true");
                    kinds.addAll(deletes);
                }
            }
            case 3 -> {
                options.put("merge-engine", "aggregation");
                options.put("fields.v1.aggregate-function", "sum");
                options.put("fields.v2.aggregate-function", List.of("max", "min", "last_value", "first_value").get(random.nextInt(4)));
                options.put("fields.v3.aggregate-function", List.of("listagg", "last_non_null_value").get(random.nextInt(2)));
                if (random.nextBoolean()) {
                    List.of("v2", "v3", "g", "seq", "seq2").forEach(field -> options.put("fields.%s.ignore-retract".formatted(field), "true"));
                    kinds.addAll(deletes);
                }
            }
            default -> {
                options.put("merge-engine", "first-row");
                sequence = false;
            }
        }
        if (sequence) {
            options.put("sequence.field", random.nextBoolean() ? "seq" : "seq,seq2");
            options.put("sequence.field.sort-order", random.nextBoolean() ? "ascending" : "descending");
        }
        options.put("changelog-producer", List.of("none", "none", "input", "lookup", "full-compaction").get(random.nextInt(5)));
        if (random.nextInt(3) == 0) {
            options.put("deletion-vectors.enabled", "true");
            options.put("deletion-vectors.bitmap64", Boolean.toString(random.nextBoolean()));
        }
        boolean looksUp = options.containsKey("deletion-vectors.enabled") || options.get("changelog-producer").equals("lookup");
        boolean retracts = kinds.contains(RowKind.DELETE) && !ignoresDelete;
        boolean changesLoneVersions = groups || (retracts && !options.get("merge-engine").equals("deduplicate"));
        comparesAfterCompaction = !looksUp || !changesLoneVersions;
        options.put("file.format", List.of("avro", "avro", "parquet", "orc").get(random.nextInt(4)));
        options.put("bucket", Integer.toString(1 + random.nextInt(3)));
        // files of few rows each: more of them overlap
        if (random.nextInt(3) == 0) {
            options.put("source.split.open-file-cost", "1b");
            options.put("source.split.target-size", "1kb");
        }
        options.put("realtime.enabled", "true");
        // thousands of writers are opened for a handful of rows each
        options.put("write-buffer-size", "1 mb");
        options.put("page-size", "4 kb");
        options.put("num-sorted-run.compaction-trigger", "3");

        boolean partitioned = random.nextInt(3) == 0;
        List<String> keys = new ArrayList<>();
        Schema.Builder builder = Schema.newBuilder().column("v1", DataTypes.INT());
        if (partitioned) {
            builder.column("p", DataTypes.STRING());
            keys.add("p");
            builder.partitionKeys("p");
        }
        builder.column("k1", KEY_TYPES.get(random.nextInt(KEY_TYPES.size())));
        keys.add("k1");
        builder.column("v2", DataTypes.BIGINT()).column("seq", DataTypes.INT());
        if (random.nextInt(3) == 0) {
            builder.column("k2", KEY_TYPES.get(random.nextInt(KEY_TYPES.size())));
            keys.add(random.nextInt(keys.size() + 1), "k2");
        }
        return builder.column("v3", DataTypes.STRING()).column("g", DataTypes.INT()).column("seq2", DataTypes.BIGINT()).primaryKey(keys)
                .options(options).build();
    }

    List<GenericRow> rows(RowType type, int count)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            GenericRow row = new GenericRow(type.getFieldCount());
            for (int column = 0; column < type.getFieldCount(); column++) {
                row.setField(column, value(type.getFieldNames().get(column), type.getTypeAt(column)));
            }
            row.setRowKind(kinds.get(random.nextInt(kinds.size())));
            rows.add(row);
        }
        return rows;
    }

    private Object value(String column, DataType type)
    {
        boolean key = column.startsWith("k") || column.equals("p");
        if (!key && random.nextInt(4) == 0) {
            return null;
        }
        int number = random.nextInt(column.equals("p") ? 2 : key ? 7 : 20);
        return switch (type.getTypeRoot()) {
            case TINYINT -> (byte) (number - 3);
            case INTEGER -> number - 3;
            case BIGINT -> (number - 3) * 3_000_000_000L;
            case DOUBLE -> (number - 3) / 4.0;
            case DECIMAL -> Decimal.fromBigDecimal(BigDecimal.valueOf((number - 3) * 1_000_000_007L, 2), ((DecimalType) type).getPrecision(),
                    ((DecimalType) type).getScale());
            case TIMESTAMP_WITHOUT_TIME_ZONE -> Timestamp.fromEpochMillis((number - 3) * 86_399_999L);
            case BINARY -> new byte[]{(byte) (number * 40), 0, 1, 2};
            default -> BinaryString.fromString(List.of("a", "b", "ab", "abc", "z", "é", "ß", "k", "l").get(number % 9));
        };
    }
}
