package io.paimon.realtime.trino;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.trino.Session;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.tpch.TpchTable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static io.airlift.testing.Closeables.closeAllSuppress;
import static io.trino.testing.QueryAssertions.copyTpchTables;
import static io.trino.testing.TestingSession.testSessionBuilder;
import static java.util.Objects.requireNonNull;

/** Trino, by default with one worker beside the coordinator, with a catalog {@code paimon} over a warehouse on the local file system, and {@code tpch}. */
public final class PaimonQueryRunner
{
    public static final String CATALOG = "paimon";
    public static final String SCHEMA = "tpch";

    private PaimonQueryRunner()
    {}

    public static Builder builder()
    {
        return new Builder();
    }

    public static final class Builder extends DistributedQueryRunner.Builder<Builder>
    {
        private final Map<String, String> connectorProperties = new HashMap<>();
        private List<TpchTable<?>> initialTables = ImmutableList.of();
        private Path warehouse;

        private Builder()
        {
            super(defaultSession());
            setWorkerCount(1);
        }

        /** Folder of the warehouse; a new one below the query runner's own if not set. */
        @CanIgnoreReturnValue
        public Builder setWarehouse(Path warehouse)
        {
            this.warehouse = requireNonNull(warehouse, "warehouse is null");
            return this;
        }

        @CanIgnoreReturnValue
        public Builder addConnectorProperty(String name, String value)
        {
            connectorProperties.put(name, value);
            return this;
        }

        /** Tables of TPC-H that are copied into the schema {@value #SCHEMA}. */
        @CanIgnoreReturnValue
        public Builder setInitialTables(Iterable<TpchTable<?>> tables)
        {
            initialTables = ImmutableList.copyOf(tables);
            return this;
        }

        @Override
        public DistributedQueryRunner build()
                throws Exception
        {
            DistributedQueryRunner queryRunner = super.build();
            try {
                queryRunner.installPlugin(new TpchPlugin());
                queryRunner.createCatalog("tpch", "tpch");
                Path root = warehouse == null ? queryRunner.getCoordinator().getBaseDataDir().resolve("paimon_warehouse") : warehouse;
                Files.createDirectories(root);
                queryRunner.installPlugin(new PaimonPlugin());
                queryRunner.createCatalog(CATALOG, "paimon", ImmutableMap.<String, String>builder()
                        .put("paimon.warehouse", root.toUri().toString())
                        .putAll(connectorProperties)
                        .buildOrThrow());
                if (!initialTables.isEmpty()) {
                    queryRunner.execute("CREATE SCHEMA %s.%s".formatted(CATALOG, SCHEMA));
                    copyTpchTables(queryRunner, "tpch", "tiny", queryRunner.getDefaultSession(), initialTables);
                }
                return queryRunner;
            }
            catch (Throwable e) {
                closeAllSuppress(e, queryRunner);
                throw e;
            }
        }
    }

    private static Session defaultSession()
    {
        return testSessionBuilder().setCatalog(CATALOG).setSchema(SCHEMA).build();
    }
}
