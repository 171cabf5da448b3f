package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the service takes for primary-key tables, and in which order it counts. */
final class TestKeyedTables
{
    private static final RowType TYPE = new RowType(List.of(
            new DataField(0, "id", DataTypes.BIGINT().notNull()),
            new DataField(1, "name", DataTypes.STRING()),
            new DataField(2, "number", DataTypes.INT())));

    private RealtimeTester tester;

    @BeforeEach
    void open() throws Exception
    {
        tester = new RealtimeTester();
    }

    @AfterEach
    void close() throws Exception
    {
        tester.close();
    }

    private Identifier create(String name, String... options) throws Exception
    {
        Map<String, String> all = new HashMap<>(Map.of("primary-key", "id", "bucket", "2"));
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        return tester.createTable(name, TYPE, List.of(), all);
    }

    private static GenericRow row(RowKind kind, long id, String name, Integer number)
    {
        return GenericRow.ofKind(kind, id, name == null ? null : BinaryString.fromString(name), number);
    }

    private static List<GenericRow> rows(LongStream ids, String name)
    {
        return ids.mapToObj(id -> row(RowKind.INSERT, id, name, null)).toList();
    }

    private void assertUnion(Identifier table, List<String> expected) throws Exception
    {
        List<String> sorted = expected.stream().sorted().toList();
        assertThat(tester.union(table)).isEqualTo(sorted);
        tester.service().flush(Optional.of(table));
        assertThat(tester.union(table)).as("after the flush").isEqualTo(sorted);
        assertThat(tester.committed(table)).as("committed").isEqualTo(sorted);
    }

    private static void assertRefused(ThrowingCallable call, String message)
    {
        assertThatThrownBy(call).isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_DATA))
                .hasMessageContaining(message);
    }

    @Test
    void theLastVersionInABatchCounts() throws Exception
    {
        Identifier table = create("t");
        tester.append(table,
                List.of(row(RowKind.INSERT, 1, "a", 1), row(RowKind.INSERT, 2, "a", 1), row(RowKind.INSERT, 1, "b", 2),
                        row(RowKind.DELETE, 2, null, null),
                        row(RowKind.DELETE, 3, null, null), row(RowKind.INSERT, 3, "c", 3)));
        assertUnion(table, List.of("1|b|2|", "3|c|3|"));
        tester.append(table, List.of(row(RowKind.DELETE, 1, null, null), row(RowKind.DELETE, 9, null, null)));
        assertUnion(table, List.of("3|c|3|"));
    }

    @Test
    void aStatementThatIsTooBigForMemoryIsNewerThanRowsBeforeItAndOlderThanThoseAfterIt() throws Exception
    {
        tester.restart(tester.options().withMemoryLimit(16 << 20));
        Identifier table = create("t");
        tester.append(table, rows(LongStream.range(0, 1000), "before"));
        String text = "x".repeat(200);
        List<GenericRow> rows = new ArrayList<>(rows(LongStream.range(500, 10_000), text));
        rows.add(row(RowKind.INSERT, 500, "again", null));
        rows.add(row(RowKind.DELETE, 501, null, null));
        tester.withBatch(table, rows, batch -> tester.service().stage(table, "query", "part", batch));
        assertThat(tester.union(table)).hasSize(1000);
        long snapshot = tester.table(table).snapshotManager().latestSnapshotId();
        assertThat(tester.service().publish(table, "query", Set.of("part")).rows()).isEqualTo(rows.size());
        assertThat(tester.table(table).snapshotManager().latestSnapshotId()).as("it was committed").isGreaterThan(snapshot);
        tester.append(table, rows(LongStream.of(600, 20_000), "after"));

        List<String> expected = new ArrayList<>();
        LongStream.range(0, 500).forEach(id -> expected.add(id + "|before|null|"));
        expected.add("500|again|null|");
        LongStream.range(502, 10_000).forEach(id -> expected.add(id + "|" + (id == 600 ? "after" : text) + "|null|"));
        expected.add("20000|after|null|");
        assertUnion(table, expected);
    }

    @Test
    void whatAFlushCouldNotWriteIsRefused() throws Exception
    {
        Identifier first = create("first", "merge-engine", "first-row");
        assertRefused(() -> tester.append(first, List.of(row(RowKind.INSERT, 1, "a", 1), row(RowKind.DELETE, 1, "a", 1))),
                "row 1 of kind -D: its merge engine first-row does not take it");
        Identifier partial = create("partial", "merge-engine", "partial-update");
        assertRefused(() -> tester.append(partial, List.of(row(RowKind.DELETE, 1, "a", 1))), "its merge engine partial-update does not take it");
        Identifier sums = create("sums", "merge-engine", "aggregation", "fields.number.aggregate-function", "max");
        assertRefused(() -> tester.append(sums, List.of(row(RowKind.UPDATE_BEFORE, 1, "a", 1))), "its merge engine aggregation does not take it");
        Identifier plain = create("plain");
        assertRefused(() -> tester.append(plain, List.of(GenericRow.of(null, null, null))), "column id, row 0: NULL in a NOT NULL column");
        for (Identifier table : List.of(first, partial, sums, plain)) {
            tester.append(table, List.of(row(RowKind.INSERT, 7, "b", 2)));
            assertThat(tester.union(table)).containsExactly("7|b|2|");
        }
    }

    @Test
    void whatAMergeCouldNotTakeIsRefused() throws Exception
    {
        Identifier product = create("product", "merge-engine", "aggregation", "fields.number.aggregate-function", "product",
                "fields.name.ignore-retract", "true");
        tester.append(product, List.of(row(RowKind.INSERT, 1, "a", 5), row(RowKind.INSERT, 1, "a", 3)));
        assertRefused(() -> tester.append(product, List.of(row(RowKind.UPDATE_BEFORE, 1, "a", 0))), "a product can not always be taken back");
        assertThat(tester.union(product)).containsExactly("1|a|15|");
        RowType bytes = new RowType(List.of(TYPE.getFields().getFirst(), new DataField(1, "sketch", DataTypes.BYTES())));
        Identifier sketch = tester.createTable("sketch", bytes, List.of(), Map.of("primary-key", "id", "bucket", "1", "merge-engine", "aggregation",
                "fields.sketch.aggregate-function", "hll_sketch"));
        assertThatThrownBy(() -> tester.append(sketch, List.of(GenericRow.of(1L, new byte[]{1}))))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_REALTIME))
                .hasMessageContaining("hll_sketch");
    }

    @Test
    void rowsOfBeforeARescaleStayOlder() throws Exception
    {
        for (long id = 0; id < 20; id++) {
            Identifier table = create("rescaled" + id, "bucket", "1");
            tester.append(table, List.of(row(RowKind.INSERT, id, "old", 1), row(RowKind.INSERT, 100, "kept", 1)));
            tester.table(table).schemaManager().commitChanges(SchemaChange.setOption("bucket", "2"));
            // a statement looks for a newer definition before its first row
            String statement = "statement" + id;
            tester.withBatch(table, List.of(row(RowKind.INSERT, id, "new", 2), row(RowKind.INSERT, 200, "kept", 1)),
                    batch -> tester.service().stage(table, statement, "part", batch));
            assertThat(tester.service().publish(table, statement, Set.of("part")).rows()).isEqualTo(2);
            assertThatThrownBy(() -> tester.union(table))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE))
                    .hasMessageContaining("its number of buckets was changed");
            tester.service().flush(Optional.of(table));
            assertThat(tester.union(table)).contains(id + "|new|2|").doesNotContain(id + "|old|1|").hasSize(3);
            assertThat(tester.committed(table)).isEqualTo(tester.union(table));
        }
    }

    @Test
    void rowsThatTheTableIgnoresAreAcknowledgedAndNotKept() throws Exception
    {
        Identifier table = create("t", "merge-engine", "first-row", "ignore-delete", "true");
        tester.append(table, List.of(row(RowKind.DELETE, 1, "a", 1)));
        assertThat(tester.union(table)).isEmpty();
        tester.append(table, List.of(row(RowKind.INSERT, 1, "a", 1), row(RowKind.DELETE, 1, "a", 1), row(RowKind.INSERT, 2, "b", 2)));
        assertThat(tester.union(table)).containsExactly("1|a|1|", "2|b|2|");
        assertThat(tester.service().tableStatus(table).buckets().stream().mapToLong(bucket -> bucket.memoryRows()).sum()).isEqualTo(2);
    }

    @Test
    void aColumnOfTheTableCanSayTheKind() throws Exception
    {
        Identifier table = create("t", "rowkind.field", "name");
        tester.append(table, List.<InternalRow>of(row(RowKind.INSERT, 1, "+I", 1), row(RowKind.INSERT, 2, "+U", 2), row(RowKind.INSERT, 1, "-D", 3)));
        assertUnion(table, List.of("2|+U|2|"));
        assertRefused(() -> tester.append(table, List.of(row(RowKind.INSERT, 3, "nothing", 1))), "column name, row 0");
        assertRefused(() -> tester.append(table, List.of(row(RowKind.INSERT, 3, null, 1))), "column name, row 0");
        assertThat(tester.union(table)).containsExactly("2|+U|2|");
    }

    @Test
    void tablesThatCannotBeWrittenSayWhy() throws Exception
    {
        for (Map.Entry<String, String> option : Map.of("record-level.expire-time", "1 d", "bucket", "-1").entrySet()) {
            Identifier table = create("refused_" + option.getKey().replaceAll("[^a-z]", ""), option.getKey(), option.getValue());
            assertThatThrownBy(() -> tester.append(table, List.of(row(RowKind.INSERT, 1, "a", 1))))
                    .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_REALTIME))
                    .hasMessageContaining(option.getKey().substring(0, 6));
        }
    }
}
