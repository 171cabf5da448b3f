package io.paimon.realtime.trino.write;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.trino.block.BlockReader;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.paimon.realtime.trino.handle.PaimonWriteHandle.RealtimeTarget;
import io.paimon.realtime.trino.writer.RealtimeCarrier;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSink;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.memory.OutOfMemoryException;
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
    private static final long BATCH_BYTES = 8L << 20;

    private final PaimonWriteHandle handle;
    private final RealtimeTarget target;
    private final RealtimeCarrier carrier;
    private final List<BlockReader> readers;
    private final RowType rowType;
    private final String part = UUID.randomUUID().toString();
    private ArrowRowWriter batch;
    private boolean staged;
    private long batchBytes;
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
            append(row);
        }
        completedBytes += page.getSizeInBytes();
        return NOT_BLOCKED;
    }

    private void append(GenericRow row)
    {
        try {
            if (batch == null) {
                batch = new ArrowRowWriter(rowType, carrier.allocator());
            }
            batch.append(row);
            batchBytes = batch.sizeInBytes();
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
        catch (OutOfMemoryException e) {
            throw noMemory(e);
        }
        if (batch.rowCount() == BATCH_ROWS || batchBytes >= BATCH_BYTES) {
            send();
        }
    }

    private void send()
    {
        if (batch == null) {
            return;
        }
        staged = true;
        try (ArrowRowWriter writer = batch; VectorSchemaRoot rows = writer.finish()) {
            carrier.stage(target.address(), target.incarnation(), handle.identifier(), target.statement(), part, rows);
        }
        catch (OutOfMemoryException e) {
            throw noMemory(e);
        }
        finally {
            batch = null;
            batchBytes = 0;
        }
    }

    private TrinoException noMemory(OutOfMemoryException e)
    {
        return PaimonErrorCode.toTrinoException(new RealtimeException(Code.RESOURCE_EXHAUSTED,
                "Table %s: this node has no memory for these rows now; try again: %s".formatted(handle.identifier().getFullName(), e.getMessage()),
                e));
    }

    @Override
    public long getMemoryUsage()
    {
        return batchBytes;
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
        return completedFuture(staged ? ImmutableList.of(Slices.utf8Slice(part)) : ImmutableList.of());
    }

    @Override
    public void abort()
    {
        if (batch != null) {
            batch.close();
            batch = null;
            batchBytes = 0;
        }
    }
}
