package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.ROW_TYPE;
import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.failure;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TestFlightRefusals
{
    private FlightFixture flight;
    private FlightClient plain;

    @BeforeEach
    void open()
    {
        flight = new FlightFixture();
        plain = FlightClient.builder(flight.allocator, Location.forGrpcInsecure("127.0.0.1", flight.server.port())).build();
    }

    @AfterEach
    void close()
            throws InterruptedException
    {
        plain.close();
        flight.close();
    }

    @ParameterizedTest
    @EnumSource(Code.class)
    void everyCodeComesBack(Code code)
    {
        String message = "Table s.t: 漢字 and\nlines " + "x".repeat(10_000);
        flight.service.beforeAppend(_ -> {
            throw new RealtimeException(code, message);
        });
        try (VectorSchemaRoot rows = flight.rows(0, 1)) {
            assertThat(failure(code, () -> flight.client.append(TABLE, rows))).hasMessageStartingWith("Table s.t: 漢字 and\nlines xxx");
        }
        flight.service.beforeAppend(_ -> {
        });
        flight.append(0, 1);
    }

    @Test
    void plainClientsSeeAFittingStatus()
    {
        assertThat(plainFailure(Code.BAD_DATA)).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat(plainFailure(Code.NOT_FOUND)).isEqualTo(FlightStatusCode.NOT_FOUND);
        // FAILED_PRECONDITION on the wire
        assertThat(plainFailure(Code.FENCED)).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        assertThat(plainFailure(Code.RESOURCE_EXHAUSTED)).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED);
        assertThat(plainFailure(Code.UNAVAILABLE)).isEqualTo(FlightStatusCode.UNAVAILABLE);
        assertThat(plainFailure(Code.COMMIT_FAILED)).isEqualTo(FlightStatusCode.UNAVAILABLE);
        assertThat(plainFailure(Code.INTERNAL)).isEqualTo(FlightStatusCode.INTERNAL);
    }

    private FlightStatusCode plainFailure(Code code)
    {
        flight.service.beforeAppend(_ -> {
            throw new RealtimeException(code, "refused");
        });
        try (VectorSchemaRoot rows = flight.rows(0, 1)) {
            return put(FlightDescriptor.path("s", "t"), rows).status().code();
        }
    }

    private FlightRuntimeException put(FlightDescriptor descriptor, VectorSchemaRoot rows)
    {
        ClientStreamListener stream = plain.startPut(descriptor, rows, new AsyncPutListener());
        return catchThrowableOfType(FlightRuntimeException.class, () -> {
            stream.putNext();
            stream.completed();
            stream.getResult();
        });
    }

    @Test
    void badRowsAreRefusedAndTheBatchesBeforeStay()
    {
        try (VectorSchemaRoot root = flight.rows(0, 3);
                FlightPut put = flight.client.openAppend(TABLE, root)) {
            put.write();
            put.awaitAcknowledged();
            ((BigIntVector) root.getVector("id")).setNull(1);
            put.write();
            assertThat(failure(Code.BAD_DATA, put::finish)).hasMessageContaining("id").hasMessageContaining("row 1");
            assertThat(put.acknowledgedRows()).isEqualTo(3);
        }
        assertThat(flight.read(ticket())).hasSize(3);
    }

    @Test
    void unknownColumnsAndTablesAreRefused()
    {
        try (BigIntVector other = new BigIntVector("other", flight.allocator);
                VectorSchemaRoot rows = VectorSchemaRoot.of(other)) {
            other.allocateNew(1);
            other.set(0, 1);
            rows.setRowCount(1);
            assertThat(failure(Code.BAD_DATA, () -> flight.client.append(TABLE, rows))).hasMessageContaining("other");
            failure(Code.NOT_FOUND, () -> flight.client.append(Identifier.create("s", "missing"), rows));
            rows.setRowCount(0);
            try (FlightPut put = flight.client.openAppend(Identifier.create("s", "missing"), rows)) {
                failure(Code.NOT_FOUND, put::finish);
            }
        }
        failure(Code.NOT_FOUND, () -> flight.client.schema(Identifier.create("s", "missing")));
        failure(Code.NOT_FOUND, () -> flight.client.tableStatus(Identifier.create("s", "missing")));
        failure(Code.NOT_FOUND, () -> flight.client.flush(Optional.of(Identifier.create("s", "missing"))));
        failure(Code.NOT_FOUND, () -> flight.client.publish(TABLE, "unknown", Set.of("a")));
    }

    @Test
    void producersAreRefusedNotIgnored()
            throws Exception
    {
        try (VectorSchemaRoot rows = flight.rows(0, 2);
                SyncPutListener results = new SyncPutListener()) {
            ClientStreamListener stream = plain.startPut(FlightDescriptor.path("s", "t"), rows, results);
            stream.putNext();
            try (PutResult result = results.read()) {
                ArrowBuf metadata = result.getApplicationMetadata();
                byte[] json = new byte[(int) metadata.readableBytes()];
                metadata.getBytes(0, json);
                assertThat(new String(json, UTF_8)).isEqualTo("{\"rows\":2,\"acknowledged\":2,\"producer_offset\":null}");
            }
            byte[] producer = "{\"producer\":\"p\",\"epoch\":1,\"offset\":0}".getBytes(UTF_8);
            ArrowBuf metadata = flight.allocator.buffer(producer.length);
            metadata.writeBytes(producer);
            stream.putNext(metadata);
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, stream::getResult);
            assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
            assertThat(failure.status().description()).contains("producers are not supported yet");
        }
        assertThat(flight.service.rowCount(TABLE)).isEqualTo(2);
    }

    @Test
    void otherDescriptorsAreRefused()
    {
        try (VectorSchemaRoot rows = flight.rows(0, 2)) {
            for (FlightDescriptor descriptor : List.of(FlightDescriptor.path("t"), FlightDescriptor.path("s", ""),
                    FlightDescriptor.path("a", "b", "c"),
                    FlightDescriptor.path("$stage", "s", "t", "x"), FlightDescriptor.path("stage", "s", "t", "x", "y"),
                    FlightDescriptor.command("s.t".getBytes(UTF_8)))) {
                assertThat(put(descriptor, rows).status().code()).as(descriptor.toString()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
                assertThat(catchThrowableOfType(FlightRuntimeException.class, () -> plain.getSchema(descriptor)).status().code())
                        .isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
            }
        }
        assertThat(flight.service.rowCount(TABLE)).isZero();
    }

    @Test
    void flightInfoHasTheSchema()
    {
        var info = plain.getInfo(FlightDescriptor.path("s", "t"));
        assertThat(info.getSchemaOptional()).contains(flight.client.schema(TABLE));
        assertThat(info.getEndpoints()).isEmpty();
    }

    @Test
    void damagedOffsetsAreRefused()
    {
        try (VectorSchemaRoot rows = flight.rows(0, 3)) {
            VarCharVector names = (VarCharVector) rows.getVector("name");
            names.getOffsetBuffer().setInt(8, 1_000_000);
            failure(Code.BAD_DATA, () -> flight.client.append(TABLE, rows));
        }
        assertThat(flight.service.batchCount(TABLE)).isZero();
        flight.append(0, 1);
    }

    @Test
    void ticketsOfGoneCutsAreRefused()
    {
        flight.append(0, 3);
        FlightTicket good = ticket();
        expired(new FlightTicket("incarnation-0", good.queryId(), TABLE, good.bucket(), good.request()), Code.CUT_EXPIRED);
        expired(new FlightTicket(good.incarnation(), "unknown", TABLE, good.bucket(), good.request()), Code.CUT_EXPIRED);
        expired(new FlightTicket(good.incarnation(), good.queryId(), Identifier.create("s", "missing"), good.bucket(), good.request()),
                Code.NOT_FOUND);
        expired(new FlightTicket(good.incarnation(), good.queryId(), TABLE, new PartitionBucket(BinaryRow.EMPTY_ROW, 5), good.request()),
                Code.NOT_FOUND);
        flight.service.release(FlightFixture.QUERY);
        expired(good, Code.CUT_EXPIRED);
    }

    private void expired(FlightTicket ticket, Code code)
    {
        try (MemBatchReader reader = flight.reader(ticket)) {
            failure(code, reader::next);
        }
    }

    @Test
    void failuresAmidAReadComeBack()
    {
        flight.append(0, 3);
        flight.append(3, 3);
        int[] batches = new int[1];
        flight.service.beforeBatch(() -> {
            if (batches[0]++ == 1) {
                throw new RealtimeException(Code.INTERNAL, "broken on purpose");
            }
        });
        try (MemBatchReader reader = flight.reader(ticket())) {
            reader.next().orElseThrow().close();
            assertThat(failure(Code.INTERNAL, reader::next)).hasMessage("broken on purpose");
        }
        flight.service.beforeBatch(() -> {
        });
        assertThat(flight.read(ticket())).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "null", "{}", "{\"incarnation\":1}", "\u0000\u0001"})
    void otherTicketsAreRefused(String ticket)
            throws Exception
    {
        try (FlightStream stream = plain.getStream(new Ticket(ticket.getBytes(UTF_8)))) {
            assertThat(catchThrowableOfType(FlightRuntimeException.class, stream::next).status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        }
    }

    @Test
    void damagedTicketsAreRefused()
            throws Exception
    {
        String good = new String(ticket().toTicket().getBytes(), UTF_8);
        for (String bad : List.of(good.replace("\"bucket\":0", "\"bucket\":-1"), good.replace("\"start\":0", "\"start\":9223372036854775807"),
                good.replace("BIGINT", "BIGGER"), good.replaceFirst("\"partition\":\"[^\"]*\"", "\"partition\":\"?\""),
                good.replaceFirst("\"partition\":\"[^\"]*\"", "\"partition\":\"AA==\""), good.substring(0, good.length() / 2))) {
            assertThat(bad).isNotEqualTo(good);
            try (FlightStream stream = plain.getStream(new Ticket(bad.getBytes(UTF_8)))) {
                assertThat(catchThrowableOfType(FlightRuntimeException.class, stream::next).status().code()).as(bad)
                        .isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
            }
        }
    }

    @Test
    void ticketsComeBack()
    {
        FlightTicket ticket = new FlightTicket("i", "q", TABLE, new PartitionBucket(BinaryRow.singleColumn(5), 3),
                new MemReadRequest(new OffsetRange(4, 9), ROW_TYPE.project("name"), ROW_TYPE, Optional.empty()));
        assertThat(FlightTicket.fromTicket(ticket.toTicket())).isEqualTo(ticket);
    }

    @Test
    void otherActionsAreRefused()
    {
        for (Action action : List.of(new Action("nonsense"), new Action("producer-offset", "{}".getBytes(UTF_8)),
                new Action("flush", "{".getBytes(UTF_8)),
                new Action("flush", "[]".getBytes(UTF_8)), new Action("flush", "{\"schema\":\"s\"}".getBytes(UTF_8)),
                new Action("publish", "{\"schema\":\"s\",\"table\":\"t\",\"statement\":\"x\",\"parts\":[1]}".getBytes(UTF_8)),
                new Action("abandon"))) {
            FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, () -> plain.doAction(action).forEachRemaining(_ -> {
            }));
            assertThat(failure.status().code()).as(action.getType()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        }
        assertThat(plain.listActions()).extracting(type -> type.getType()).contains("flush", "status", "producer-offset");
        assertThat(catchThrowableOfType(FlightRuntimeException.class, () -> plain.listFlights(Criteria.ALL).forEach(_ -> {
        })).status().code())
                .isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
        plain.doAction(new Action("flush")).forEachRemaining(_ -> {
        });
        assertThat(flight.service.flushes()).isEqualTo(1);
    }

    @Test
    void unreachableWritersAreUnavailable()
    {
        try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, "grpc://127.0.0.1:1");
                VectorSchemaRoot rows = flight.rows(0, 1)) {
            failure(Code.UNAVAILABLE, client::status);
            failure(Code.UNAVAILABLE, () -> client.append(TABLE, rows));
            try (MemBatchReader reader = client.read(ticket(), new MemQueryContext(flight.allocator))) {
                failure(Code.UNAVAILABLE, reader::next);
            }
        }
        for (String uri : List.of("http://localhost:1", "grpc://localhost", "nonsense", "grpc://a b:1")) {
            failure(Code.INVALID_ARGUMENT, () -> RealtimeFlightClient.connect(flight.allocator, uri));
        }
    }
}
