package io.paimon.realtime.memory;

/** The simplest indexer of rows with a key. */
final class TestKeyedListMemIndexer extends KeyedMemIndexerContractTest
{
    @Override
    protected String factoryName()
    {
        return "list";
    }
}
