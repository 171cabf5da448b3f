package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Injector;
import com.google.inject.Key;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.writer.RealtimeCarrier;
import io.paimon.realtime.trino.writer.RealtimeQueries;
import io.paimon.realtime.trino.writer.RealtimeWriter;
import io.trino.connector.CatalogHandle;
import io.trino.connector.ConnectorServicesProvider;
import io.trino.metadata.CatalogManager;
import io.trino.server.testing.TestingTrinoServer;
import io.trino.spi.catalog.CatalogName;
import io.trino.testing.DistributedQueryRunner;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The parts of a catalog in the servers of a query runner. */
final class RealtimeInternals
{
    private static final long DEADLINE_SECONDS = 60;

    private final DistributedQueryRunner queryRunner;
    private final String catalog;

    RealtimeInternals(DistributedQueryRunner queryRunner, String catalog)
    {
        this.queryRunner = queryRunner;
        this.catalog = catalog;
    }

    /** The writer in the coordinator. */
    EmbeddedRealtimeService service()
    {
        return coordinator().getInstance(RealtimeWriter.class).service();
    }

    RealtimeWriter writer()
    {
        return coordinator().getInstance(RealtimeWriter.class);
    }

    RealtimeQueries queries()
    {
        return coordinator().getInstance(RealtimeQueries.class);
    }

    PaimonCatalog catalog()
    {
        return coordinator().getInstance(PaimonCatalog.class);
    }

    private Injector coordinator()
    {
        return ((PaimonConnector) queryRunner.getCoordinator().getConnector(catalog)).injector();
    }

    /** How the server reaches the writer; empty if it has not met the catalog yet. */
    Optional<RealtimeCarrier> carrier(TestingTrinoServer server)
    {
        CatalogHandle handle = queryRunner.getCoordinator().getInstance(Key.get(CatalogManager.class)).getCatalog(new CatalogName(catalog))
                .orElseThrow()
                .getCatalogHandle();
        try {
            return Optional
                    .of(((PaimonConnector) server.getInstance(Key.get(ConnectorServicesProvider.class)).getConnectorServices(handle).getConnector())
                            .injector().getInstance(RealtimeCarrier.class));
        }
        catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Waits until the assertion holds, and lets it fail after a minute. */
    static void assertEventually(Runnable assertion)
    {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (true) {
            try {
                assertion.run();
                return;
            }
            catch (AssertionError e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    /** Waits until no query holds anything: no lease, no row in the writer, no batch on its way. Rows must have been flushed. */
    void assertReleased()
    {
        assertEventually(() -> {
            assertThat(service().pinnedQueries()).describedAs("queries with a lease").isZero();
            assertThat(service().allocator().getAllocatedMemory()).describedAs(service().allocator().toVerboseString()).isZero();
            assertThat(service().transferAllocator().getAllocatedMemory()).describedAs("bytes on their way to clients").isZero();
            for (TestingTrinoServer server : queryRunner.getServers()) {
                carrier(server).ifPresent(carrier -> assertThat(carrier.allocatedBytes()).describedAs("bytes received over Flight").isZero());
            }
        });
    }
}
