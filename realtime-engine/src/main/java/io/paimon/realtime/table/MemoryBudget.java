package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The memory limit of one service over all its tables: what is allocated (asked of the allocator, so views that outlive their segments count) plus what is reserved for
 * work under way. Appends may use three quarters of the limit: the rest is for flushes, which must go on when appends cannot.
 */
public final class MemoryBudget
{
    private static final long LOOK_AGAIN_MILLIS = 20;

    private final long limit;
    private final LongSupplier allocated;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();
    @GuardedBy("lock")
    private long reservedForAppends;
    @GuardedBy("lock")
    private long reservedForFlushes;
    private final Runnable onPressure;

    /**
     * @param allocated bytes held now by vectors
     * @param onPressure called, often and from any thread, while more than half of the limit is in use: makes commits start early; must not block
     */
    public MemoryBudget(long limit, LongSupplier allocated, Runnable onPressure)
    {
        this.limit = limit;
        this.allocated = requireNonNull(allocated, "allocated is null");
        this.onPressure = requireNonNull(onPressure, "onPressure is null");
    }

    public long limit()
    {
        return limit;
    }

    /** Bytes held now: what is allocated, and what flushes hold beside it. What appends have reserved is not held before it is allocated. */
    public long used()
    {
        lock.lock();
        try {
            return allocated.getAsLong() + reservedForFlushes;
        }
        finally {
            lock.unlock();
        }
    }

    /**
     * Reserves memory for an append, waiting for commits to free some.
     *
     * @throws RealtimeException RESOURCE_EXHAUSTED when there is none within the timeout; INVALID_ARGUMENT when the rows can never fit
     */
    public Reservation reserveForAppend(String what, long bytes, long timeoutMillis)
    {
        long share = limit / 4 * 3;
        if (bytes > share) {
            throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "%s needs %s bytes, more than the memory limit of %s allows: send smaller batches or raise paimon.realtime.memory-limit"
                            .formatted(what, bytes, limit));
        }
        return reserve(what, bytes, share, false, timeoutMillis);
    }

    /** Reserves memory for a flush. */
    public Reservation reserveForFlush(String what, long bytes, long timeoutMillis)
    {
        return reserve(what, Math.min(bytes, limit / 4), limit, true, timeoutMillis);
    }

    private Reservation reserve(String what, long bytes, long share, boolean forFlush, long timeoutMillis)
    {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        lock.lock();
        try {
            while (true) {
                long used = allocated.getAsLong() + reservedForAppends + reservedForFlushes;
                if (used + bytes > limit / 2) {
                    onPressure.run();
                }
                if (used + bytes <= share) {
                    change(forFlush, bytes);
                    return new Reservation(forFlush, bytes);
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw new RealtimeException(Code.RESOURCE_EXHAUSTED,
                            "%s: no memory within %s ms: %s of %s bytes are in use; try again".formatted(what, timeoutMillis, used, limit));
                }
                // memory that readers give back announces itself nowhere: look again after a while
                freed.await(Math.min(left, TimeUnit.MILLISECONDS.toNanos(LOOK_AGAIN_MILLIS)), TimeUnit.NANOSECONDS);
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealtimeException(Code.RESOURCE_EXHAUSTED, what + ": interrupted while waiting for memory", e);
        }
        finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void change(boolean forFlush, long bytes)
    {
        if (forFlush) {
            reservedForFlushes += bytes;
        }
        else {
            reservedForAppends += bytes;
        }
    }

    /** Memory was freed: waiting appends look again. */
    public void signalFreed()
    {
        lock.lock();
        try {
            freed.signalAll();
        }
        finally {
            lock.unlock();
        }
    }

    /** Given back by {@link #close}, once what it stood for is allocated or done with. */
    public final class Reservation implements AutoCloseable
    {
        private final boolean forFlush;
        private long bytes;

        private Reservation(boolean forFlush, long bytes)
        {
            this.forFlush = forFlush;
            this.bytes = bytes;
        }

        /** What was granted. */
        public long bytes()
        {
            return bytes;
        }

        @Override
        public void close()
        {
            lock.lock();
            try {
                change(forFlush, -bytes);
                bytes = 0;
                freed.signalAll();
            }
            finally {
                lock.unlock();
            }
        }
    }
}
