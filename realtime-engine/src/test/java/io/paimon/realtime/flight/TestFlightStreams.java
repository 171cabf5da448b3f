package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.await;
import static io.paimon.realtime.flight.FlightFixture.failure;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.RealtimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestFlightStreams
{
    private static final Identifier OTHER = Identifier.create("s", "other");

    private FlightFixture flight;

    private void open(FlightServerOptions options)
    {
        flight = new FlightFixture(options);
        flight.service.createTable(OTHER, FlightFixture.ROW_TYPE);
    }

    private void open()
    {
        open(FlightServerOptions.loopback());
    }

    @AfterEach
    void close()
    {
        flight.close();
    }

    @Test
    void dictionariesAreDecoded()
            throws Exception
    {
        open();
        try (BufferAllocator allocator = flight.allocator.newChildAllocator("test", 0, Long.MAX_VALUE);
                VarCharVector values = new VarCharVector("values", allocator);
                FlightClient client = FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", flight.server.port())).build()) {
            values.allocateNew(3);
            values.setSafe(0, "zero".getBytes(UTF_8));
            values.setNull(1);
            values.setSafe(2, "two".getBytes(UTF_8));
            values.setValueCount(3);
            DictionaryEncoding encoding = new DictionaryEncoding(7, false, new ArrowType.Int(8, true));
            MapDictionaryProvider dictionaries = new MapDictionaryProvider(new Dictionary(values, encoding));
            try (BigIntVector ids = new BigIntVector("id", allocator);
                    TinyIntVector names = new TinyIntVector("NAME", new FieldType(true, new ArrowType.Int(8, true), encoding), allocator);
                    VectorSchemaRoot root = VectorSchemaRoot.of(ids, names)) {
                int[] indices = {2, 0, -1, 1, 2};
                ids.allocateNew(5);
                names.allocateNew(5);
                for (int i = 0; i < indices.length; i++) {
                    ids.set(i, i);
                    if (indices[i] < 0) {
                        names.setNull(i);
                    }
                    else {
                        names.set(i, indices[i]);
                    }
                }
                root.setRowCount(5);
                ClientStreamListener stream = client.startPut(FlightDescriptor.path("s", "t"), root, dictionaries, new AsyncPutListener());
                stream.putNext();
                stream.completed();
                stream.getResult();
                assertThat(flight.read(ticket())).containsExactly("[0, two]", "[1, zero]", "[2, null]", "[3, null]", "[4, two]");

                names.set(3, 3);
                ClientStreamListener bad = client.startPut(FlightDescriptor.path("s", "t"), root, dictionaries, new AsyncPutListener());
                bad.putNext();
                bad.completed();
                FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, bad::getResult);
                assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
                assertThat(failure.status().description()).contains("NAME").contains("row 3").contains("outside the dictionary");
            }
        }
        assertThat(flight.service.batchCount(TABLE)).isEqualTo(1);
    }

    @Test
    void dictionariesInsideOfListsAndRowsAreDecoded()
            throws Exception
    {
        open();
        Identifier nested = Identifier.create("s", "nested");
        RowType type = new RowType(List.of(
                DataTypes.FIELD(0, "list", DataTypes.ARRAY(DataTypes.STRING())),
                DataTypes.FIELD(1, "row",
                        new RowType(List.of(DataTypes.FIELD(2, "a", DataTypes.INT()), DataTypes.FIELD(3, "b", DataTypes.STRING()))))));
        flight.service.createTable(nested, type);
        DictionaryEncoding encoding = new DictionaryEncoding(1, false, new ArrowType.Int(32, true));
        FieldType encoded = new FieldType(true, new ArrowType.Int(32, true), encoding);
        Field list = new Field("list", FieldType.nullable(ArrowType.List.INSTANCE), List.of(new Field("element", encoded, null)));
        Field row = new Field("row", FieldType.nullable(ArrowType.Struct.INSTANCE),
                List.of(new Field("a", FieldType.nullable(new ArrowType.Int(32, true)), null), new Field("b", encoded, null)));
        try (BufferAllocator allocator = flight.allocator.newChildAllocator("test", 0, Long.MAX_VALUE);
                VarCharVector values = new VarCharVector("values", allocator);
                FlightClient client = FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", flight.server.port())).build();
                FieldVector lists = list.createVector(allocator);
                FieldVector rows = row.createVector(allocator);
                VectorSchemaRoot root = VectorSchemaRoot.of(lists, rows)) {
            values.allocateNew(2);
            values.setSafe(0, "x".getBytes(UTF_8));
            values.setSafe(1, "y".getBytes(UTF_8));
            values.setValueCount(2);
            ListVector listVector = (ListVector) lists;
            listVector.allocateNew();
            IntVector elements = (IntVector) listVector.getDataVector();
            // [x, null, y], NULL, []
            listVector.startNewValue(0);
            elements.setSafe(0, 0);
            elements.setNull(1);
            elements.setSafe(2, 1);
            listVector.endValue(0, 3);
            listVector.setNull(1);
            listVector.startNewValue(2);
            listVector.endValue(2, 0);
            listVector.setValueCount(3);
            StructVector structVector = (StructVector) rows;
            structVector.allocateNew();
            IntVector a = (IntVector) structVector.getChildrenFromFields().get(0);
            IntVector b = (IntVector) structVector.getChildrenFromFields().get(1);
            for (int i = 0; i < 3; i++) {
                a.setSafe(i, i);
                // what lies under a NULL row is not looked at
                b.setSafe(i, i == 1 ? 99 : i / 2);
                if (i != 1) {
                    structVector.setIndexDefined(i);
                }
            }
            structVector.setValueCount(3);
            root.setRowCount(3);
            ClientStreamListener stream = client.startPut(FlightDescriptor.path("s", "nested"), root,
                    new MapDictionaryProvider(new Dictionary(values, encoding)), new AsyncPutListener());
            stream.putNext();
            stream.completed();
            stream.getResult();
        }
        assertThat(flight.read(ticket(nested, type, type, new OffsetRange(0, 10), Optional.empty())))
                .containsExactly("[[x, null, y], [0, x]]", "[null, null]", "[[], [2, y]]");
    }

    @Test
    void cancelledStreamsLeaveOthersAlone()
            throws Exception
    {
        open();
        try (VectorSchemaRoot root = flight.rows(0, 5);
                FlightPut other = flight.client.openAppend(OTHER, root)) {
            other.write();
            other.awaitAcknowledged();

            CountDownLatch appending = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            flight.service.beforeAppend(table -> {
                if (table.equals(TABLE)) {
                    appending.countDown();
                    awaitLatch(go);
                }
            });
            try (FlightPut cancelled = flight.client.openAppend(TABLE, root)) {
                cancelled.write();
                cancelled.write();
                assertThat(appending.await(30, TimeUnit.SECONDS)).isTrue();
            }
            other.write();
            other.awaitAcknowledged();
            go.countDown();
            other.write();
            assertThat(other.finish()).isEqualTo(15);
        }
        // the batch that was being appended is whole; the one behind it may have been read before the cancellation came
        await("the put has ended", () -> flight.service.batchCount(TABLE) >= 1);
        assertThat(flight.service.rowCount(TABLE) % 5).isZero();
        flight.service.beforeAppend(_ -> {
        });
        flight.append(0, 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 50, 200, 500, 2_000, 100_000, 1_500_000})
    void cutConnectionsLeaveNoPartOfABatch(long bytes)
            throws Exception
    {
        open();
        int batchRows = 10_000;
        try (VectorSchemaRoot root = flight.rows(0, batchRows);
                FlightPut other = flight.client.openAppend(OTHER, root)) {
            other.write();
            other.awaitAcknowledged();
            try (CuttingProxy proxy = new CuttingProxy(flight.server.port(), bytes);
                    RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, proxy.address());
                    FlightPut put = client.openAppend(TABLE, root)) {
                RealtimeException failure = catchThrowableOfType(RealtimeException.class, () -> {
                    for (int i = 0; i < 100; i++) {
                        put.write();
                    }
                    put.finish();
                });
                assertThat(failure.code()).isEqualTo(Code.UNAVAILABLE);
                assertThat(flight.service.rowCount(TABLE)).isGreaterThanOrEqualTo(put.acknowledgedRows());
            }
            other.write();
            assertThat(other.finish()).isEqualTo(2L * batchRows);
        }
        assertThat(flight.service.rowCount(TABLE) % batchRows).isZero();
        assertThat(flight.service.rowCount(TABLE)).isLessThan(100L * batchRows);
    }

    @Test
    void manyClientsAppendAndReadAtOnce()
            throws Exception
    {
        open();
        int threads = 8;
        int batches = 40;
        int rows = 50;
        AtomicInteger acknowledged = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads + 2)) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                long first = (long) thread * batches * rows;
                boolean streaming = thread % 2 == 0;
                running.add(executor.submit(() -> {
                    try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator, flight.server.address())) {
                        if (streaming) {
                            for (int batch = 0; batch < batches; batch += 10) {
                                try (VectorSchemaRoot root = flight.rows(0, 0); FlightPut put = client.openAppend(TABLE, root)) {
                                    for (int i = 0; i < 10; i++) {
                                        refill(root, first + (long) (batch + i) * rows, rows);
                                        put.write();
                                    }
                                    acknowledged.addAndGet((int) put.finish());
                                }
                            }
                        }
                        else {
                            for (int batch = 0; batch < batches; batch++) {
                                try (VectorSchemaRoot root = flight.rows(first + (long) batch * rows, rows)) {
                                    acknowledged.addAndGet((int) client.append(TABLE, root).rows());
                                }
                            }
                        }
                    }
                }));
            }
            for (int thread = 0; thread < 2; thread++) {
                running.add(executor.submit(() -> {
                    int seen = 0;
                    while (seen < threads * batches * rows) {
                        int before = acknowledged.get();
                        int now = flight.read(ticket()).size();
                        assertThat(now).isGreaterThanOrEqualTo(Math.max(before, seen));
                        assertThat(now % rows).isZero();
                        seen = now;
                    }
                }));
            }
            for (Future<?> future : running) {
                future.get(120, TimeUnit.SECONDS);
            }
        }
        Set<String> all = new HashSet<>(flight.read(ticket()));
        assertThat(all).hasSize(threads * batches * rows);
    }

    private static void refill(VectorSchemaRoot root, long start, int rows)
    {
        root.clear();
        BigIntVector ids = (BigIntVector) root.getVector("id");
        VarCharVector names = (VarCharVector) root.getVector("name");
        for (int i = 0; i < rows; i++) {
            ids.setSafe(i, start + i);
            names.setSafe(i, ("row " + (start + i)).getBytes(UTF_8));
        }
        root.setRowCount(rows);
    }

    @Test
    void slowReadersBlockNobodyAndFreeEverything()
    {
        open();
        String value = "v".repeat(1000);
        for (int i = 0; i < 4; i++) {
            try (VectorSchemaRoot rows = flight.rows(i * 10_000L, 10_000, _ -> value)) {
                flight.client.append(TABLE, rows);
            }
        }
        List<MemBatchReader> slow = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            MemBatchReader reader = flight.reader(ticket());
            slow.add(reader);
            reader.next().orElseThrow().close();
        }
        await("the server waits with batches in hand", () -> flight.service.openBatches() > 0);
        flight.append(40_000, 10);
        assertThat(flight.read(ticket())).hasSize(40_010);
        slow.forEach(MemBatchReader::close);
        await("cancelled reads are freed", () -> flight.service.openReaders() == 0 && flight.service.openBatches() == 0);
    }

    @Test
    void readersThatTakeNothingAreGivenUp()
    {
        open(FlightServerOptions.loopback().withReaderTimeout(Duration.ofMillis(200)));
        String value = "v".repeat(10_000);
        try (VectorSchemaRoot rows = flight.rows(0, 8_000, _ -> value)) {
            flight.client.append(TABLE, rows);
        }
        try (MemBatchReader reader = flight.reader(ticket())) {
            reader.next().orElseThrow().close();
            await("the server gives up", () -> flight.service.openReaders() == 0);
            failure(Code.UNAVAILABLE, () -> {
                while (reader.next().map(batch -> {
                    batch.close();
                    return true;
                }).isPresent()) {
                    // to the end of what was sent
                }
            });
        }
    }

    @Test
    void streamsAreBounded()
            throws Exception
    {
        open(FlightServerOptions.loopback().withStreamLimits(2, 1, 1));
        try (VectorSchemaRoot root = flight.rows(0, 1)) {
            try (FlightPut first = flight.client.openAppend(TABLE, root); FlightPut second = flight.client.openAppend(TABLE, root)) {
                first.write();
                first.awaitAcknowledged();
                second.write();
                second.awaitAcknowledged();
                failure(Code.RESOURCE_EXHAUSTED, () -> flight.client.append(TABLE, root));
                // other kinds of calls have places of their own
                assertThat(flight.read(ticket())).hasSize(2);
                assertThat(flight.client.tableStatus(TABLE).buckets()).hasSize(1);
                first.finish();
            }
            await("places are given back", () -> {
                try {
                    flight.client.append(TABLE, root);
                    return true;
                }
                catch (RealtimeException e) {
                    assertThat(e.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
                    return false;
                }
            });
        }
    }

    @Test
    void bytesInFlightAreBounded()
            throws Exception
    {
        int limit = 8 << 20;
        open(FlightServerOptions.loopback().withMessageLimits(4 << 20, limit));
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger waiting = new AtomicInteger();
        flight.service.beforeAppend(_ -> {
            waiting.incrementAndGet();
            awaitLatch(go);
        });
        String value = "w".repeat(1000);
        int threads = 6;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(executor.submit(() -> {
                    try (VectorSchemaRoot root = flight.rows(0, 2_000, _ -> value); FlightPut put = flight.client.openAppend(TABLE, root)) {
                        for (int batch = 0; batch < 10; batch++) {
                            put.write();
                        }
                        return put.finish();
                    }
                }));
            }
            await("some appends wait", () -> waiting.get() >= 2);
            go.countDown();
            for (Future<Long> future : running) {
                assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo(20_000);
            }
        }
        assertThat(flight.service.rowCount(TABLE)).isEqualTo(120_000);
        assertThat(flight.server.peakInboundBytes()).isLessThanOrEqualTo(2L * limit);
    }

    @Test
    void acknowledgementsNeedNoMemoryOnceTheRowsAreTaken()
    {
        open(FlightServerOptions.loopback().withMessageLimits(1 << 20, 1 << 20));
        List<ArrowBuf> hogs = new ArrayList<>();
        flight.service.afterAppend(rows -> {
            // not even the batch's own memory comes back
            rows.getFieldVectors().forEach(vector -> hogs.addAll(List.of(vector.getBuffers(false))));
            hogs.forEach(buffer -> buffer.getReferenceManager().retain());
            takeAll(rows.getVector(0).getAllocator(), hogs);
        });
        try {
            flight.append(0, 10);
        }
        finally {
            hogs.forEach(ArrowBuf::close);
        }
        assertThat(hogs).isNotEmpty();
        assertThat(flight.service.batchCount(TABLE)).isEqualTo(1);
    }

    private static void takeAll(BufferAllocator allocator, List<ArrowBuf> buffers)
    {
        long size = 1 << 20;
        while (size > 0) {
            try {
                buffers.add(allocator.buffer(size));
            }
            catch (OutOfMemoryException e) {
                size /= 2;
            }
        }
    }

    @Test
    void tooLargeMessagesAreRefused()
    {
        open(FlightServerOptions.loopback().withMessageLimits(1 << 20, 4 << 20));
        String value = "w".repeat(1000);
        try (VectorSchemaRoot rows = flight.rows(0, 2_000, _ -> value)) {
            RealtimeException refused = catchThrowableOfType(RealtimeException.class, () -> flight.client.append(TABLE, rows));
            assertThat(refused).isNotNull();
            try (RealtimeFlightClient client = RealtimeFlightClient.connect(flight.allocator,
                    FlightClientOptions.of(flight.server.address()).withMaxMessageBytes(1 << 20))) {
                failure(Code.INVALID_ARGUMENT, () -> client.append(TABLE, rows));
            }
        }
        assertThat(flight.service.batchCount(TABLE)).isZero();
        flight.append(0, 1);
    }

    @Test
    void closingTheServerEndsOpenStreams()
    {
        open();
        flight.append(0, 10);
        try (VectorSchemaRoot root = flight.rows(0, 1);
                FlightPut put = flight.client.openAppend(TABLE, root);
                MemBatchReader reader = flight.reader(ticket())) {
            put.write();
            put.awaitAcknowledged();
            reader.next().orElseThrow().close();
            flight.server.close();
            assertThat(catchThrowableOfType(RealtimeException.class, put::finish).code().isRetryable()).isTrue();
        }
    }

    @Test
    void unfinishedClientStreamsDoNotLeak()
    {
        open();
        for (int i = 0; i < 200; i++) {
            try (VectorSchemaRoot root = flight.rows(0, 1); FlightPut put = flight.client.openAppend(TABLE, root)) {
                if (i % 2 == 0) {
                    put.write();
                }
            }
        }
        flight.append(0, 1);
    }

    @Test
    void rowsOfOtherRootAllocatorsAreSent()
    {
        open();
        try (var other = new RootAllocator();
                ArrowRowWriter writer = new ArrowRowWriter(FlightFixture.ROW_TYPE, other)) {
            writer.append(GenericRow.of(1L, BinaryString.fromString("one")));
            try (VectorSchemaRoot root = writer.finish()) {
                flight.client.append(TABLE, root);
            }
        }
        try (var other = new RootAllocator();
                MemBatchReader reader = flight.client.read(ticket(), new MemQueryContext(other))) {
            reader.next().orElseThrow().close();
        }
    }

    private static void awaitLatch(CountDownLatch latch)
    {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("never let go");
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
