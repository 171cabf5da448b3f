package io.paimon.realtime.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.paimon.DurableLocalFileIOLoader;
import io.paimon.realtime.read.UnionReader;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeScan;
import io.paimon.realtime.scan.RealtimeSplit;
import io.paimon.realtime.table.RealtimeContext;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.RealtimeWrite;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;

/** Writes orders, reads them before and after they are committed. */
public final class OrdersExample
{
    private OrdersExample()
    {}

    /** @param arguments the warehouse, such as {@code file:///tmp/warehouse} */
    public static void main(String[] arguments) throws Exception
    {
        run(arguments[0], System.out);
    }

    static void run(String warehouse, PrintStream out) throws Exception
    {
        Options options = new Options();
        options.set("warehouse", warehouse);
        // the loader makes commits to a local disk durable, and safe if several processes commit
        CatalogContext catalogContext = CatalogContext.create(options, new DurableLocalFileIOLoader(), null);
        try (Catalog catalog = CatalogFactory.createCatalog(catalogContext);
                RealtimeContext context = RealtimeContext.create(new ArrowMemIndexerFactory())) {
            FileStoreTable orders = createOrders(catalog);
            try (RealtimeWrite write = context.newWrite(orders)) {
                writeRows(write);
                writeArrow(write, context);
                out.println("before the commit:");
                read(orders, context, out);

                long identifier = write.committedIdentifier() + 1;
                Optional<PreparedRound> round = write.prepareCommitWithProgress(identifier);
                if (round.isPresent()) {
                    long snapshot = write.commitWithProgress(round.get());
                    write.refreshCommittedSnapshot(snapshot);
                    out.println("committed in snapshot " + snapshot + ":");
                }
                read(orders, context, out);
            }
        }
    }

    private static FileStoreTable createOrders(Catalog catalog) throws Exception
    {
        Identifier name = Identifier.create("shop", "orders");
        catalog.createDatabase("shop", true);
        Schema schema = Schema.newBuilder()
                .column("id", DataTypes.BIGINT().notNull())
                .column("product", DataTypes.STRING())
                .column("quantity", DataTypes.INT())
                .option("bucket", "2")
                .option("bucket-key", "id")
                .option("realtime.enabled", "true")
                .build();
        catalog.createTable(name, schema, true);
        return (FileStoreTable) catalog.getTable(name);
    }

    /** Paimon's rows, in Paimon's internal form. */
    private static void writeRows(RealtimeWrite write)
    {
        write.write(List.of(
                GenericRow.of(1L, BinaryString.fromString("apples"), 3),
                GenericRow.of(2L, BinaryString.fromString("pears"), 12)));
    }

    /** Arrow is faster. Columns are found by name, in any order; one that is missing is its default or NULL. */
    private static void writeArrow(RealtimeWrite write, RealtimeContext context)
    {
        try (IntVector quantity = new IntVector("quantity", context.allocator());
                VarCharVector product = new VarCharVector("product", context.allocator());
                BigIntVector id = new BigIntVector("id", context.allocator())) {
            quantity.setSafe(0, 5);
            product.setSafe(0, "plums".getBytes(UTF_8));
            id.setSafe(0, 3);
            List<FieldVector> columns = List.of(quantity, product, id);
            columns.forEach(column -> column.setValueCount(1));
            write.write(new VectorSchemaRoot(columns));
        }
    }

    /** Every order of fewer than ten pieces: a plan sees one instant, each row in one split; splits may be read in parallel. */
    private static void read(FileStoreTable orders, RealtimeContext context, PrintStream out) throws IOException
    {
        RealtimeScan scan = new RealtimeScan(context, orders)
                .withFilter(new PredicateBuilder(orders.rowType()).lessThan(2, 10))
                .withProjection(1, 2);
        try (RealtimePlan plan = scan.plan()) {
            UnionReader reader = new UnionReader(plan);
            for (RealtimeSplit split : plan.splits()) {
                try (RecordReader<InternalRow> rows = reader.createReader(split)) {
                    String from = split instanceof RealtimeSplit.MemorySplit ? "memory" : "disk";
                    rows.forEachRemaining(row -> out.println("  " + row.getInt(1) + " " + row.getString(0) + " from " + from));
                }
            }
        }
    }
}
