package io.paimon.realtime.trino;

import com.google.inject.Inject;

import static java.util.Objects.requireNonNull;

public class PaimonMetadataFactory
{
    private final PaimonCatalog catalog;

    @Inject
    public PaimonMetadataFactory(PaimonCatalog catalog)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    PaimonMetadata create()
    {
        return new PaimonMetadata(catalog);
    }
}
