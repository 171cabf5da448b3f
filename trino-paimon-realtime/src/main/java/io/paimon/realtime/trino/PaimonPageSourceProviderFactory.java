package io.paimon.realtime.trino;

import com.google.inject.Inject;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;

import static java.util.Objects.requireNonNull;

public class PaimonPageSourceProviderFactory implements ConnectorPageSourceProviderFactory
{
    private final PaimonCatalog catalog;
    private final PaimonSpillSpace spillSpace;

    @Inject
    public PaimonPageSourceProviderFactory(PaimonCatalog catalog, PaimonSpillSpace spillSpace)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.spillSpace = requireNonNull(spillSpace, "spillSpace is null");
    }

    @Override
    public ConnectorPageSourceProvider createPageSourceProvider()
    {
        return new PaimonPageSourceProvider(catalog, spillSpace);
    }
}
