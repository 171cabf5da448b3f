package io.paimon.realtime.tools;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;

/** The Arrow memory of a tool. */
public final class Allocators
{
    private static final long LIMIT = 2L * 1024 * 1024 * 1024;

    private Allocators()
    {}

    /** A root allocator; whoever asked for it closes it. */
    public static BufferAllocator create()
    {
        return new RootAllocator(RootAllocator.configBuilder()
                .allocationManagerFactory(UnsafeAllocationManager.FACTORY)
                .maxAllocation(LIMIT)
                .build());
    }
}
