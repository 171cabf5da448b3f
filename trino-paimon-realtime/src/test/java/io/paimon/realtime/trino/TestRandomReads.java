package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.read.RandomTables;
import io.trino.testing.MaterializedRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

/**
 * Tables of random types, formats and partitions, written by Paimon's own API through changes of their schema: whole or in part they are read as Paimon's reader reads them, and what is asked of them
 * takes away no row too many. {@code -Dtest.seed} repeats a run, {@code -Dtest.tables} says how many tables there are.
 */
final class TestRandomReads extends AbstractFileReadTest
{
    private static final long SEED = Long.getLong("test.seed", 483);
    private static final int TABLES = Integer.getInteger("test.tables", 15);
    private static final Identifier TABLE = new Identifier("tpch", "t");
    private static final Set<DataTypeRoot> UNCOMPARABLE = Set.of(DataTypeRoot.ARRAY, DataTypeRoot.MAP, DataTypeRoot.MULTISET, DataTypeRoot.ROW,
            DataTypeRoot.BINARY, DataTypeRoot.VARBINARY);
    private static final Set<DataTypeRoot> TIMES = Set.of(DataTypeRoot.TIME_WITHOUT_TIME_ZONE, DataTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
            DataTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);

    @Test
    void rowsAreThoseOfPaimonsReader() throws Exception
    {
        for (int i = 0; i < TABLES; i++) {
            long seed = SEED + i;
            try {
                readTable(new Random(seed));
            }
            catch (Exception | AssertionError e) {
                throw new AssertionError("-Dtest.seed=%s -Dtest.tables=1: %s".formatted(seed, e.getMessage()), e);
            }
            assertUpdate("DROP TABLE t");
        }
    }

    private FileStoreTable loadTable()
    {
        return (FileStoreTable) table("t");
    }

    private void readTable(Random random) throws Exception
    {
        RandomTables tables = new RandomTables(random);
        internals.catalog().catalog().createTable(TABLE, tables.table(), false);
        boolean changed = false;
        int commits = 1 + random.nextInt(4);
        for (int i = 0; i < commits; i++) {
            append("t", tables.rows(loadTable().rowType(), random.nextInt(100)));
            if (random.nextBoolean()) {
                FileStoreTable table = loadTable();
                Set<String> keys = new HashSet<>(table.partitionKeys());
                keys.addAll(table.schema().bucketKeys());
                List<SchemaChange> changes = tables.schemaChange(table.rowType(), keys);
                if (!changes.isEmpty()) {
                    internals.catalog().catalog().alterTable(TABLE, changes, false);
                    changed = true;
                }
            }
        }
        FileStoreTable table = loadTable();
        assertThat(PaimonRows.render(computeActual("SELECT * FROM t"))).isEqualTo(PaimonRows.read(table));
        List<String> columns = new ArrayList<>(table.rowType().getFieldNames());
        Collections.shuffle(columns, random);
        columns = columns.subList(0, 1 + random.nextInt(columns.size()));
        assertThat(PaimonRows.render(computeActual("SELECT %s FROM t".formatted(quoted(columns))))).isEqualTo(PaimonRows.read(table, columns));
        if (!changed) {
            checkReaders(table, columns);
        }
        for (int i = 0; i < 4; i++) {
            checkPredicate(random, table, columns);
        }
    }

    /** Files are read by Trino's reader of their format unless a column that is asked for has a type that it does not read as Paimon does. */
    private void checkReaders(FileStoreTable table, List<String> columns)
    {
        String format = table.coreOptions().fileFormatString();
        boolean isNative = !format.equals("avro") && columns.stream()
                .filter(column -> !table.partitionKeys().contains(column))
                .allMatch(column -> !format.equals("orc") || isReadFromOrc(table.rowType().getField(column).type()));
        long rows = PaimonRows.read(table).size();
        assertReaders("SELECT %s FROM t".formatted(quoted(columns)), isNative ? rows : 0, isNative ? 0 : rows);
    }

    private static boolean isReadFromOrc(DataType type)
    {
        return switch (type) {
            case ArrayType array -> isReadFromOrc(array.getElementType());
            case MultisetType multiset -> isReadFromOrc(multiset.getElementType());
            case MapType map -> isReadFromOrc(map.getKeyType()) && isReadFromOrc(map.getValueType());
            case RowType row -> row.getFieldTypes().stream().allMatch(TestRandomReads::isReadFromOrc);
            default -> !TIMES.contains(type.getTypeRoot());
        };
    }

    private static String quoted(List<String> columns)
    {
        return columns.stream().map(column -> '"' + column + '"').collect(Collectors.joining(", "));
    }

    /** The same comparison, once for Paimon and the readers to know of, once hidden from them. */
    private void checkPredicate(Random random, FileStoreTable table, List<String> columns)
    {
        DataField field = table.rowType().getFields().get(random.nextInt(table.rowType().getFieldCount()));
        String column = '"' + field.name() + '"';
        String condition = condition(random, field, column).orElse(random.nextBoolean() ? "%s IS NULL" : "%s IS NOT NULL");
        String known = condition.formatted(column);
        String hidden = condition.formatted("IF(random() >= 0, %s)".formatted(column));
        assertThat(PaimonRows.render(computeActual("SELECT %s FROM t WHERE %s".formatted(quoted(columns), known)))).describedAs(known)
                .isEqualTo(PaimonRows.render(computeActual("SELECT %s FROM t WHERE %s".formatted(quoted(columns), hidden))));
    }

    private Optional<String> condition(Random random, DataField field, String column)
    {
        if (UNCOMPARABLE.contains(field.type().getTypeRoot())) {
            return Optional.empty();
        }
        List<MaterializedRow> values = computeActual(
                "SELECT CAST(%s AS varchar), typeof(%s) FROM t WHERE %s IS NOT NULL".formatted(column, column, column))
                .getMaterializedRows();
        if (values.isEmpty()) {
            return Optional.empty();
        }
        String low = literal(values.get(random.nextInt(values.size())));
        String high = literal(values.get(random.nextInt(values.size())));
        return Optional.of(switch (random.nextInt(5)) {
            case 0 -> "%%s = %s".formatted(low);
            case 1 -> "%%s >= %s".formatted(low);
            case 2 -> "%%s < %s".formatted(low);
            case 3 -> "%%s BETWEEN %s AND %s".formatted(low, high);
            default -> "%%s IN (%s, %s)".formatted(low, high);
        });
    }

    /** A value of the table, with what a format string needs. */
    private static String literal(MaterializedRow value)
    {
        return "CAST('%s' AS %s)".formatted(((String) value.getField(0)).replace("'", "''"), ((String) value.getField(1)).toLowerCase(Locale.ENGLISH))
                .replace("%", "%%");
    }
}
