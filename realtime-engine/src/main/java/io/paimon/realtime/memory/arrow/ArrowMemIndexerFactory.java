package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.MemIndexerOptions;

/** Makes indexers that keep rows as Arrow vectors outside the heap: the default, {@code arrow}. */
public final class ArrowMemIndexerFactory implements MemIndexerFactory
{
    @Override
    public String name()
    {
        return "arrow";
    }

    @Override
    public MemIndexer create(MemIndexerOptions options)
    {
        return new ArrowMemIndexer(options);
    }
}
