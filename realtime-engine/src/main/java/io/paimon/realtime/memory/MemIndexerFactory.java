package io.paimon.realtime.memory;

/**
 * Makes the {@link MemIndexer}s of one kind. Found by {@link java.util.ServiceLoader}, chosen by {@link #name()}; implementations need a public
 * constructor without parameters and are thread-safe.
 */
public interface MemIndexerFactory
{
    /** Lower-case name by which the configuration chooses this factory, such as {@code arrow}. */
    String name();

    /** A new, empty indexer whose first offset is {@link MemIndexerOptions#startOffset()}. */
    MemIndexer create(MemIndexerOptions options);
}
