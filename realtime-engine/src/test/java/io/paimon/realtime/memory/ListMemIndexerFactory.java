package io.paimon.realtime.memory;

/** Makes {@link ListMemIndexer}s: shows that the plug-in interface can be met by something quite different from the default. */
public final class ListMemIndexerFactory implements MemIndexerFactory
{
    @Override
    public String name()
    {
        return "list";
    }

    @Override
    public MemIndexer create(MemIndexerOptions options)
    {
        return new ListMemIndexer(options);
    }
}
