package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.ROW_TYPE;
import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.model.OffsetRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TestFlightAppendAndRead
{
    private static final Identifier WIDE = Identifier.create("s", "wide");
    private static final RowType INNER = new RowType(List.of(
            DataTypes.FIELD(30, "a", DataTypes.INT()),
            DataTypes.FIELD(31, "b", DataTypes.STRING()),
            DataTypes.FIELD(32, "c", DataTypes.ARRAY(DataTypes.INT()))));
    private static final RowType WIDE_TYPE = new RowType(List.of(
            DataTypes.FIELD(0, "k", DataTypes.BIGINT().notNull()),
            DataTypes.FIELD(1, "bool", DataTypes.BOOLEAN()),
            DataTypes.FIELD(2, "tiny", DataTypes.TINYINT()),
            DataTypes.FIELD(3, "small", DataTypes.SMALLINT()),
            DataTypes.FIELD(4, "i", DataTypes.INT()),
            DataTypes.FIELD(5, "f", DataTypes.FLOAT()),
            DataTypes.FIELD(6, "d", DataTypes.DOUBLE()),
            DataTypes.FIELD(7, "dec", DataTypes.DECIMAL(9, 2)),
            DataTypes.FIELD(8, "bigdec", DataTypes.DECIMAL(38, 10)),
            DataTypes.FIELD(9, "ch", DataTypes.CHAR(4)),
            DataTypes.FIELD(10, "str", DataTypes.STRING()),
            DataTypes.FIELD(11, "bin", DataTypes.BYTES()),
            DataTypes.FIELD(12, "date", DataTypes.DATE()),
            DataTypes.FIELD(13, "time", DataTypes.TIME(3)),
            DataTypes.FIELD(14, "ts3", DataTypes.TIMESTAMP(3)),
            DataTypes.FIELD(15, "ts6", DataTypes.TIMESTAMP(6)),
            DataTypes.FIELD(16, "ts9", DataTypes.TIMESTAMP(9)),
            DataTypes.FIELD(17, "ltz", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6)),
            DataTypes.FIELD(18, "arr", DataTypes.ARRAY(DataTypes.STRING())),
            DataTypes.FIELD(19, "map", DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.INT())),
            DataTypes.FIELD(20, "row", INNER),
            DataTypes.FIELD(21, "nested", DataTypes.ARRAY(INNER))));

    private FlightFixture flight;

    @BeforeEach
    void open()
    {
        flight = new FlightFixture();
        flight.service.createTable(WIDE, WIDE_TYPE);
    }

    @AfterEach
    void close()
    {
        flight.close();
    }

    @Test
    void acknowledgedRowsAreRead()
    {
        flight.append(0, 3);
        flight.append(3, 2);
        assertThat(flight.read(ticket())).containsExactly("[0, row 0]", "[1, row 1]", "[2, row 2]", "[3, row 3]", "[4, row 4]");
    }

    @Test
    void emptyBatchesAreAccepted()
    {
        flight.append(0, 0);
        assertThat(flight.service.batchCount(TABLE)).isEqualTo(1);
        assertThat(flight.read(ticket())).isEmpty();
    }

    @Test
    void streamWithoutBatchesIsAccepted()
    {
        try (VectorSchemaRoot root = flight.rows(0, 0);
                FlightPut put = flight.client.openAppend(TABLE, root)) {
            assertThat(put.finish()).isZero();
        }
    }

    @Test
    void everyTypeComesBack()
    {
        List<GenericRow> rows = wideRows(500, new Random(seed()));
        append(rows);
        assertThat(flight.read(ticket(WIDE, WIDE_TYPE, WIDE_TYPE, new OffsetRange(0, 1_000_000), Optional.empty())))
                .isEqualTo(rows.stream().map(row -> FlightFixture.render(row, WIDE_TYPE)).toList());
    }

    @Test
    void clientSchemaIsAccepted()
    {
        assertThat(flight.client.schema(WIDE)).isEqualTo(ArrowSchemas.clientSchema(WIDE_TYPE));
    }

    @Test
    void offsetsAndFilterSelectRows()
    {
        List<GenericRow> rows = wideRows(2000, new Random(seed()));
        append(rows.subList(0, 700));
        append(rows.subList(700, 2000));
        var filter = new PredicateBuilder(WIDE_TYPE).lessThan(4, 0);
        List<String> expected = rows.subList(100, 1900).stream().filter(filter::test).map(row -> FlightFixture.render(row, WIDE_TYPE)).toList();
        assertThat(expected).isNotEmpty();
        assertThat(flight.read(ticket(WIDE, WIDE_TYPE, WIDE_TYPE, new OffsetRange(100, 1900), Optional.of(filter)))).isEqualTo(expected);
    }

    @Test
    void columnsAndNestedFieldsAreChosenByFieldId()
    {
        List<GenericRow> rows = wideRows(300, new Random(seed()));
        append(rows);
        RowType part = new RowType(
                List.of(DataTypes.FIELD(32, "c", DataTypes.ARRAY(DataTypes.INT())), DataTypes.FIELD(30, "renamed", DataTypes.INT())));
        RowType readType = new RowType(List.of(
                DataTypes.FIELD(21, "nested", DataTypes.ARRAY(part)),
                DataTypes.FIELD(20, "row", part),
                DataTypes.FIELD(0, "k", DataTypes.BIGINT().notNull())));
        List<String> expected = rows.stream()
                .map(row -> {
                    GenericRow inner = (GenericRow) row.getField(20);
                    GenericArray nested = (GenericArray) row.getField(21);
                    return FlightFixture.render(GenericRow.of(nested == null ? null : new GenericArray(part(nested)), part(inner), row.getField(0)),
                            readType);
                })
                .toList();
        assertThat(flight.read(ticket(WIDE, readType, WIDE_TYPE, new OffsetRange(0, 1_000_000), Optional.empty()))).isEqualTo(expected);
    }

    private static Object[] part(GenericArray array)
    {
        Object[] rows = new Object[array.size()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = part(array.isNullAt(i) ? null : (GenericRow) array.getRow(i, 3));
        }
        return rows;
    }

    private static GenericRow part(GenericRow inner)
    {
        return inner == null ? null : GenericRow.of(inner.getField(2), inner.getField(0));
    }

    @Test
    void largeResultsComeInBoundedMessages()
    {
        String value = "x".repeat(1000);
        try (VectorSchemaRoot rows = flight.rows(0, 100_000, id -> id % 3 == 0 ? value : "y")) {
            flight.client.append(TABLE, rows);
        }
        long count = 0;
        int messages = 0;
        try (MemBatchReader reader = flight.reader(ticket())) {
            for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                try (MemBatch batch = next.get()) {
                    count += batch.rowCount();
                    messages++;
                    assertThat(batch.rowCount()).isLessThanOrEqualTo(65_536);
                    assertThat(batch.columns().stream().mapToLong(vector -> vector.getBufferSize()).sum()).isLessThan(8 << 20);
                }
            }
        }
        assertThat(count).isEqualTo(100_000);
        assertThat(messages).isBetween(5, 40);
    }

    @Test
    void batchesOutliveTheirReaderAndTheClient()
    {
        flight.append(0, 10);
        flight.append(10, 10);
        List<MemBatch> batches = new ArrayList<>();
        try (BufferAllocator query = flight.allocator.newChildAllocator("query", 0, Long.MAX_VALUE)) {
            try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, flight.server.address());
                    MemBatchReader reader = client.read(ticket(), new MemQueryContext(query))) {
                for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                    batches.add(next.get());
                }
            }
            assertThat(query.getAllocatedMemory()).isPositive();
            assertThat(batches.stream().flatMap(batch -> FlightFixture.render(batch, ROW_TYPE).stream())).hasSize(20).contains("[13, row 13]");
            batches.forEach(MemBatch::close);
            assertThat(query.getAllocatedMemory()).isZero();
        }
    }

    @Test
    void aHundredMegabytesAreOneBatch()
    {
        String value = "z".repeat(10_000);
        try (VectorSchemaRoot rows = flight.rows(0, 10_500, _ -> value)) {
            assertThat(flight.client.append(TABLE, rows).rows()).isEqualTo(10_500);
        }
        assertThat(flight.service.batchCount(TABLE)).isEqualTo(1);
    }

    @Test
    void stagedPartsArePublishedByName()
    {
        for (String part : List.of("a", "failed", "b")) {
            try (VectorSchemaRoot root = flight.rows(part.charAt(0), 2);
                    FlightPut put = flight.client.openStage(TABLE, "statement", part, root)) {
                put.write();
                put.write();
                assertThat(put.finish()).isEqualTo(4);
            }
        }
        assertThat(flight.read(ticket())).isEmpty();
        assertThat(flight.client.publish(TABLE, "statement", Set.of("a", "b")).rows()).isEqualTo(8);
        assertThat(flight.read(ticket())).hasSize(8);

        try (VectorSchemaRoot root = flight.rows(0, 2)) {
            flight.client.stage(TABLE, "other", "a", root);
        }
        flight.client.abandon(TABLE, "other");
        flight.client.abandon(TABLE, "unknown");
        assertThat(flight.read(ticket())).hasSize(8);
    }

    @Test
    void statusAndFlush()
    {
        flight.append(0, 4);
        assertThat(flight.client.status().incarnation()).isEqualTo(FlightFixture.INCARNATION);
        assertThat(flight.client.tableStatus(TABLE)).usingRecursiveComparison().ignoringFields("buckets")
                .isEqualTo(flight.service.tableStatus(TABLE));
        assertThat(flight.client.tableStatus(TABLE).buckets().getFirst().memoryRows()).isEqualTo(4);
        flight.client.flush(Optional.of(TABLE));
        flight.client.flush(Optional.empty());
        assertThat(flight.service.flushes()).isEqualTo(2);
    }

    @Test
    void poolKeepsOneClientPerWriter()
    {
        flight.append(0, 1);
        try (RealtimeFlightClients clients = new RealtimeFlightClients(flight.allocator, FlightClientOptions.of("grpc://localhost:1"))) {
            RealtimeFlightClient client = clients.get(flight.server.address());
            assertThat(clients.get(flight.server.address())).isSameAs(client);
            assertThat(client.status().incarnation()).isEqualTo(FlightFixture.INCARNATION);
        }
    }

    private void append(List<GenericRow> rows)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(WIDE_TYPE, flight.allocator)) {
            rows.forEach(writer::append);
            try (VectorSchemaRoot root = writer.finish()) {
                assertThat(flight.client.append(WIDE, root).rows()).isEqualTo(rows.size());
            }
        }
    }

    private static long seed()
    {
        long seed = Long.getLong("test.seed", 20260101);
        System.out.println("test.seed=" + seed);
        return seed;
    }

    private static List<GenericRow> wideRows(int count, Random random)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            GenericRow row = new GenericRow(WIDE_TYPE.getFieldCount());
            row.setField(0, (long) i);
            Object[] values = {
                    random.nextBoolean(), (byte) random.nextInt(), (short) random.nextInt(), random.nextInt(), random.nextFloat(),
                    random.nextDouble(),
                    Decimal.fromBigDecimal(BigDecimal.valueOf(random.nextInt(1_000_000), 2), 9, 2),
                    Decimal.fromBigDecimal(new BigDecimal(random.nextLong() + "123.0123456789"), 38, 10),
                    string(random, 4), string(random, 40), string(random, 20).toBytes(), random.nextInt(20_000), random.nextInt(86_400_000),
                    Timestamp.fromEpochMillis(random.nextInt()), Timestamp.fromMicros(random.nextInt() * 1000L + 7),
                    Timestamp.fromEpochMillis(random.nextInt(), random.nextInt(1_000_000)), Timestamp.fromMicros(random.nextLong() >> 16),
                    array(random, _ -> string(random, 5)),
                    new GenericMap(Map.of(string(random, 6), random.nextInt(), BinaryString.fromString("fixed"), 1)),
                    inner(random), array(random, _ -> random.nextInt(4) == 0 ? null : inner(random))};
            for (int field = 0; field < values.length; field++) {
                row.setField(field + 1, random.nextInt(5) == 0 ? null : values[field]);
            }
            rows.add(row);
        }
        return rows;
    }

    private static GenericRow inner(Random random)
    {
        return GenericRow.of(random.nextInt(3) == 0 ? null : random.nextInt(), string(random, 3),
                random.nextInt(3) == 0 ? null : array(random, _ -> random.nextInt(3) == 0 ? null : random.nextInt()));
    }

    private static GenericArray array(Random random, IntFunction<Object> element)
    {
        Object[] elements = new Object[random.nextInt(4)];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = element.apply(i);
        }
        return new GenericArray(elements);
    }

    private static BinaryString string(Random random, int maxLength)
    {
        StringBuilder builder = new StringBuilder();
        int length = random.nextInt(maxLength + 1);
        for (int i = 0; i < length; i++) {
            builder.append("abcdéü漢".charAt(random.nextInt(7)));
        }
        return BinaryString.fromBytes(builder.toString().getBytes(UTF_8));
    }
}
