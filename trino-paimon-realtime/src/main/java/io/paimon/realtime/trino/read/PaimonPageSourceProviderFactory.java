package io.paimon.realtime.trino.read;

import com.google.inject.Inject;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.file.DataFiles;
import io.paimon.realtime.trino.filesystem.PaimonSpillSpace;
import io.paimon.realtime.trino.writer.RealtimeCarrier;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorPageSourceProviderFactory;

import static java.util.Objects.requireNonNull;

class PaimonPageSourceProviderFactory implements ConnectorPageSourceProviderFactory
{
    private final PaimonCatalog catalog;
    private final PaimonSpillSpace spillSpace;
    private final DataFiles dataFiles;
    private final RealtimeCarrier carrier;

    @Inject
    PaimonPageSourceProviderFactory(PaimonCatalog catalog, PaimonSpillSpace spillSpace, DataFiles dataFiles, RealtimeCarrier carrier)
    {
        this.dataFiles = requireNonNull(dataFiles, "dataFiles is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.spillSpace = requireNonNull(spillSpace, "spillSpace is null");
        this.carrier = requireNonNull(carrier, "carrier is null");
    }

    @Override
    public ConnectorPageSourceProvider createPageSourceProvider()
    {
        return new PaimonPageSourceProvider(catalog, spillSpace, dataFiles, carrier);
    }
}
