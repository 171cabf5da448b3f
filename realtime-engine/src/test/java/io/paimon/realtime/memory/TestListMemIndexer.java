package io.paimon.realtime.memory;

/** The contract, met by an implementation that has nothing in common with the default one. */
public class TestListMemIndexer extends MemIndexerContractTest
{
    @Override
    protected String factoryName()
    {
        return "list";
    }
}
