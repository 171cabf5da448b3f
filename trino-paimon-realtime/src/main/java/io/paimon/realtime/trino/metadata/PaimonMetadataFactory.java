package io.paimon.realtime.trino.metadata;

import com.google.inject.Inject;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.RealtimeConfig;
import io.paimon.realtime.trino.writer.RealtimeQueries;
import io.paimon.realtime.trino.writer.RealtimeWriter;

import static java.util.Objects.requireNonNull;

class PaimonMetadataFactory
{
    private final PaimonCatalog catalog;
    private final RealtimeWriter writer;
    private final RealtimeQueries queries;
    private final boolean realtimeEnabled;

    @Inject
    PaimonMetadataFactory(PaimonCatalog catalog, RealtimeWriter writer, RealtimeQueries queries, RealtimeConfig config)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.writer = requireNonNull(writer, "writer is null");
        this.queries = requireNonNull(queries, "queries is null");
        this.realtimeEnabled = config.isEnabled();
    }

    PaimonMetadata create()
    {
        return new PaimonMetadata(catalog, writer, queries, realtimeEnabled);
    }
}
