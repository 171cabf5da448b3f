package io.paimon.realtime.table;

import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A lock held by this thread, until it is closed. May be held several times. */
interface HeldLock extends AutoCloseable
{
    static HeldLock hold(ReentrantLock lock)
    {
        lock.lock();
        return lock::unlock;
    }

    /** Empty if another thread has it. */
    static Optional<HeldLock> tryHold(ReentrantLock lock)
    {
        return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
    }

    @Override
    void close();
}
