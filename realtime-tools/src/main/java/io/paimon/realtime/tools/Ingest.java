package io.paimon.realtime.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableSet;
import io.paimon.realtime.tools.flight.FlightTable;
import io.paimon.realtime.tools.flight.Upload;
import io.paimon.realtime.tools.flight.WriterException;
import io.paimon.realtime.tools.source.BadRowException;
import io.paimon.realtime.tools.source.RowSource;
import io.paimon.realtime.tools.source.RowSources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Streams a file into a table through the writer's Flight endpoint. */
public final class Ingest
{
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int WINDOW = 8;
    private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Arguments arguments;
    private final int batchRows;
    private final long rate;
    private final Optional<String> producer;
    private final long epoch;
    private final boolean terminal = System.console() != null && System.console().isTerminal();
    private long acknowledged;

    private Ingest(Arguments arguments)
    {
        this.arguments = arguments;
        this.batchRows = arguments.integer("--batch-rows", 1, 1_000_000, 10_000);
        this.rate = arguments.integer("--rate", 1, Integer.MAX_VALUE, Integer.MAX_VALUE);
        this.producer = arguments.value("--producer");
        this.epoch = arguments.integer("--epoch", 0, Integer.MAX_VALUE, 0);
    }

    public static void main(String[] arguments)
            throws InterruptedException
    {
        Ingest ingest;
        try {
            ingest = new Ingest(Arguments.parse(arguments, ImmutableSet.of(
                    "--table", "--uri", "--batch-rows", "--rate", "--producer", "--epoch", "--token-file", "--tls-certificate")));
            ingest.checkPositional();
        }
        catch (UsageException e) {
            System.err.println("ingest: %s (see ingest --help)".formatted(e.getMessage()));
            System.exit(2);
            return;
        }
        try {
            ingest.run();
            System.out.println("acknowledged %s rows".formatted(ingest.acknowledged));
        }
        catch (UsageException | BadRowException | WriterException | IllegalArgumentException | IOException e) {
            System.err.println("ingest: %s".formatted(e.getMessage()));
            System.err.println("ingest: FAILED after %s acknowledged rows".formatted(ingest.acknowledged));
            System.exit(1);
        }
    }

    private void checkPositional()
    {
        if (arguments.positional().size() != 1) {
            throw new UsageException("one FILE is needed, or - for standard input");
        }
    }

    private void run()
            throws IOException, InterruptedException
    {
        String[] name = arguments.required("--table").split("\\.", -1);
        if (name.length != 2 || name[0].isEmpty() || name[1].isEmpty()) {
            throw new UsageException("--table is SCHEMA.TABLE, not: " + arguments.required("--table"));
        }
        Optional<String> token = Optional.empty();
        if (arguments.has("--token-file")) {
            token = Optional.of(Files.readString(Path.of(arguments.required("--token-file")), UTF_8).trim());
        }
        try (BufferAllocator allocator = Allocators.create();
                FlightTable table = FlightTable.connect(allocator, arguments.required("--uri"), name[0], name[1], token,
                        arguments.value("--tls-certificate").map(Path::of));
                RowSource source = RowSources.open(arguments.positional().getFirst(), System.in, table.schema(), allocator);
                VectorSchemaRoot root = VectorSchemaRoot.create(source.schema(), allocator)) {
            long offset = 0;
            if (producer.isPresent()) {
                offset = table.producerOffset(producer.get());
                skip(source, root, offset);
            }
            try (Upload upload = table.upload(root, WINDOW)) {
                send(source, root, upload, offset);
            }
        }
    }

    private void skip(RowSource source, VectorSchemaRoot root, long rows)
            throws IOException
    {
        long left = rows;
        while (left > 0) {
            int skipped = source.fill(root, Math.toIntExact(Math.min(left, batchRows)));
            if (skipped == 0) {
                throw new BadRowException("the writer has %s rows of producer %s already, the file has only %s: another file?".formatted(
                        rows, producer.orElseThrow(), rows - left));
            }
            left -= skipped;
        }
    }

    private void send(RowSource source, VectorSchemaRoot root, Upload upload, long firstOffset)
            throws IOException, InterruptedException
    {
        long start = System.nanoTime();
        long nextProgress = start + PROGRESS_NANOS;
        long sent = 0;
        try {
            int rows = source.fill(root, batchRows);
            while (rows > 0) {
                upload.send(metadata(firstOffset + sent));
                sent += rows;
                acknowledged = upload.acknowledgedRows();
                long now = System.nanoTime();
                if (terminal && now >= nextProgress) {
                    printProgress(now - start);
                    nextProgress = now + PROGRESS_NANOS;
                }
                if (rate != Integer.MAX_VALUE) {
                    // the schedule is from the start, so that a slow batch is made up for
                    TimeUnit.NANOSECONDS.sleep(start + (long) (sent * 1e9 / rate) - now);
                }
                rows = source.fill(root, batchRows);
            }
            upload.finish();
        }
        finally {
            acknowledged = upload.acknowledgedRows();
            if (terminal) {
                printProgress(System.nanoTime() - start);
                System.err.println();
            }
        }
    }

    private Optional<String> metadata(long offset)
    {
        return producer.map(name -> MAPPER.createObjectNode().put("producer", name).put("epoch", epoch).put("offset", offset).toString());
    }

    private void printProgress(long nanos)
    {
        System.err.printf("\r  %,d rows acknowledged, %,.0f rows/s ", acknowledged, acknowledged * 1e9 / Math.max(1, nanos));
        System.err.flush();
    }
}
