package io.paimon.realtime.memory.arrow;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;

/**
 * Where Arrow memory comes from, and what it needs of the JVM.
 */
public final class ArrowMemory
{
    private static final String OPEN_NIO = "--add-opens=java.base/java.nio=ALL-UNNAMED";
    private static final String UNSAFE = "--sun-misc-unsafe-memory-access=allow";

    private ArrowMemory()
    {}

    /**
     * A root allocator of at most so many bytes, outside the heap. The caller closes it, after everything that came from it.
     *
     * <p>Sizes are rounded to 64 bytes only: Arrow's default, powers of two, wastes a quarter of the memory on average.
     *
     * @throws IllegalStateException if the JVM lacks a flag, naming it
     */
    public static BufferAllocator newRootAllocator(long maxBytes)
    {
        problem().ifPresent(problem -> {
            throw new IllegalStateException(problem);
        });
        return new RootAllocator(RootAllocator.configBuilder()
                .allocationManagerFactory(UnsafeAllocationManager.FACTORY)
                .roundingPolicy(size -> (size + 63) & ~63L)
                .maxAllocation(maxBytes)
                .build());
    }

    /** What is wrong with this JVM for Arrow, naming the flag to add; empty if nothing is. */
    public static Optional<String> problem()
    {
        return problem(Object.class.getModule().isOpen("java.nio", ArrowMemory.class.getModule()), Runtime.version().feature(),
                ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    static Optional<String> problem(boolean nioOpen, int javaVersion, List<String> jvmArguments)
    {
        if (!nioOpen) {
            return Optional.of("Arrow memory needs the JVM flag " + OPEN_NIO);
        }
        // before 24 the access was allowed silently, from 24 on it is warned about, later it is denied
        if (javaVersion >= 24 && !jvmArguments.contains(UNSAFE)) {
            return Optional.of("Arrow memory needs the JVM flag " + UNSAFE);
        }
        return Optional.empty();
    }
}
