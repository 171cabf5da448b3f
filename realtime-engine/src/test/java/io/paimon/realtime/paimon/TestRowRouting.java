package io.paimon.realtime.paimon;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.RandomRows;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.service.RealtimeTester;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.RowKeyExtractor;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TestRowRouting
{
    private static final RowType ROW_TYPE = new RowType(List.of(
            new DataField(0, "b", DataTypes.BIGINT()),
            new DataField(1, "i", DataTypes.INT()),
            new DataField(2, "s", DataTypes.STRING()),
            new DataField(3, "p", DataTypes.STRING())));

    /** Every row goes where Paimon's own extractor sends it, in order. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "b|1|false|default",
            "b|4|false|default",
            "b|1000|false|default",
            "b|7|true|default",
            "b|4|false|mod",
            "i|4|false|default",
            "i|300|true|default",
            "i|4|true|mod",
            "s|4|false|default",
            "b,i|5|false|default",
            "i,s|300|true|default",
    })
    void testRoutesAsPaimon(String key, int buckets, boolean partitioned, String function) throws Exception
    {
        Random random = new Random(RandomRows.newSeed());
        try (RealtimeTester tester = new RealtimeTester()) {
            FileStoreTable table = tester.table(tester.createTable("t", ROW_TYPE, partitioned ? List.of("p") : List.of(),
                    Map.of("bucket", String.valueOf(buckets), "bucket-key", key, "bucket-function.type", function)));
            for (int round = 0; round < 20; round++) {
                // Paimon's own modulo function takes no NULL
                assertRoutes(table, rows(random, 1 + random.nextInt(5_000), !function.equals("mod")));
            }
        }
    }

    @Test
    void testRoutesUnawareBuckets() throws Exception
    {
        Random random = new Random(RandomRows.newSeed());
        try (RealtimeTester tester = new RealtimeTester()) {
            assertRoutes(tester.table(tester.createTable("t", ROW_TYPE, List.of("p"), Map.of("bucket", "-1"))), rows(random, 1_000, true));
            assertRoutes(tester.table(tester.createTable("u", ROW_TYPE, List.of(), Map.of("bucket", "-1"))), rows(random, 1_000, true));
        }
    }

    private static List<InternalRow> rows(Random random, int count, boolean nulls)
    {
        List<InternalRow> rows = new ArrayList<>();
        int partitions = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            rows.add(GenericRow.of(
                    nulls && random.nextInt(10) == 0 ? null : random.nextLong() >> random.nextInt(64),
                    nulls && random.nextInt(10) == 0 ? null : random.nextInt() >> random.nextInt(32),
                    random.nextInt(10) == 0 ? null : BinaryString.fromString(Long.toString(random.nextLong(), 36)),
                    random.nextInt(10) == 0 ? null : BinaryString.fromString("p" + random.nextInt(partitions))));
        }
        return rows;
    }

    private static void assertRoutes(FileStoreTable table, List<InternalRow> rows)
    {
        Map<PartitionBucket, List<Integer>> expected = new LinkedHashMap<>();
        RowKeyExtractor extractor = table.createRowKeyExtractor();
        for (int i = 0; i < rows.size(); i++) {
            extractor.setRecord(rows.get(i));
            expected.computeIfAbsent(new PartitionBucket(extractor.partition().copy(), extractor.bucket()), _ -> new ArrayList<>()).add(i);
        }
        Map<PartitionBucket, List<Integer>> actual = new LinkedHashMap<>();
        for (RowRouting.Route route : new RowRouting(table).route(new Rows(rows))) {
            List<Integer> positions = new ArrayList<>();
            for (int i = route.from(); i < route.from() + route.rowCount(); i++) {
                positions.add(route.positions() == null ? i : route.positions()[i]);
            }
            assertThat(actual.put(route.bucket(), positions)).isNull();
        }
        assertThat(List.copyOf(actual.entrySet())).isEqualTo(List.copyOf(expected.entrySet()));
    }

    private record Rows(List<InternalRow> rows) implements RowRouting.Rows
    {
        @Override
        public int rowCount()
        {
            return rows.size();
        }

        @Override
        public InternalRow row(int position)
        {
            return rows.get(position);
        }
    }
}
