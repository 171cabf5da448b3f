package io.paimon.realtime.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/**
 * A Flight server on the loopback address before an in-memory service, and a client of it; on close everything must be free.
 */
final class FlightFixture implements AutoCloseable
{
    static final Identifier TABLE = Identifier.create("s", "t");
    static final RowType ROW_TYPE = new RowType(List.of(
            DataTypes.FIELD(0, "id", DataTypes.BIGINT().notNull()),
            DataTypes.FIELD(1, "name", DataTypes.STRING())));
    static final String INCARNATION = "incarnation-1";
    static final String QUERY = "query-1";

    final RootAllocator allocator = new RootAllocator();
    final InMemoryRealtimeService service;
    final RealtimeFlightServer server;
    final RealtimeFlightClient client;

    FlightFixture()
    {
        this(FlightServerOptions.loopback());
    }

    FlightFixture(FlightServerOptions options)
    {
        service = new InMemoryRealtimeService(allocator, INCARNATION);
        service.createTable(TABLE, ROW_TYPE);
        service.pin(QUERY);
        server = RealtimeFlightServer.start(service, allocator, options);
        client = RealtimeFlightClient.connect(allocator, options(options));
    }

    FlightClientOptions options(FlightServerOptions options)
    {
        FlightClientOptions clientOptions = FlightClientOptions.of(server.address()).withTimeout(Duration.ofSeconds(30));
        clientOptions = options.token().map(clientOptions::withToken).orElse(clientOptions);
        return options.tls().isPresent() ? clientOptions.withTrustCertificate(options.tls().get().certificate()) : clientOptions;
    }

    /** Rows with ids from {@code start} on, named after them. */
    VectorSchemaRoot rows(long start, int count)
    {
        return rows(start, count, id -> "row " + id);
    }

    VectorSchemaRoot rows(long start, int count, LongFunction<String> names)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(ROW_TYPE, allocator)) {
            for (int i = 0; i < count; i++) {
                writer.append(GenericRow.of(start + i, BinaryString.fromString(names.apply(start + i))));
            }
            return writer.finish();
        }
    }

    void append(long start, int count)
    {
        try (VectorSchemaRoot rows = rows(start, count)) {
            assertThat(client.append(TABLE, rows).rows()).isEqualTo(count);
        }
    }

    static FlightTicket ticket(Identifier table, RowType readType, RowType tableType, OffsetRange offsets, Optional<Predicate> filter)
    {
        return new FlightTicket(INCARNATION, QUERY, table, InMemoryRealtimeService.BUCKET, new MemReadRequest(offsets, readType, tableType, filter));
    }

    static FlightTicket ticket()
    {
        return ticket(TABLE, ROW_TYPE, ROW_TYPE, new OffsetRange(0, OffsetRange.MAX_OFFSET), Optional.empty());
    }

    MemBatchReader reader(FlightTicket ticket)
    {
        return client.read(ticket, new MemQueryContext(allocator));
    }

    /** All rows, rendered. */
    List<String> read(FlightTicket ticket)
    {
        List<String> rows = new ArrayList<>();
        try (MemBatchReader reader = reader(ticket)) {
            for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                try (MemBatch batch = next.get()) {
                    rows.addAll(render(batch, ticket.request().readType()));
                }
            }
        }
        return rows;
    }

    static List<String> render(MemBatch batch, RowType type)
    {
        List<String> rows = new ArrayList<>();
        ArrowRowView view = new ArrowRowView(batch.columns(), type);
        for (int i = 0; i < batch.rowCount(); i++) {
            rows.add(render(view.setPosition(batch.position(i)), type));
        }
        return rows;
    }

    static String render(InternalRow row, RowType type)
    {
        return Rendering.render(row, type);
    }

    static RealtimeException failure(Code code, Runnable call)
    {
        RealtimeException failure = catchThrowableOfType(RealtimeException.class, call::run);
        assertThat(failure).as("expected " + code).isNotNull();
        assertThat(failure.code()).as(failure.toString()).isEqualTo(code);
        return failure;
    }

    static void await(String what, BooleanSupplier condition)
    {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("Not within 30 s: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close()
    {
        client.close();
        server.close();
        assertThat(service.openReaders()).as("open readers").isZero();
        assertThat(service.openBatches()).as("open batches").isZero();
        service.close();
        assertThat(allocator.getAllocatedMemory()).as(allocator.toVerboseString()).isZero();
        allocator.close();
    }
}
