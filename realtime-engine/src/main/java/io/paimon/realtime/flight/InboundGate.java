package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Holds back requests for further messages of DoPut streams while what was received is more than the limit and some of it is being appended. What is
 * already on its way may exceed the limit by one message per stream; the allocator's own limit ends that.
 *
 * <p>Requests wait only while an append runs, whose end looks at them again: so none waits for ever, whatever holds the memory.
 */
@ThreadSafe
final class InboundGate
{
    private final BufferAllocator allocator;
    private final long limitBytes;

    @GuardedBy("this")
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    @GuardedBy("this")
    private int appending;

    InboundGate(BufferAllocator allocator, long limitBytes)
    {
        this.allocator = requireNonNull(allocator, "allocator is null");
        this.limitBytes = limitBytes;
    }

    /** Runs the request for one message now or later, in order. */
    void request(Runnable request)
    {
        synchronized (this) {
            waiting.add(request);
        }
        drain();
    }

    void appendStarts()
    {
        synchronized (this) {
            appending++;
        }
    }

    /** To be called once the batch's memory is free. */
    void appendEnded()
    {
        synchronized (this) {
            appending--;
        }
        drain();
    }

    private void drain()
    {
        List<Runnable> ready = new ArrayList<>();
        synchronized (this) {
            while (!waiting.isEmpty() && (appending == 0 || allocator.getAllocatedMemory() < limitBytes)) {
                ready.add(waiting.poll());
            }
        }
        // outside the lock: a request may deliver a message at once
        ready.forEach(Runnable::run);
    }
}
