package io.paimon.realtime.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.memory.arrow.RowKindColumn;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.paimon.DurableLocalFileIOLoader;
import io.paimon.realtime.scan.ReadPoint;
import io.paimon.realtime.scan.ReadPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import io.paimon.realtime.paimon.KeyedFiles;
import io.paimon.realtime.paimon.KeyedMerge;
import io.paimon.realtime.paimon.KeyedTables;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.InternalRowUtils;

/**
 * A warehouse in a temporary folder, a service over it, and the two ways to read: the union, and Paimon alone.
 */
public final class RealtimeTester implements AutoCloseable
{
    private final Path directory;
    private final Catalog catalog;
    private EmbeddedRealtimeService service;
    private int queries;

    public RealtimeTester() throws Exception
    {
        this.directory = Files.createTempDirectory("realtime");
        Options options = new Options();
        options.set("warehouse", directory.resolve("warehouse").toUri().toString());
        this.catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new DurableLocalFileIOLoader(), null));
        catalog.createDatabase("s", false);
        this.service = start(options());
    }

    public RealtimeServiceOptions options()
    {
        return RealtimeServiceOptions.defaults(directory.resolve("data"))
                .withMemoryLimit(256 << 20)
                .withMaxPartitionBuckets(1_000)
                .withCommitInterval(Duration.ofHours(1))
                .withAppendTimeout(Duration.ofSeconds(5));
    }

    public EmbeddedRealtimeService start(RealtimeServiceOptions options)
    {
        return start(options, System::nanoTime);
    }

    private EmbeddedRealtimeService start(RealtimeServiceOptions options, LongSupplier leaseClock)
    {
        return new EmbeddedRealtimeService(options, identifier -> {
            try {
                return catalog.getTable(identifier);
            }
            catch (Catalog.TableNotExistException e) {
                throw new IllegalArgumentException(e);
            }
        }, leaseClock);
    }

    /** Closes the service, which drains it, and starts another one on the same data. */
    public void restart(RealtimeServiceOptions options)
    {
        service.close();
        service = start(options);
    }

    /** As {@link #restart(RealtimeServiceOptions)}, with leases that end by another clock. */
    void restart(RealtimeServiceOptions options, LongSupplier leaseClock)
    {
        service.close();
        service = start(options, leaseClock);
    }

    public EmbeddedRealtimeService service()
    {
        return service;
    }

    public Catalog catalog()
    {
        return catalog;
    }

    public Identifier createTable(String name, RowType rowType, List<String> partitionKeys, Map<String, String> options) throws Exception
    {
        Schema.Builder schema = Schema.newBuilder().partitionKeys(partitionKeys).option("realtime.enabled", "true");
        for (DataField field : rowType.getFields()) {
            schema.column(field.name(), field.type());
        }
        options.forEach(schema::option);
        Identifier identifier = Identifier.create("s", name);
        catalog.createTable(identifier, schema.build(), false);
        return identifier;
    }

    public FileStoreTable table(Identifier identifier)
    {
        try {
            return (FileStoreTable) catalog.getTable(identifier);
        }
        catch (Catalog.TableNotExistException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public void append(Identifier table, List<? extends InternalRow> rows)
    {
        withBatch(table, rows, batch -> service.append(table, batch));
    }

    /** A batch as clients send it; rows of primary-key tables have their kinds in a column. */
    void withBatch(Identifier table, List<? extends InternalRow> rows, Consumer<VectorSchemaRoot> use)
    {
        boolean keyed = KeyedTables.isKeyed(table(table));
        try (ArrowRowWriter writer = new ArrowRowWriter(service.rowType(table), service.allocator());
                VarCharVector kinds = new VarCharVector(RowKindColumn.CLIENT_NAME, service.allocator())) {
            for (InternalRow row : rows) {
                kinds.setSafe(writer.rowCount(), row.getRowKind().shortString().getBytes(UTF_8));
                writer.append(row);
            }
            kinds.setValueCount(writer.rowCount());
            try (VectorSchemaRoot root = writer.finish()) {
                use.accept(keyed ? root.addVector(root.getFieldVectors().size(), kinds) : root);
            }
        }
    }

    /** The union at this instant, every row as text, sorted. */
    public List<String> union(Identifier table) throws IOException
    {
        String query = "q" + queries++;
        QueryCut cut = service.pin(query);
        try {
            return union(table, cut, Optional.empty());
        }
        finally {
            service.release(query);
        }
    }

    public List<String> union(Identifier identifier, QueryCut cut, Optional<Predicate> filter) throws IOException
    {
        FileStoreTable table = table(identifier);
        ReadPoint point = ReadPoints.choose(table, identifier, cut);
        if (KeyedTables.isKeyed(table)) {
            return keyedUnion(table, identifier, cut, point);
        }
        List<String> rows = new ArrayList<>();
        if (point.snapshotId().isPresent()) {
            rows.addAll(disk(table, point.snapshotId().getAsLong(), filter));
        }
        RowType rowType = table.rowType();
        MemQueryContext context = new MemQueryContext(service.allocator());
        for (Map.Entry<PartitionBucket, OffsetRange> entry : point.memory().entrySet()) {
            MemReadRequest request = new MemReadRequest(entry.getValue(), rowType, rowType, filter);
            for (MemBatchReader reader : service.read(cut.queryId(), identifier, entry.getKey(), request, context)) {
                try (reader) {
                    for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                        try (MemBatch batch = next.get()) {
                            ArrowRowView view = new ArrowRowView(batch.columns(), rowType);
                            for (int i = 0; i < batch.rowCount(); i++) {
                                rows.add(text(view.setPosition(batch.position(i)), rowType));
                            }
                        }
                    }
                }
            }
        }
        Collections.sort(rows);
        return rows;
    }

    private List<String> keyedUnion(FileStoreTable table, Identifier identifier, QueryCut cut, ReadPoint point) throws IOException
    {
        List<String> rows = new ArrayList<>();
        KeyedFiles.Plan plan = new KeyedFiles(table).plan(point.snapshotId(), Optional.empty(), OptionalInt.empty(), point.memory().keySet());
        for (Split split : plan.diskOnly()) {
            try (RecordReader<InternalRow> reader = table.newReadBuilder().newRead().createReader(split)) {
                reader.forEachRemaining(row -> rows.add(text(row, table.rowType())));
            }
        }
        KeyedMerge merge = new KeyedMerge(table, table.rowType(), Optional.empty());
        MemQueryContext context = new MemQueryContext(service.allocator());
        for (KeyedFiles.Part part : plan.parts()) {
            List<MemBatchReader> memory = new ArrayList<>();
            for (OffsetRange run : KeyedMerge.runs(table, point.segments().get(part.bucket()))) {
                MemReadRequest request = merge.request(run, part.keys());
                memory.add(merge.inOneOrder(service.read(cut.queryId(), identifier, part.bucket(), request, context), request, service.allocator()));
            }
            try (RecordReader<InternalRow> reader = merge.open(part.disk(), memory, point.memory().get(part.bucket()).start(), null)) {
                reader.forEachRemaining(row -> rows.add(text(row, table.rowType())));
            }
        }
        Collections.sort(rows);
        return rows;
    }

    /** What Paimon's own reader returns of the newest snapshot. */
    public List<String> committed(Identifier identifier) throws IOException
    {
        FileStoreTable table = table(identifier);
        Long latest = table.snapshotManager().latestSnapshotIdFromFileSystem();
        return latest == null ? List.of() : disk(table, latest, Optional.empty());
    }

    private static List<String> disk(FileStoreTable table, long snapshot, Optional<Predicate> filter) throws IOException
    {
        ReadBuilder builder = table.copy(Map.of(CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(snapshot))).newReadBuilder();
        filter.ifPresent(builder::withFilter);
        List<String> rows = new ArrayList<>();
        try (RecordReader<InternalRow> reader = builder.newRead().executeFilter().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> rows.add(text(row, table.rowType())));
        }
        Collections.sort(rows);
        return rows;
    }

    public static String text(InternalRow row, RowType rowType)
    {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rowType.getFieldCount(); i++) {
            text.append(InternalRowUtils.get(row, i, rowType.getTypeAt(i))).append('|');
        }
        return text.toString();
    }

    @Override
    public void close() throws Exception
    {
        service.close();
        long left = service.allocator().getAllocatedMemory() + service.transferAllocator().getAllocatedMemory();
        catalog.close();
        MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
        if (left != 0) {
            throw new AssertionError("The service still holds %s bytes".formatted(left));
        }
    }
}
