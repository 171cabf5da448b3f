package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.ThreadSafe;
import io.grpc.Context;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The place a call takes among those of its kind. Given back when both have ended: the call itself and the thread that serves it, whichever is later, so that
 * clients that cancel and call again cannot pile up threads.
 */
@ThreadSafe
final class CallPermit
{
    private static final Context.Key<CallPermit> KEY = Context.key("realtime.call_permit");

    private final Semaphore places;
    private final AtomicInteger holders = new AtomicInteger(1);

    private CallPermit(Semaphore places)
    {
        this.places = requireNonNull(places, "places is null");
    }

    /** Null if every place is taken. */
    static CallPermit tryAcquire(Semaphore places)
    {
        return places.tryAcquire() ? new CallPermit(places) : null;
    }

    /** The permit of the call this thread was started for, with one more holder. */
    static CallPermit retainCurrent()
    {
        CallPermit permit = requireNonNull(KEY.get(), "No permit in the call's context");
        permit.holders.incrementAndGet();
        return permit;
    }

    Context attachedTo(Context context)
    {
        return context.withValue(KEY, this);
    }

    void release()
    {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Permit released too often");
        }
        if (left == 0) {
            places.release();
        }
    }
}
