package io.paimon.realtime.trino;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.paimon.DurableLocalFileIOLoader;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every type of catalog, and an object store, with the servers they need as processes of their own: the life of a real-time table and of an ordinary one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
final class TestCatalogTypes
{
    private enum Renames
    {
        WORK,
        /** The storage cannot rename. */
        REFUSED,
        /** The server of Paimon's tests leaves the snapshots of a renamed table behind. */
        LOSE_ROWS,
    }

    private DistributedQueryRunner queryRunner;
    private Path directory;

    @BeforeAll
    void startServer() throws Exception
    {
        directory = Files.createTempDirectory("catalogs");
        queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                .addCoordinatorProperty("catalog.prune.update-interval", "1s")
                .setWarehouse(directory.resolve("unused"))
                .build();
    }

    @AfterAll
    void stopServer() throws Exception
    {
        queryRunner.close();
        MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }

    private Path directory(String name) throws Exception
    {
        return Files.createDirectories(directory.resolve(name));
    }

    @Test
    void local() throws Exception
    {
        Path root = directory("local");
        checkLifeOfTables("local",
                ImmutableMap.of("paimon.warehouse", "local:///lake", "fs.local.enabled", "true", "local.location", root.toString()),
                Map.of("warehouse", root.resolve("lake").toUri().toString()), Renames.WORK);
        assertThatThrownBy(() -> createCatalog("leaves", ImmutableMap.of("paimon.warehouse", "local:///../lake", "fs.local.enabled", "true",
                "local.location", root.toString())))
                .hasMessage("paimon.warehouse=local:///../lake leaves local.location");
        assertThatThrownBy(() -> createCatalog("off", ImmutableMap.of("paimon.warehouse", "local:///lake")))
                .hasMessage("paimon.warehouse=local:///lake needs fs.local.enabled=true");
    }

    @Test
    void jdbc() throws Exception
    {
        Path root = directory("jdbc");
        // Paimon leaves statements open, which H2 takes and SQLite does not
        String url = "jdbc:h2:%s;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DB_CLOSE_DELAY=-1".formatted(root.resolve("catalog"));
        String warehouse = root.resolve("lake").toUri().toString();
        Map<String, String> properties = ImmutableMap.<String, String>builder()
                .put("paimon.catalog.type", "jdbc")
                .put("paimon.warehouse", warehouse)
                .put("paimon.jdbc-catalog.driver-class", "org.h2.Driver")
                .put("paimon.jdbc-catalog.connection-url", url)
                .put("paimon.jdbc-catalog.catalog-name", "tables")
                .buildOrThrow();
        checkLifeOfTables("jdbc", properties, Map.of("metastore", "jdbc", "uri", url, "catalog-key", "tables", "warehouse", warehouse), Renames.WORK);

        Map<String, String> unknownDriver = new LinkedHashMap<>(properties);
        unknownDriver.put("paimon.jdbc-catalog.driver-class", "com.example.Driver");
        assertThatThrownBy(() -> createCatalog("driver", unknownDriver))
                .hasStackTraceContaining(
                        "paimon.jdbc-catalog.driver-class=com.example.Driver cannot be loaded: put the jar of the JDBC driver into the folder");
        Map<String, String> password = new LinkedHashMap<>(properties);
        password.put("paimon.jdbc-catalog.connection-url", url + ";PASSWORD=secret");
        assertThatThrownBy(() -> createCatalog("password", password))
                .hasStackTraceContaining("must not hold a password: set paimon.jdbc-catalog.connection-password");
        assertThatThrownBy(() -> createCatalog("url", ImmutableMap.of("paimon.catalog.type", "jdbc", "paimon.warehouse", warehouse)))
                .hasStackTraceContaining("paimon.jdbc-catalog.connection-url");
        assertThatThrownBy(() -> createCatalog("other", ImmutableMap.of("paimon.warehouse", warehouse, "paimon.jdbc-catalog.connection-url", url)))
                .hasStackTraceContaining("paimon.jdbc-catalog.connection-url' was not used");
    }

    @Test
    void rest() throws Exception
    {
        Path root = directory("rest");
        Path warehouse = directory("rest/lake");
        try (PeerProcess server = PeerProcess.start("paimon-rest", root, List.of("-Xmx512m", "--add-opens=java.base/java.nio=ALL-UNNAMED"),
                List.of(PeerProcess.peer("paimon-rest").resolve("RestServer.java").toString(), warehouse.toUri().toString(), "w1", "secret"))) {
            String url = server.awaitLine("url=");
            Map<String, String> properties = ImmutableMap.<String, String>builder()
                    .put("paimon.catalog.type", "rest")
                    .put("paimon.rest-catalog.uri", url)
                    .put("paimon.rest-catalog.warehouse", "w1")
                    .put("paimon.rest-catalog.oauth2.token", "secret")
                    .buildOrThrow();
            checkLifeOfTables("rest", properties,
                    Map.of("metastore", "rest", "uri", url, "warehouse", "w1", "token.provider", "bear", "token", "secret"), Renames.LOSE_ROWS);
        }
    }

    @Test
    void hive() throws Exception
    {
        Path root = directory("hive");
        int port = PeerProcess.freePort();
        Files.writeString(root.resolve("metastore-site.xml"),
                """
                                <configuration>
                                <property><name>javax.jdo.option.ConnectionURL</name><value>jdbc:derby:;databaseName=%s;create=true</value></property>
                                <property><name>javax.jdo.option.ConnectionDriverName</name><value>org.apache.derby.jdbc.EmbeddedDriver</value></property>
                                <property><name>datanucleus.schema.autoCreateAll</name><value>true</value></property>
                                <property><name>hive.metastore.schema.verification</name><value>false</value></property>
                                <property><name>metastore.warehouse.dir</name><value>%s</value></property>
                                <property><name>metastore.task.threads.always</name><value>org.apache.hadoop.hive.metastore.events.EventCleanerTask</value></property>
                        <property><name>metastore.expression.proxy</name><value>org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy</value></property>
                                </configuration>
                                """
                        .formatted(root.resolve("derby"), root.resolve("hive-warehouse").toUri()));
        try (PeerProcess server = PeerProcess.start("hive-metastore", root,
                List.of("-Xmx512m", "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.net=ALL-UNNAMED", "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED"),
                List.of("org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", Integer.toString(port)))) {
            server.awaitPort(port);
            String uri = "thrift://127.0.0.1:" + port;
            String warehouse = root.resolve("lake").toUri().toString();
            checkLifeOfTables("hive", ImmutableMap.of("paimon.catalog.type", "hive", "hive.metastore.uri", uri, "paimon.warehouse", warehouse),
                    Map.of("metastore", "hive", "uri", uri, "warehouse", warehouse), Renames.WORK);
        }
    }

    @Test
    void objectStore() throws Exception
    {
        Path root = directory("s3");
        int port = PeerProcess.freePort();
        try (PeerProcess server = PeerProcess.start("s3mock", root,
                List.of("-Xmx512m", "-Dcom.adobe.testing.s3mock.store.root=" + root.resolve("store"),
                        "-Dcom.adobe.testing.s3mock.store.initial-buckets=lake", "-Dcom.adobe.testing.s3mock.http-port=" + port, "-Dserver.port=0"),
                List.of("com.adobe.testing.s3mock.S3MockApplication"))) {
            server.awaitPort(port);
            Map<String, String> properties = ImmutableMap.<String, String>builder()
                    .put("paimon.warehouse", "s3://lake/warehouse")
                    .put("fs.s3.enabled", "true")
                    .put("s3.endpoint", "http://127.0.0.1:" + port)
                    .put("s3.region", "us-east-1")
                    .put("s3.path-style-access", "true")
                    .put("s3.aws-access-key", "test")
                    .put("s3.aws-secret-key", "test")
                    .buildOrThrow();
            checkLifeOfTables("s3", properties, Map.of(), Renames.REFUSED);
        }
        assertThatThrownBy(() -> createCatalog("off", ImmutableMap.of("paimon.warehouse", "s3://lake/warehouse")))
                .hasMessage("paimon.warehouse=s3://lake/warehouse needs fs.s3.enabled=true");
    }

    /**
     * @param paimonOptions how Paimon itself opens the catalog, empty if it cannot
     * @param renames what becomes of a table that is renamed
     */
    private void checkLifeOfTables(String name, Map<String, String> properties, Map<String, String> paimonOptions, Renames renames) throws Exception
    {
        createCatalog(name, ImmutableMap.<String, String>builder()
                .putAll(properties)
                .put("paimon.realtime.enabled", "true")
                .put("paimon.realtime.data-directory", directory(name).resolve("realtime").toString())
                .put("paimon.realtime.commit-interval", "1h")
                .buildOrThrow());
        // a second one beside it, as other servers have it: what is committed is seen by both
        createCatalog(name + "_other", properties);
        try {
            execute("CREATE SCHEMA %s.s".formatted(name));
            // Paimon's own database would show the options of the catalog
            assertThatThrownBy(() -> execute("SELECT * FROM %s.sys.catalog_options".formatted(name)))
                    .hasMessageContaining("Schema 'sys' does not exist");
            assertThat(execute("SHOW SCHEMAS FROM %s_other".formatted(name)).getOnlyColumnAsSet()).contains("s");

            execute("""
                    CREATE TABLE %s.s.fresh (id bigint NOT NULL, v varchar, p varchar) WITH (realtime = true, partitioned_by = ARRAY['p'], bucket = 2, bucket_key = ARRAY['id'])"""
                    .formatted(name));
            execute("INSERT INTO %s.s.fresh VALUES (1, 'one', 'a'), (2, 'two', 'b'), (3, 'three', ' ')".formatted(name));
            assertRows(name, "SELECT * FROM fresh", "[1, one, a]", "[2, two, b]", "[3, three,  ]");
            assertThat(execute("SELECT * FROM %s_other.s.fresh".formatted(name)).getRowCount()).isZero();
            execute("CALL %s.system.flush(schema_name => 's', table_name => 'fresh')".formatted(name));
            assertRows(name + "_other", "SELECT * FROM fresh", "[1, one, a]", "[2, two, b]", "[3, three,  ]");
            execute("ALTER TABLE %s.s.fresh ADD COLUMN w double".formatted(name));
            execute("INSERT INTO %s.s.fresh VALUES (4, 'four', 'a', 4.5)".formatted(name));
            assertRows(name, "SELECT * FROM fresh WHERE p = 'a'", "[1, one, a, null]", "[4, four, a, 4.5]");
            execute("CALL %s.system.flush()".formatted(name));
            // the writer's claim and two rounds
            assertRows(name, "SELECT count(*) FROM \"fresh$snapshots\"", "[3]");

            execute("CREATE TABLE %s.s.nation AS SELECT * FROM tpch.tiny.nation".formatted(name));
            execute("INSERT INTO %s_other.s.nation SELECT * FROM tpch.tiny.nation WHERE regionkey = 1".formatted(name));
            assertRows(name, "SELECT count(*), sum(nationkey) FROM nation", "[30, %s]".formatted(300 + 1 + 2 + 3 + 17 + 24));
            if (renames == Renames.WORK) {
                execute("ALTER TABLE %s.s.nation RENAME TO %s.s.country".formatted(name, name));
                assertRows(name + "_other", "SELECT count(*) FROM country", "[30]");
            }
            else {
                if (renames == Renames.REFUSED) {
                    assertThatThrownBy(() -> execute("ALTER TABLE %s.s.nation RENAME TO %s.s.country".formatted(name, name)))
                            .hasMessage("Table s.nation cannot be renamed: object stores do not rename");
                }
                execute("CREATE TABLE %s.s.country AS TABLE %s.s.nation".formatted(name, name));
                execute("DROP TABLE %s.s.nation".formatted(name));
            }
            assertThat(execute("SHOW TABLES FROM %s_other.s".formatted(name)).getOnlyColumnAsSet()).containsExactlyInAnyOrder("fresh", "country");

            if (!paimonOptions.isEmpty()) {
                try (Catalog catalog = CatalogFactory
                        .createCatalog(CatalogContext.create(Options.fromMap(paimonOptions), new DurableLocalFileIOLoader(), null))) {
                    assertThat(PaimonRows.read(catalog.getTable(new Identifier("s", "fresh"))))
                            .isEqualTo(PaimonRows.render(execute("SELECT * FROM %s.s.fresh".formatted(name))));
                }
            }

            execute("DROP TABLE %s.s.fresh".formatted(name));
            execute("DROP TABLE %s.s.country".formatted(name));
            assertThat(execute("SHOW TABLES FROM %s_other.s".formatted(name)).getRowCount()).isZero();
            execute("DROP SCHEMA %s.s".formatted(name));
            assertThat(execute("SHOW SCHEMAS FROM %s_other".formatted(name)).getOnlyColumnAsSet()).doesNotContain("s");
        }
        finally {
            execute("DROP CATALOG " + name);
            execute("DROP CATALOG %s_other".formatted(name));
        }
    }

    private void assertRows(String catalog, String sql, String... rows)
    {
        Session session = testSessionBuilder().setCatalog(catalog).setSchema("s").build();
        assertThat(queryRunner.execute(session, sql).getMaterializedRows().stream().map(Object::toString)).containsExactlyInAnyOrder(rows);
    }

    private MaterializedResult execute(String sql)
    {
        return queryRunner.execute(sql);
    }

    private void createCatalog(String name, Map<String, String> properties)
    {
        execute("CREATE CATALOG %s USING paimon WITH (%s)".formatted(name,
                properties.entrySet().stream().map(entry -> "\"%s\" = '%s'".formatted(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining(", "))));
    }
}
