package io.paimon.realtime.flight;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowBatchNormalizer;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.model.AppendResult;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.QueryCut.TableCutInfo;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.model.TableStatus;
import io.paimon.realtime.model.WriterStatus;
import io.paimon.realtime.service.RealtimeService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * A service over plain lists of Arrow batches, one bucket a table, for tests of the transport only: nothing is committed, logged or merged.
 */
final class InMemoryRealtimeService implements RealtimeService
{
    static final PartitionBucket BUCKET = new PartitionBucket(BinaryRow.EMPTY_ROW, 0);

    private final BufferAllocator allocator;
    private final String incarnation;
    private final Map<Identifier, Table> tables = new ConcurrentHashMap<>();
    private final Set<String> pinned = ConcurrentHashMap.newKeySet();
    private final Map<String, Map<String, Staged>> statements = new ConcurrentHashMap<>();
    private final Map<String, AppendResult> published = new ConcurrentHashMap<>();
    private final AtomicInteger openReaders = new AtomicInteger();
    private final AtomicInteger openBatches = new AtomicInteger();
    private final AtomicInteger flushes = new AtomicInteger();
    private volatile Consumer<Identifier> beforeAppend = _ -> {
    };
    private volatile Consumer<VectorSchemaRoot> afterAppend = _ -> {
    };
    private volatile Runnable beforeBatch = () -> {
    };

    InMemoryRealtimeService(BufferAllocator parent, String incarnation)
    {
        this.allocator = parent.newChildAllocator("service", 0, Long.MAX_VALUE);
        this.incarnation = incarnation;
    }

    void createTable(Identifier table, RowType rowType)
    {
        tables.put(table, new Table(rowType));
    }

    /** Runs on the appending thread, before anything is changed. */
    void beforeAppend(Consumer<Identifier> hook)
    {
        beforeAppend = hook;
    }

    /** Runs on the appending thread with the rows that were sent, after they were taken. */
    void afterAppend(Consumer<VectorSchemaRoot> hook)
    {
        afterAppend = hook;
    }

    /** Runs on the reading thread, before each batch. */
    void beforeBatch(Runnable hook)
    {
        beforeBatch = hook;
    }

    int openReaders()
    {
        return openReaders.get();
    }

    int openBatches()
    {
        return openBatches.get();
    }

    int flushes()
    {
        return flushes.get();
    }

    long rowCount(Identifier table)
    {
        return table(table).rows();
    }

    int batchCount(Identifier table)
    {
        Table stored = table(table);
        synchronized (stored) {
            return stored.batches.size();
        }
    }

    @Override
    public WriterStatus status()
    {
        return new WriterStatus("grpc://localhost:1", incarnation, WriterStatus.Phase.RUNNING, tables.size(), allocator.getAllocatedMemory(),
                Long.MAX_VALUE, 0,
                "");
    }

    @Override
    public String incarnation()
    {
        return incarnation;
    }

    @Override
    public TableStatus tableStatus(Identifier table)
    {
        Table stored = table(table);
        return new TableStatus(table.getFullName(), 1, -1, "",
                List.of(new TableStatus.BucketStatus("", 0, 0, stored.rows(), stored.rows(), allocator.getAllocatedMemory(), 1, pinned.size(), 5)));
    }

    @Override
    public RowType rowType(Identifier table)
    {
        return table(table).rowType;
    }

    @Override
    public AppendResult append(Identifier table, VectorSchemaRoot rows)
    {
        beforeAppend.accept(table);
        Table stored = table(table);
        VectorSchemaRoot batch = canonical(table, stored, rows);
        int count = batch.getRowCount();
        stored.add(batch);
        afterAppend.accept(rows);
        return new AppendResult(count);
    }

    private VectorSchemaRoot canonical(Identifier table, Table stored, VectorSchemaRoot rows)
    {
        try (VectorSchemaRoot shared = new ArrowBatchNormalizer(table.getFullName(), stored.rowType, Set.of()).normalize(rows, allocator)) {
            // a copy: what is kept must not hold the client's message
            VectorSchemaRoot copy = VectorSchemaRoot.create(shared.getSchema(), allocator);
            int[] all = IntStream.range(0, shared.getRowCount()).toArray();
            for (int i = 0; i < shared.getFieldVectors().size(); i++) {
                new SelectionCopy(new MapDictionaryProvider())
                        .copy(shared.getVector(i), copy.getVector(i), all, all.length);
            }
            copy.setRowCount(all.length);
            return copy;
        }
    }

    @Override
    public void stage(Identifier table, String statement, String part, VectorSchemaRoot rows)
    {
        beforeAppend.accept(table);
        VectorSchemaRoot batch = canonical(table, table(table), rows);
        statements.computeIfAbsent(statement, _ -> new ConcurrentHashMap<>()).computeIfAbsent(part, _ -> new Staged(new ArrayList<>())).batches()
                .add(batch);
    }

    @Override
    public AppendResult publish(Identifier table, String statement, Set<String> parts)
    {
        AppendResult earlier = published.get(statement);
        if (earlier != null) {
            return earlier;
        }
        Map<String, Staged> staged = statements.getOrDefault(statement, Map.of());
        if (!staged.keySet().containsAll(parts)) {
            throw new RealtimeException(Code.NOT_FOUND, "Statement %s has only the parts %s, not %s".formatted(statement, staged.keySet(), parts));
        }
        statements.remove(statement);
        long rows = 0;
        for (Map.Entry<String, Staged> part : staged.entrySet()) {
            for (VectorSchemaRoot batch : part.getValue().batches()) {
                if (parts.contains(part.getKey())) {
                    rows += batch.getRowCount();
                    table(table).add(batch);
                }
                else {
                    batch.close();
                }
            }
        }
        AppendResult result = new AppendResult(rows);
        published.put(statement, result);
        return result;
    }

    @Override
    public void abandon(Identifier table, String statement)
    {
        Map<String, Staged> staged = statements.remove(statement);
        if (staged != null) {
            staged.values().forEach(part -> part.batches().forEach(VectorSchemaRoot::close));
        }
    }

    @Override
    public QueryCut pin(String queryId)
    {
        pinned.add(queryId);
        Map<String, TableCutInfo> cuts = new LinkedHashMap<>();
        tables.forEach(
                (name, table) -> cuts.put(name.getFullName(),
                        new TableCutInfo("lineage", 1, 1, OptionalInt.empty(), Map.of(BUCKET, new OffsetRange(0, table.rows())), Map.of())));
        return new QueryCut(queryId, "", incarnation, incarnation, 0, cuts);
    }

    @Override
    public void renew(String queryId)
    {
        if (!pinned.contains(queryId)) {
            throw new RealtimeException(Code.CUT_EXPIRED, "No query " + queryId);
        }
    }

    @Override
    public void narrow(String queryId, Set<Identifier> tables)
    {
        renew(queryId);
    }

    @Override
    public void release(String queryId)
    {
        pinned.remove(queryId);
    }

    @Override
    public List<MemBatchReader> read(String queryId, Identifier table, PartitionBucket bucket, MemReadRequest request, MemQueryContext context)
    {
        renew(queryId);
        if (!bucket.equals(BUCKET)) {
            throw new RealtimeException(Code.NOT_FOUND, "No bucket " + bucket);
        }
        Table stored = table(table);
        List<MemBatchReader> readers = new ArrayList<>();
        synchronized (stored) {
            long start = 0;
            for (VectorSchemaRoot batch : stored.batches) {
                readers.add(new Reader(stored, batch, start, request));
                start += batch.getRowCount();
            }
        }
        openReaders.addAndGet(readers.size());
        return readers;
    }

    private final class Reader implements MemBatchReader
    {
        private final Table table;
        private final VectorSchemaRoot batch;
        private final long start;
        private final MemReadRequest request;
        private boolean done;
        private boolean closed;

        private Reader(Table table, VectorSchemaRoot batch, long start, MemReadRequest request)
        {
            this.table = table;
            this.batch = batch;
            this.start = start;
            this.request = request;
        }

        @Override
        public Optional<MemBatch> next()
        {
            if (done) {
                return Optional.empty();
            }
            done = true;
            beforeBatch.run();
            int from = (int) Math.clamp(request.offsets().start() - start, 0, batch.getRowCount());
            int to = (int) Math.clamp(request.offsets().end() - start, 0, batch.getRowCount());
            List<FieldVector> columns = new ArrayList<>();
            for (DataField field : request.readType().getFields()) {
                columns.add(batch.getFieldVectors().stream().filter(vector -> ArrowSchemas.fieldId(vector.getField()) == field.id()).findFirst()
                        .orElseThrow());
            }
            if (from >= to) {
                return Optional.empty();
            }
            if (request.filter().isEmpty()) {
                openBatches.incrementAndGet();
                return Optional.of(new MemBatch(columns, null, from, to - from, openBatches::decrementAndGet));
            }
            ArrowRowView row = new ArrowRowView(batch, table.rowType);
            int[] positions = IntStream.range(from, to).filter(position -> request.filter().get().test(row.setPosition(position))).toArray();
            if (positions.length == 0) {
                return Optional.empty();
            }
            openBatches.incrementAndGet();
            // longer than the selection, as the contract allows
            return Optional
                    .of(new MemBatch(columns, Arrays.copyOf(positions, positions.length + 3), 0, positions.length, openBatches::decrementAndGet));
        }

        @Override
        public void close()
        {
            if (!closed) {
                closed = true;
                openReaders.decrementAndGet();
            }
        }
    }

    @Override
    public void flush(Optional<Identifier> table)
    {
        table.ifPresent(this::table);
        flushes.incrementAndGet();
    }

    @Override
    public void release(Identifier table, Runnable change)
    {
        change.run();
        table(table).close();
        tables.remove(table);
    }

    @Override
    public void drop(Identifier table)
    {
        Table stored = tables.remove(table);
        if (stored != null) {
            stored.close();
        }
    }

    @Override
    public void close()
    {
        tables.values().forEach(Table::close);
        statements.values().forEach(parts -> parts.values().forEach(part -> part.batches().forEach(VectorSchemaRoot::close)));
        allocator.close();
    }

    private Table table(Identifier name)
    {
        Table table = tables.get(name);
        if (table == null) {
            throw new RealtimeException(Code.NOT_FOUND, "There is no table " + name.getFullName());
        }
        return table;
    }

    private record Staged(List<VectorSchemaRoot> batches)
    {}

    private static final class Table
    {
        private final RowType rowType;
        private final List<VectorSchemaRoot> batches = new ArrayList<>();

        private Table(RowType rowType)
        {
            this.rowType = rowType;
        }

        synchronized void add(VectorSchemaRoot batch)
        {
            batches.add(batch);
        }

        synchronized long rows()
        {
            return batches.stream().mapToLong(VectorSchemaRoot::getRowCount).sum();
        }

        synchronized void close()
        {
            batches.forEach(VectorSchemaRoot::close);
            batches.clear();
        }
    }
}
