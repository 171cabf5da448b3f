package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.KeyedMemIndexerContractTest;

/** Arrow's indexer of rows with a key. */
final class TestKeyedArrowMemIndexer extends KeyedMemIndexerContractTest
{
    @Override
    protected String factoryName()
    {
        return "arrow";
    }
}
