package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.types.RowType;

/**
 * Sends the rows of readers to the client of one DoGet, in messages of bounded size, no faster than the client takes them. Used by one thread.
 */
final class RowStream
{
    private static final int MAX_ROWS = 65_536;
    private static final long TARGET_BYTES = 4 << 20;
    /** A message above this is cut again, unless it is of one row. */
    private static final long MAX_BYTES = 8 << 20;

    private final ServerStreamListener listener;
    private final long timeoutNanos;
    private final Object lock = new Object();
    @GuardedBy("lock")
    private boolean cancelled;

    /** Must be made on the thread that the call came in with, before it returns: handlers cannot be set later. */
    RowStream(ServerStreamListener listener, Duration timeout)
    {
        this.listener = requireNonNull(listener, "listener is null");
        this.timeoutNanos = timeout.toNanos();
        listener.setOnReadyHandler(this::wake);
        listener.setOnCancelHandler(() -> {
            synchronized (lock) {
                cancelled = true;
                lock.notifyAll();
            }
        });
    }

    /** Whether the client is gone: whatever is sent is for nobody. */
    boolean isCancelled()
    {
        synchronized (lock) {
            return cancelled;
        }
    }

    /**
     * Sends everything the readers give; returns early if the client has gone. The readers stay the caller's.
     */
    void send(RowType readType, List<MemBatchReader> readers, BufferAllocator allocator)
    {
        Schema schema = ArrowSchemas.toArrowSchema(readType);
        try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
            listener.start(root);
            for (MemBatchReader reader : readers) {
                while (!isCancelled()) {
                    Optional<MemBatch> next = reader.next();
                    if (next.isEmpty()) {
                        break;
                    }
                    try (MemBatch batch = next.get()) {
                        send(batch, root);
                    }
                }
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.UNAVAILABLE, "The writer is closing", e);
        }
    }

    private void send(MemBatch batch, VectorSchemaRoot root)
            throws InterruptedException
    {
        if (batch.columns().size() != root.getFieldVectors().size()) {
            throw new RealtimeException(Code.INTERNAL, "A batch of %s columns where %s were asked for".formatted(batch.columns().size(),
                    root.getFieldVectors().size()));
        }
        int rows = rowsPerMessage(batch);
        int done = 0;
        while (done < batch.rowCount()) {
            int count = Math.min(rows, batch.rowCount() - done);
            gather(batch, done, count, root);
            long bytes = bytes(root.getFieldVectors());
            if (bytes > MAX_BYTES && count > 1) {
                rows = Math.max(1, (int) Math.min(count / 2, count * TARGET_BYTES / bytes));
                continue;
            }
            if (!awaitReady()) {
                return;
            }
            listener.putNext();
            root.clear();
            done += count;
        }
    }

    private static void gather(MemBatch batch, int start, int count, VectorSchemaRoot root)
    {
        root.clear();
        int[] positions = new int[count];
        for (int i = 0; i < count; i++) {
            positions[i] = batch.position(start + i);
        }
        SelectionCopy copy = new SelectionCopy(new MapDictionaryProvider());
        for (int column = 0; column < batch.columns().size(); column++) {
            copy.copy(batch.columns().get(column), root.getVector(column), positions, count);
        }
        root.setRowCount(count);
    }

    private static int rowsPerMessage(MemBatch batch)
    {
        int stored = batch.columns().isEmpty() ? 1 : Math.max(1, batch.columns().getFirst().getValueCount());
        long bytesPerRow = Math.max(1, bytes(batch.columns()) / stored);
        return (int) Math.clamp(TARGET_BYTES / bytesPerRow, 1, MAX_ROWS);
    }

    private static long bytes(List<FieldVector> vectors)
    {
        long bytes = 0;
        for (FieldVector vector : vectors) {
            bytes += vector.getBufferSize();
        }
        return bytes;
    }

    /** False if the client has gone. */
    private boolean awaitReady()
            throws InterruptedException
    {
        long deadline = System.nanoTime() + timeoutNanos;
        synchronized (lock) {
            while (!cancelled && !listener.isReady()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw new RealtimeException(Code.UNAVAILABLE,
                            "The reader took no rows for %s s".formatted(TimeUnit.NANOSECONDS.toSeconds(timeoutNanos)));
                }
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
            return !cancelled;
        }
    }

    private void wake()
    {
        synchronized (lock) {
            lock.notifyAll();
        }
    }
}
