package io.paimon.realtime.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.airlift.log.Logger;
import io.grpc.StatusRuntimeException;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.service.RealtimeService;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.SchemaResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.catalog.Identifier;

/**
 * Calls of the Flight protocol in terms of a {@link RealtimeService}.
 *
 * <p>DoPut runs on a thread of its own (Arrow sees to it), DoGet and actions are moved to one, so that a blocked call keeps no network thread.
 */
final class RealtimeFlightProducer implements FlightProducer
{
    private static final Logger log = Logger.get(RealtimeFlightProducer.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** The descriptor comes with or before the schema; a client that did not send it by then never will. */
    private static final int DESCRIPTOR_WAIT_SECONDS = 2;
    /** Two numbers of at most 20 characters with their names. */
    private static final int ACKNOWLEDGEMENT_BYTES = 128;

    private final RealtimeService service;
    private final FlightServerOptions options;
    private final InboundGate gate;
    private final ExecutorService executor;
    private final BufferAllocator inbound;
    private final BufferAllocator outbound;
    private final FlightActions actions;

    RealtimeFlightProducer(RealtimeService service, FlightServerOptions options, InboundGate gate, ExecutorService executor, BufferAllocator inbound,
            BufferAllocator outbound)
    {
        this.service = requireNonNull(service, "service is null");
        this.options = requireNonNull(options, "options is null");
        this.gate = requireNonNull(gate, "gate is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.inbound = requireNonNull(inbound, "inbound is null");
        this.outbound = requireNonNull(outbound, "outbound is null");
        this.actions = new FlightActions(service);
    }

    @Override
    public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> results)
    {
        CallPermit permit = CallPermit.retainCurrent();
        return () -> {
            try {
                put(stream, results);
                results.onCompleted();
            }
            catch (Throwable e) {
                logIfUnexpected("DoPut", e);
                results.onError(FlightErrors.toGrpc(e));
            }
            finally {
                permit.release();
            }
        };
    }

    private void put(FlightStream stream, StreamListener<PutResult> results)
    {
        PutTarget target = null;
        long acknowledged = 0;
        // the first message, not the schema, is waited for: the stream may end or fail without one
        while (stream.next()) {
            gate.appendStarts();
            try {
                refuseProducers(stream.getLatestMetadata());
                if (!stream.hasRoot()) {
                    throw new RealtimeException(Code.INVALID_ARGUMENT, "The stream has to begin with a schema");
                }
                if (target == null) {
                    target = PutTarget.of(descriptor(stream));
                }
                VectorSchemaRoot batch = stream.getRoot();
                // before the rows are taken: were memory short only then, the client would send them again
                try (ArrowBuf acknowledgement = inbound.buffer(ACKNOWLEDGEMENT_BYTES)) {
                    long rows = accept(target, batch, stream);
                    acknowledged += rows;
                    batch.clear();
                    acknowledge(results, acknowledgement, rows, acknowledged);
                }
            }
            finally {
                gate.appendEnded();
            }
        }
        if (target == null) {
            if (!stream.hasRoot()) {
                throw new RealtimeException(Code.INVALID_ARGUMENT, "The stream has to begin with a schema");
            }
            // no batch at all: still say whether there is such a table
            service.rowType(PutTarget.of(descriptor(stream)).table());
        }
    }

    private long accept(PutTarget target, VectorSchemaRoot batch, FlightStream stream)
    {
        try (DictionaryDecoding decoded = DictionaryDecoding.decode(target.table().getFullName(), batch, stream.getDictionaryProvider(), inbound)) {
            switch (target) {
                case PutTarget.Append append -> {
                    return service.append(append.table(), decoded.rows()).rows();
                }
                case PutTarget.Stage stage -> {
                    service.stage(stage.table(), stage.statement(), stage.part(), decoded.rows());
                    return decoded.rows().getRowCount();
                }
            }
        }
    }

    private static void acknowledge(StreamListener<PutResult> results, ArrowBuf buffer, long rows, long acknowledged)
    {
        ObjectNode json = MAPPER.createObjectNode()
                .put("rows", rows)
                .put("acknowledged", acknowledged)
                .putNull("producer_offset");
        byte[] bytes = json.toString().getBytes(UTF_8);
        buffer.writeBytes(bytes);
        results.onNext(PutResult.metadata(buffer));
    }

    private static void refuseProducers(ArrowBuf metadata)
    {
        if (metadata == null || metadata.readableBytes() == 0) {
            return;
        }
        // to take such a batch as a plain one would break the promise the client asks for: exactly once
        throw new RealtimeException(Code.INVALID_ARGUMENT, "producers are not supported yet: send batches without app_metadata");
    }

    /** The stream's descriptor, without waiting for ever for one that was never sent. */
    private static FlightDescriptor descriptor(FlightStream stream)
    {
        FutureTask<FlightDescriptor> descriptor = new FutureTask<>(stream::getDescriptor);
        Thread waiter = Thread.ofVirtual().name("flight-descriptor").start(descriptor);
        try {
            return descriptor.get(DESCRIPTOR_WAIT_SECONDS, TimeUnit.SECONDS);
        }
        catch (TimeoutException e) {
            waiter.interrupt();
            throw new RealtimeException(Code.INVALID_ARGUMENT, "The first message must have the descriptor [schema, table]", e);
        }
        catch (ExecutionException e) {
            throw new RealtimeException(Code.INTERNAL, "The descriptor cannot be read", e.getCause());
        }
        catch (InterruptedException e) {
            waiter.interrupt();
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.UNAVAILABLE, "The writer is closing", e);
        }
    }

    @Override
    public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener)
    {
        RowStream stream = new RowStream(listener, options.readerTimeout());
        run("DoGet", listener::error, () -> {
            read(FlightTicket.fromTicket(ticket), stream);
            listener.completed();
        });
    }

    private void read(FlightTicket ticket, RowStream stream)
    {
        String incarnation = service.incarnation();
        if (!incarnation.equals(ticket.incarnation())) {
            throw new RealtimeException(Code.CUT_EXPIRED,
                    "The query's rows were in the memory of the writer's earlier incarnation %s, now it is %s: run the query again"
                            .formatted(ticket.incarnation(), incarnation));
        }
        MemQueryContext context = new MemQueryContext(outbound);
        List<MemBatchReader> readers = service.read(ticket.queryId(), ticket.table(), ticket.bucket(), ticket.request(), context);
        try (Readers _ = new Readers(readers)) {
            stream.send(ticket.request().readType(), readers, outbound);
        }
    }

    private record Readers(List<MemBatchReader> readers) implements AutoCloseable
    {
        @Override
        public void close()
        {
            RuntimeException failure = null;
            for (MemBatchReader reader : readers) {
                try {
                    reader.close();
                }
                catch (RuntimeException e) {
                    if (failure == null) {
                        failure = e;
                    }
                    else {
                        failure.addSuppressed(e);
                    }
                }
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    @Override
    public void doAction(CallContext context, Action action, StreamListener<Result> results)
    {
        run("DoAction", results::onError, () -> {
            results.onNext(new Result(actions.run(action.getType(), action.getBody())));
            results.onCompleted();
        });
    }

    @Override
    public void listActions(CallContext context, StreamListener<ActionType> results)
    {
        FlightActions.types().forEach(results::onNext);
        results.onCompleted();
    }

    @Override
    public void listFlights(CallContext context, Criteria criteria, StreamListener<FlightInfo> results)
    {
        results.onError(
                FlightErrors.toGrpc(new RealtimeException(Code.INVALID_ARGUMENT, "Tables are not listed here; ask for one by GetFlightInfo")));
    }

    @Override
    public SchemaResult getSchema(CallContext context, FlightDescriptor descriptor)
    {
        return translated("GetSchema", () -> new SchemaResult(clientSchema(PutTarget.table(descriptor))));
    }

    @Override
    public FlightInfo getFlightInfo(CallContext context, FlightDescriptor descriptor)
    {
        return translated("GetFlightInfo", () -> {
            Schema schema = clientSchema(PutTarget.table(descriptor));
            return new FlightInfo(schema, descriptor, List.<FlightEndpoint>of(), -1, -1);
        });
    }

    private Schema clientSchema(Identifier table)
    {
        return ArrowSchemas.clientSchema(service.rowType(table));
    }

    private <T> T translated(String call, Supplier<T> body)
    {
        try {
            return body.get();
        }
        catch (RuntimeException e) {
            logIfUnexpected(call, e);
            throw FlightErrors.toGrpc(e);
        }
    }

    private void run(String call, Consumer<Throwable> onError, Runnable body)
    {
        CallPermit permit = CallPermit.retainCurrent();
        try {
            executor.execute(() -> {
                try {
                    body.run();
                }
                catch (Throwable e) {
                    logIfUnexpected(call, e);
                    onError.accept(FlightErrors.toGrpc(e));
                }
                finally {
                    permit.release();
                }
            });
        }
        catch (RejectedExecutionException e) {
            permit.release();
            onError.accept(FlightErrors.toGrpc(Code.UNAVAILABLE, "The writer is closing", e));
        }
    }

    private static void logIfUnexpected(String call, Throwable failure)
    {
        boolean expected = switch (failure) {
            case RealtimeException e -> e.code() != Code.INTERNAL;
            case StatusRuntimeException _ -> true;
            // the client went away, or sent what Arrow cannot read
            case FlightRuntimeException e -> e.status().code() == FlightStatusCode.CANCELLED;
            case RuntimeException e -> e.getCause() instanceof InterruptedException;
            default -> false;
        };
        if (!expected) {
            log.error(failure, "%s failed", call);
        }
    }
}
