package io.paimon.realtime.tools.quickstart;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.tools.flight.FlightTable;
import io.paimon.realtime.tools.flight.Upload;
import io.paimon.realtime.tools.source.RowSource;
import io.paimon.realtime.tools.source.RowSources;
import io.paimon.realtime.tools.source.VectorWriter;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** An endless stream of flights: the rows of the sample file over and over, with a running number and the time they were sent. Not thread-safe. */
final class FlightFeed implements AutoCloseable
{
    private static final int MAX_SAMPLE_ROWS = 1_000_000;

    private final VectorSchemaRoot sample;
    private final VectorSchemaRoot batch;
    private final Upload upload;
    private final Upload routes;
    private long nextId;
    private int position;

    /**
     * @param routes table of the latest flight of each route, of the same columns
     * @param firstId number of the first row
     */
    FlightFeed(FlightTable table, FlightTable routes, String sampleFile, long firstId, BufferAllocator allocator)
            throws IOException
    {
        requireNonNull(table, "table is null");
        this.nextId = firstId;
        Schema columns = table.schema();
        try (RowSource source = RowSources.open(sampleFile, InputStream.nullInputStream(), columns, allocator)) {
            this.sample = VectorSchemaRoot.create(source.schema(), allocator);
            if (source.fill(sample, MAX_SAMPLE_ROWS) == 0) {
                sample.close();
                throw new IOException("no rows in " + sampleFile);
            }
        }
        List<Field> fields = ImmutableList.<Field>builder()
                .add(columns.findField("id"), columns.findField("ingested_at"))
                .addAll(sample.getSchema().getFields())
                .build();
        this.batch = VectorSchemaRoot.create(new Schema(fields), allocator);
        this.upload = table.upload(batch, 1);
        this.routes = routes.upload(batch, 1);
    }

    /** Appends rows and returns how many once they are acknowledged. */
    int append(int maxRows)
            throws InterruptedException
    {
        int rows = Math.min(maxRows, sample.getRowCount() - position);
        FieldVector ids = batch.getVector(0);
        FieldVector times = batch.getVector(1);
        ids.clear();
        times.clear();
        LocalDateTime now = LocalDateTime.ofInstant(Instant.now().truncatedTo(ChronoUnit.MILLIS), ZoneOffset.UTC);
        for (int row = 0; row < rows; row++) {
            VectorWriter.set(ids, row, nextId + row);
            VectorWriter.set(times, row, now);
        }
        for (int column = 0; column < sample.getFieldVectors().size(); column++) {
            FieldVector target = batch.getVector(column + 2);
            target.clear();
            sample.getVector(column).makeTransferPair(target).splitAndTransfer(position, rows);
        }
        batch.setRowCount(rows);
        upload.send(Optional.empty());
        routes.send(Optional.empty());
        nextId += rows;
        position = (position + rows) % sample.getRowCount();
        return rows;
    }

    @Override
    public void close()
    {
        upload.close();
        routes.close();
        batch.close();
        sample.close();
    }
}
