package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.flight.FlightServerOptions;
import io.paimon.realtime.flight.FlightTicket;
import io.paimon.realtime.flight.RealtimeFlightClient;
import io.paimon.realtime.flight.RealtimeFlightServer;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.arrow.ArrowMemory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.WriterStatus.Phase;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyFileIO.Operation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

/** A statement that is committed directly keeps appends waiting; reads over Flight and the status of the writer must not wait for it. */
final class TestReadsBesideDirectCommits
{
    private static final Identifier TABLE = Identifier.create("s", "t");
    private static final long MEMORY = 64 << 20;

    @Test
    void readsAndTheStatusDoNotWait() throws Exception
    {
        Path folder = Files.createTempDirectory("direct");
        FaultyFileIO files = new FaultyFileIO(new DurableLocalFileIO());
        org.apache.paimon.fs.Path location = new org.apache.paimon.fs.Path(folder.resolve("s.db/t").toUri());
        new SchemaManager(files, location).createTable(Schema.newBuilder().column("id", DataTypes.BIGINT()).column("v", DataTypes.STRING())
                .option("bucket", "-1").option("realtime.enabled", "true").build());
        FileStoreTable table = FileStoreTableFactory.create(files, location);
        RealtimeServiceOptions options = RealtimeServiceOptions.defaults(folder.resolve("data")).withMemoryLimit(MEMORY)
                .withCommitInterval(Duration.ofHours(1));
        CountDownLatch committing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (BufferAllocator allocator = ArrowMemory.newRootAllocator(1L << 30);
                EmbeddedRealtimeService service = new EmbeddedRealtimeService(options, _ -> table);
                RealtimeFlightServer server = RealtimeFlightServer.start(service, service.transferAllocator(), FlightServerOptions.loopback());
                RealtimeFlightClient client = RealtimeFlightClient.connect(allocator, server.address());
                ExecutorService executor = Executors.newCachedThreadPool()) {
            try (VectorSchemaRoot rows = rows(allocator, 100, "v")) {
                service.append(TABLE, rows);
            }
            QueryCut cut = service.pin("query");
            try (VectorSchemaRoot rows = rows(allocator, 100, "v".repeat((int) MEMORY / 800))) {
                service.stage(TABLE, "statement", "part", rows);
            }
            // the first one has the rows in memory
            AtomicInteger snapshots = new AtomicInteger();
            files.meanwhile(
                    (operation, path) -> operation == Operation.PUBLISH && path.getName().startsWith("snapshot-") && snapshots.incrementAndGet() == 2,
                    false, () -> {
                        committing.countDown();
                        await(go);
                    });
            Future<Long> published = executor.submit(() -> service.publish(TABLE, "statement", Set.of("part")).rows());
            try {
                assertThat(committing.await(60, TimeUnit.SECONDS)).isTrue();
                assertThat(executor.submit(() -> read(client, allocator, cut, table)).get(30, TimeUnit.SECONDS)).isEqualTo(100);
                assertThat(executor.submit(service::status).get(30, TimeUnit.SECONDS).phase()).isEqualTo(Phase.RUNNING);
            }
            finally {
                go.countDown();
            }
            assertThat(published.get(60, TimeUnit.SECONDS)).isEqualTo(100);
            service.release("query");
        }
        finally {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    private static VectorSchemaRoot rows(BufferAllocator allocator, int count, String text)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(
                DataTypes.ROW(DataTypes.FIELD(0, "id", DataTypes.BIGINT()), DataTypes.FIELD(1, "v", DataTypes.STRING())), allocator)) {
            for (long id = 0; id < count; id++) {
                writer.append(GenericRow.of(id, BinaryString.fromString(text)));
            }
            return writer.finish();
        }
    }

    private static long read(RealtimeFlightClient client, BufferAllocator allocator, QueryCut cut, FileStoreTable table)
    {
        long rows = 0;
        for (PartitionBucket bucket : cut.tables().get(TABLE.getFullName()).buckets().keySet()) {
            FlightTicket ticket = new FlightTicket(cut.incarnation(), cut.queryId(), TABLE, bucket,
                    new MemReadRequest(cut.tables().get(TABLE.getFullName()).buckets().get(bucket), table.rowType(), table.rowType(),
                            Optional.empty()));
            try (MemBatchReader reader = client.read(ticket, new MemQueryContext(allocator))) {
                for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                    try (MemBatch batch = next.get()) {
                        rows += batch.rowCount();
                    }
                }
            }
        }
        return rows;
    }

    private static void await(CountDownLatch latch)
    {
        try {
            if (!latch.await(120, TimeUnit.SECONDS)) {
                throw new AssertionError("never let go");
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
