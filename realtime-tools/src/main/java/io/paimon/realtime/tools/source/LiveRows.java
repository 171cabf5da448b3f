package io.paimon.realtime.tools.source;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Rows of an input that may pause, read ahead by a thread of its own so that whoever wants them can stop waiting. One consumer. */
final class LiveRows implements Closeable
{
    private static final int ROWS_AHEAD = 4_096;

    private final Reader reader;
    private final BlockingQueue<Item> queue = new ArrayBlockingQueue<>(ROWS_AHEAD);
    private final Thread thread;
    private Item end;

    /** Reads one row after the other, in the thread of {@link LiveRows}, and is closed there. */
    interface Reader extends Closeable
    {
        /** The next row, null at the end. */
        JsonNode read()
                throws IOException;
    }

    /** A row, or the end with or without a failure. */
    private record Item(JsonNode row, Exception failure)
    {}

    LiveRows(String name, Reader reader)
    {
        this.reader = reader;
        this.thread = new Thread(this::readAll, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void readAll()
    {
        try (reader) {
            JsonNode row = reader.read();
            while (row != null) {
                queue.put(new Item(row, null));
                row = reader.read();
            }
            queue.put(new Item(null, null));
        }
        catch (IOException | RuntimeException e) {
            putEnd(e);
        }
        catch (InterruptedException e) {
            // closed: nobody wants more rows
        }
    }

    private void putEnd(Exception failure)
    {
        try {
            queue.put(new Item(null, failure));
        }
        catch (InterruptedException e) {
            // closed: nobody wants to know
        }
    }

    /** The next row, however long it takes; null at the end. */
    JsonNode take()
            throws IOException
    {
        return next(Long.MAX_VALUE).orElse(null);
    }

    /**
     * The next row; empty if there is none within this time, or at the end.
     *
     * @throws BadRowException for a row that is none, after those before it
     */
    Optional<JsonNode> next(long nanos)
            throws IOException
    {
        if (end == null) {
            Item item;
            try {
                item = queue.poll(nanos, TimeUnit.NANOSECONDS);
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for rows");
            }
            if (item == null) {
                return Optional.empty();
            }
            if (item.row() != null) {
                return Optional.of(item.row());
            }
            end = item;
        }
        switch (end.failure()) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case null, default -> {
                return Optional.empty();
            }
        }
    }

    /** The thread ends with the row it waits for. */
    @Override
    public void close()
    {
        thread.interrupt();
    }
}
