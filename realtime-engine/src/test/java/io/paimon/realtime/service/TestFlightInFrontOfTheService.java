package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.flight.FlightPut;
import io.paimon.realtime.flight.FlightServerOptions;
import io.paimon.realtime.flight.FlightTicket;
import io.paimon.realtime.flight.RealtimeFlightClient;
import io.paimon.realtime.flight.RealtimeFlightServer;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Flight endpoint in front of the real service and real tables. */
final class TestFlightInFrontOfTheService
{
    private static final RowType ROW_TYPE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT().notNull(), DataTypes.STRING()}, new String[]{"id", "v"});
    private static final RowType NULLABLE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.STRING()}, new String[]{"id", "v"});

    private RealtimeTester tester;
    private BufferAllocator allocator;
    private RealtimeFlightServer server;
    private RealtimeFlightClient client;
    private Identifier table;

    @BeforeEach
    void setUp() throws Exception
    {
        tester = new RealtimeTester();
        tester.restart(tester.options().withMemoryLimit(1L << 30));
        server = RealtimeFlightServer.start(tester.service(), tester.service().transferAllocator(), FlightServerOptions.loopback());
        tester.service().setAddress(server.address());
        allocator = ArrowMemory.newRootAllocator(1L << 30);
        client = RealtimeFlightClient.connect(allocator, server.address());
        table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "3", "bucket-key", "id"));
    }

    @AfterEach
    void tearDown() throws Exception
    {
        client.close();
        server.close();
        tester.close();
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    @Test
    void acknowledgedRowsAreInEveryLaterQueryAndAFlushCommitsThem() throws Exception
    {
        append(0, 1_000);
        assertThat(tester.union(table)).isEqualTo(texts(0, 1_000));
        assertThat(tester.committed(table)).isEmpty();
        assertThat(client.tableStatus(table).buckets()).hasSize(3)
                .satisfies(buckets -> assertThat(buckets.stream().mapToLong(bucket -> bucket.memoryRows()).sum()).isEqualTo(1_000));
        assertThat(client.status().memoryBytes()).isPositive();
        client.flush(Optional.of(table));
        assertThat(tester.committed(table)).isEqualTo(texts(0, 1_000));
        assertThat(client.tableStatus(table).buckets()).allSatisfy(bucket -> assertThat(bucket.memoryRows()).isZero());
    }

    @Test
    void refusedBatchLeavesNothingAndOtherStreamsGoOn() throws Exception
    {
        try (VectorSchemaRoot good = rows(NULLABLE, List.of(row(1L), row(2L))); FlightPut other = client.openAppend(table, good)) {
            other.write();
            other.awaitAcknowledged();
            try (VectorSchemaRoot bad = rows(NULLABLE, List.of(row(10L), GenericRow.of(null, BinaryString.fromString("x")), row(11L)))) {
                assertThatThrownBy(() -> client.append(table, bad))
                        .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_DATA))
                        .hasMessageContaining("s.t").hasMessageContaining("id").hasMessageContaining("row 1");
            }
            assertThat(tester.union(table)).isEqualTo(texts(1, 3));
            other.write();
            assertThat(other.finish()).isEqualTo(4);
        }
        assertThat(tester.union(table)).hasSize(4);
    }

    @Test
    void statementIsStagedOverFlightAndPublishedOnce() throws Exception
    {
        try (VectorSchemaRoot first = rows(ROW_TYPE, range(0, 100)); VectorSchemaRoot second = rows(ROW_TYPE, range(100, 200))) {
            client.stage(table, "statement", "a", first);
            client.stage(table, "statement", "b", second);
            client.stage(table, "given up", "a", second);
        }
        assertThat(tester.union(table)).isEmpty();
        assertThat(client.publish(table, "statement", Set.of("a", "b")).rows()).isEqualTo(200);
        assertThat(client.publish(table, "statement", Set.of("a", "b")).rows()).isEqualTo(200);
        client.abandon(table, "given up");
        assertThat(tester.union(table)).isEqualTo(texts(0, 200));
    }

    @Test
    void partsThatAreNotThereAreRefusedAndTheOthersStay()
    {
        assertThat(client.publish(table, "nothing", Set.of()).rows()).isZero();
        assertThatThrownBy(() -> client.publish(table, "unknown", Set.of("a"))).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND));
        try (VectorSchemaRoot rows = rows(ROW_TYPE, range(0, 10))) {
            client.stage(table, "statement", "a", rows);
        }
        assertThatThrownBy(() -> client.publish(table, "statement", Set.of("a", "b"))).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND));
        assertThat(client.publish(table, "statement", Set.of("a")).rows()).isEqualTo(10);
        // published already: whatever is asked for, the answer is the first one
        assertThat(client.publish(table, "statement", Set.of("a", "b")).rows()).isEqualTo(10);
    }

    @Test
    void ticketOfAPinnedViewIsReadAfterTheRowsWentToDisk() throws Exception
    {
        append(0, 300);
        QueryCut cut = tester.service().pin("query");
        append(300, 400);
        client.flush(Optional.empty());
        List<String> rows = new ArrayList<>();
        for (PartitionBucket bucket : cut.tables().get(table.getFullName()).buckets().keySet()) {
            rows.addAll(read(cut, bucket));
        }
        Collections.sort(rows);
        assertThat(rows).isEqualTo(texts(0, 300));
        tester.service().release("query");
        PartitionBucket bucket = cut.tables().get(table.getFullName()).buckets().keySet().iterator().next();
        assertThatThrownBy(() -> read(cut, bucket)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.CUT_EXPIRED));
    }

    @Test
    void batchOfAHundredMegabytes() throws Exception
    {
        String text = "x".repeat(1_000);
        List<GenericRow> rows = new ArrayList<>();
        for (long id = 0; id < 100_000; id++) {
            rows.add(GenericRow.of(id, BinaryString.fromString(text)));
        }
        try (VectorSchemaRoot root = rows(ROW_TYPE, rows)) {
            assertThat(client.append(table, root).rows()).isEqualTo(100_000);
        }
        assertThat(tester.service().tableStatus(table).buckets().stream().mapToLong(bucket -> bucket.memoryRows()).sum()).isEqualTo(100_000);
        client.flush(Optional.of(table));
        assertThat(tester.committed(table)).hasSize(100_000);
    }

    private List<String> read(QueryCut cut, PartitionBucket bucket)
    {
        OffsetRange offsets = cut.tables().get(table.getFullName()).buckets().get(bucket);
        FlightTicket ticket = new FlightTicket(cut.incarnation(), cut.queryId(), table, bucket,
                new MemReadRequest(offsets, ROW_TYPE, ROW_TYPE, Optional.empty()));
        List<String> rows = new ArrayList<>();
        try (MemBatchReader reader = client.read(ticket, new MemQueryContext(allocator))) {
            for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                try (MemBatch batch = next.get()) {
                    ArrowRowView view = new ArrowRowView(batch.columns(), ROW_TYPE);
                    for (int i = 0; i < batch.rowCount(); i++) {
                        rows.add(RealtimeTester.text(view.setPosition(batch.position(i)), ROW_TYPE));
                    }
                }
            }
        }
        return rows;
    }

    private void append(long from, long to)
    {
        try (VectorSchemaRoot root = rows(ROW_TYPE, range(from, to))) {
            assertThat(client.append(table, root).rows()).isEqualTo(to - from);
        }
    }

    private VectorSchemaRoot rows(RowType rowType, List<GenericRow> rows)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(rowType, allocator)) {
            rows.forEach(writer::append);
            return writer.finish();
        }
    }

    private static GenericRow row(long id)
    {
        return GenericRow.of(id, BinaryString.fromString("v" + id));
    }

    private static List<GenericRow> range(long from, long to)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (long id = from; id < to; id++) {
            rows.add(row(id));
        }
        return rows;
    }

    private static List<String> texts(long from, long to)
    {
        List<String> texts = new ArrayList<>();
        range(from, to).forEach(row -> texts.add(RealtimeTester.text(row, ROW_TYPE)));
        Collections.sort(texts);
        return texts;
    }
}
