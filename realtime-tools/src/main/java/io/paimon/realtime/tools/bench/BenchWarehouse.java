package io.paimon.realtime.tools.bench;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.DurableLocalFileIOLoader;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.service.RealtimeServiceOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;

/** A warehouse in a folder, and a writer for it in this JVM. */
final class BenchWarehouse implements AutoCloseable
{
    private final Path directory;
    private final Catalog catalog;
    private int tables;
    private int services;

    BenchWarehouse(Path directory) throws Catalog.DatabaseAlreadyExistException
    {
        this.directory = directory;
        Options options = new Options();
        options.set("warehouse", directory.resolve("warehouse").toUri().toString());
        this.catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new DurableLocalFileIOLoader(), null));
        catalog.createDatabase("bench", false);
    }

    /** A writer; whoever asked for it closes it. */
    EmbeddedRealtimeService start(long memoryLimit, Duration commitInterval)
    {
        RealtimeServiceOptions options = RealtimeServiceOptions.defaults(directory.resolve("data-" + services++)).withMemoryLimit(memoryLimit)
                .withCommitInterval(commitInterval);
        return new EmbeddedRealtimeService(options, this::load);
    }

    /** A new table of the columns of {@link BenchRows}, bucketed by {@code id}. */
    Identifier createTable(int buckets, Map<String, String> options)
    {
        Schema.Builder schema = Schema.newBuilder().option("bucket", String.valueOf(buckets)).option("bucket-key", "id");
        for (DataField field : BenchRows.ROW_TYPE.getFields()) {
            schema.column(field.name(), field.type());
        }
        options.forEach(schema::option);
        Identifier identifier = Identifier.create("bench", "t" + tables++);
        try {
            catalog.createTable(identifier, schema.build(), false);
        }
        catch (Catalog.TableAlreadyExistException | Catalog.DatabaseNotExistException e) {
            throw new IllegalStateException(e);
        }
        return identifier;
    }

    Identifier createRealtimeTable(int buckets)
    {
        return createTable(buckets, Map.of("realtime.enabled", "true"));
    }

    FileStoreTable load(Identifier identifier)
    {
        try {
            return (FileStoreTable) catalog.getTable(identifier);
        }
        catch (Catalog.TableNotExistException e) {
            throw new RealtimeException(Code.NOT_FOUND, e.getMessage(), e);
        }
    }

    void dropTable(Identifier identifier)
    {
        try {
            catalog.dropTable(identifier, true);
        }
        catch (Catalog.TableNotExistException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws Exception
    {
        catalog.close();
    }
}
