package io.paimon.realtime.trino;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.trino.PaimonWriteHandle.RealtimeTarget;
import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSink;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * Stages pages with the writer, in batches; nothing is visible before the statement is published.
 */
final class RealtimePageSink implements ConnectorPageSink
{
    private static final int BATCH_ROWS = 16_384;

    private final PaimonWriteHandle handle;
    private final RealtimeTarget target;
    private final RealtimeCarrier carrier;
    private final List<BlockReader> readers;
    private final RowType rowType;
    private final String part = UUID.randomUUID().toString();
    private ArrowRowWriter batch;
    private boolean staged;
    private long completedBytes;

    RealtimePageSink(PaimonWriteHandle handle, RealtimeTarget target, RealtimeCarrier carrier, RowType tableType)
    {
        this.handle = requireNonNull(handle, "handle is null");
        this.target = requireNonNull(target, "target is null");
        this.carrier = requireNonNull(carrier, "carrier is null");
        this.readers = handle.columns().stream().map(column -> BlockReader.create(column.type())).collect(toImmutableList());
        // columns that the statement leaves out get their defaults from the writer
        this.rowType = new RowType(handle.columns().stream()
                .map(column -> tableType.getField(column.name()))
                .map(field -> new DataField(field.id(), field.name(), field.type().copy(true)))
                .toList());
    }

    @Override
    public CompletableFuture<?> appendPage(Page page)
    {
        for (int position = 0; position < page.getPositionCount(); position++) {
            GenericRow row = new GenericRow(readers.size());
            for (int channel = 0; channel < readers.size(); channel++) {
                row.setField(channel, readers.get(channel).read(page.getBlock(channel), position));
            }
            if (batch == null) {
                batch = new ArrowRowWriter(rowType, carrier.allocator());
            }
            batch.append(row);
            if (batch.rowCount() == BATCH_ROWS) {
                send();
            }
        }
        completedBytes += page.getSizeInBytes();
        return NOT_BLOCKED;
    }

    private void send()
    {
        if (batch == null) {
            return;
        }
        try (ArrowRowWriter writer = batch; VectorSchemaRoot rows = writer.finish()) {
            carrier.stage(target.address(), target.incarnation(), handle.identifier(), target.statement(), part, rows);
            staged = true;
        }
        finally {
            batch = null;
        }
    }

    @Override
    public long getCompletedBytes()
    {
        return completedBytes;
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish()
    {
        send();
        // a part of which the writer has no row is not known to it
        return completedFuture(staged ? ImmutableList.of(Slices.utf8Slice(part)) : ImmutableList.of());
    }

    @Override
    public void abort()
    {
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }
}
