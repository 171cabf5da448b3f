package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.MemIndexer;
import io.paimon.realtime.memory.MemIndexerFactory;
import io.paimon.realtime.memory.MemIndexerOptions;
import io.paimon.realtime.model.RealtimeException;

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
        if (!options.primaryKeys().isEmpty()) {
            throw new RealtimeException(RealtimeException.Code.NOT_REALTIME,
                    "Table %s has a primary key, for which the memory indexer 'arrow' is not supported yet".formatted(options.tableName()));
        }
        return new ArrowMemIndexer(options);
    }
}
