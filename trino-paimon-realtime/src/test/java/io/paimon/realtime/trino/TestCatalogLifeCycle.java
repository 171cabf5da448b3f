package io.paimon.realtime.trino;

import static io.paimon.realtime.trino.RealtimeInternals.assertEventually;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_REALTIME_UNAVAILABLE;
import static io.trino.testing.TestingSession.testSessionBuilder;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.service.EmbeddedRealtimeService;
import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Catalogs that come and go while the server runs, and catalogs whose writer cannot start: they are created, and read what is committed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
final class TestCatalogLifeCycle
{
    private DistributedQueryRunner queryRunner;
    private Path directory;
    private int count;

    @BeforeAll
    void startServer() throws Exception
    {
        directory = Files.createTempDirectory("realtime");
        queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(1)
                .addCoordinatorProperty("catalog.prune.update-interval", "1s")
                .setWarehouse(directory.resolve("warehouse"))
                .build();
    }

    @AfterAll
    void stopServer() throws Exception
    {
        queryRunner.close();
        MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }

    /** Every test has a schema, and a data directory, of its own. */
    @BeforeEach
    void createSchema()
    {
        count++;
        execute("CREATE SCHEMA paimon." + schema());
    }

    @AfterEach
    void dropCatalogs()
    {
        for (Object catalog : execute("SELECT catalog_name FROM system.metadata.catalogs WHERE catalog_name LIKE 'rt%'").getOnlyColumnAsSet()) {
            execute("DROP CATALOG " + catalog);
        }
    }

    private String schema()
    {
        return "s" + count;
    }

    private Path data()
    {
        return directory.resolve("data" + count);
    }

    private MaterializedResult execute(String sql)
    {
        return queryRunner.execute(sql);
    }

    private Map<String, String> properties()
    {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("paimon.warehouse", directory.resolve("warehouse").toUri().toString());
        properties.put("paimon.realtime.enabled", "true");
        properties.put("paimon.realtime.data-directory", data().toString());
        properties.put("paimon.realtime.commit-interval", "1h");
        return properties;
    }

    private void createCatalog(String name, Map<String, String> properties)
    {
        execute("CREATE CATALOG %s USING paimon WITH (%s)".formatted(name,
                properties.entrySet().stream().map(entry -> "\"%s\" = '%s'".formatted(entry.getKey(), entry.getValue()))
                        .collect(Collectors.joining(", "))));
    }

    @Test
    void optionsThatHaveAPropertyOfTheirOwn()
    {
        for (Map.Entry<String, String> option : Map.of("metastore", "paimon.catalog.type", "warehouse", "paimon.warehouse", "cache-enabled",
                "paimon.metadata.cache-ttl", "cache.expire-after-write", "paimon.metadata.cache-ttl").entrySet()) {
            Map<String, String> properties = properties();
            properties.put("paimon.catalog.option." + option.getKey(), "x");
            assertThatThrownBy(() -> createCatalog("rt_option", properties)).rootCause()
                    .hasMessageContaining("paimon.catalog.option.%s cannot be set: use %s".formatted(option.getKey(), option.getValue()));
        }
    }

    private String phase(String catalog)
    {
        return (String) execute("SELECT phase FROM %s.system.realtime_writers".formatted(catalog)).getOnlyValue();
    }

    private String lastError(String catalog)
    {
        return (String) execute("SELECT last_error FROM %s.system.realtime_writers".formatted(catalog)).getOnlyValue();
    }

    private long count(String catalog, String table)
    {
        return (long) execute("SELECT count(*) FROM %s.%s.%s".formatted(catalog, schema(), table)).getOnlyValue();
    }

    private Session committed(String catalog)
    {
        return testSessionBuilder().setCatalog(catalog).setSchema(schema())
                .setCatalogSessionProperty(catalog, "realtime_read_mode", "COMMITTED")
                .setCatalogSessionProperty(catalog, "realtime_write_mode", "COMMITTED").build();
    }

    private void createTable(String catalog, String name)
    {
        execute("CREATE TABLE %s.%s.%s (id bigint, name varchar) WITH (realtime = true, bucket = 2, bucket_key = ARRAY['id'])".formatted(catalog,
                schema(), name));
    }

    private void insert(String catalog, String table, long from, long rows)
    {
        execute("INSERT INTO %s.%s.%s SELECT x, 'name' FROM UNNEST(sequence(%s, %s)) t(x)".formatted(catalog, schema(), table, from,
                from + rows - 1));
    }

    private static boolean isListening(URI address)
    {
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            return socket.isConnected();
        }
        catch (IOException e) {
            return false;
        }
    }

    @Test
    void catalogsAreCreatedAndDroppedWhileTheServerRuns()
    {
        createCatalog("rt", properties());
        createTable("rt", "t");
        insert("rt", "t", 1, 100);
        assertThat(count("rt", "t")).isEqualTo(100);
        assertThat(count("paimon", "t")).isZero();
        EmbeddedRealtimeService service = new RealtimeInternals(queryRunner, "rt").service();
        BufferAllocator allocator = service.allocator();
        URI flight = URI.create((String) execute("SELECT address FROM rt.system.realtime_writers").getOnlyValue());
        assertThat(isListening(flight)).isTrue();

        execute("DROP CATALOG rt");
        assertEventually(() -> {
            assertThat(isListening(flight)).isFalse();
            assertThat(service.status().phase().name()).isEqualTo("CLOSED");
        });
        assertThat(allocator.getAllocatedMemory()).isZero();
        // a clean stop commits what is in memory
        assertThat(count("paimon", "t")).isEqualTo(100);

        createCatalog("rt", properties());
        assertThat(phase("rt")).isEqualTo("RUNNING");
        insert("rt", "t", 101, 10);
        assertThat(count("rt", "t")).isEqualTo(110);
        assertThat(count("paimon", "t")).isEqualTo(100);
    }

    @Test
    void runningQueriesSurviveTheDropOfTheirCatalog() throws Exception
    {
        createCatalog("rt", properties());
        execute("CREATE TABLE rt.%s.big (orderkey bigint, text varchar) WITH (realtime = true, bucket = 8, bucket_key = ARRAY['orderkey'])"
                .formatted(schema()));
        execute("INSERT INTO rt.%s.big SELECT orderkey, rpad(comment, 3000, 'x') FROM tpch.tiny.orders".formatted(schema()));
        EmbeddedRealtimeService service = new RealtimeInternals(queryRunner, "rt").service();
        try (StreamingQuery query = new StreamingQuery(queryRunner.getCoordinator().getBaseUrl(), "rt", schema(), "SELECT * FROM big")) {
            query.awaitRows();
            execute("DROP CATALOG rt");
            query.drain();
            assertThat(query.errorName()).isEmpty();
            assertThat(query.rows()).isEqualTo(15_000);
        }
        assertEventually(() -> assertThat(service.status().phase().name()).isEqualTo("CLOSED"));
        assertThat(service.allocator().getAllocatedMemory()).isZero();
    }

    @Test
    void catalogCreatedWhileItsPredecessorStillClosesBecomesUsable()
    {
        createCatalog("rt", properties());
        createTable("rt", "t");
        insert("rt", "t", 1, 10);
        execute("DROP CATALOG rt");
        Map<String, String> changed = properties();
        changed.put("paimon.realtime.commit-interval", "2h");
        createCatalog("rt", changed);
        assertEventually(() -> assertThat(phase("rt")).describedAs(lastError("rt")).isEqualTo("RUNNING"));
        assertThat(count("rt", "t")).isEqualTo(10);
        insert("rt", "t", 11, 10);
        assertThat(count("rt", "t")).isEqualTo(20);
    }

    @Test
    void secondCatalogOnOneDataDirectoryWaitsForTheFirst()
    {
        createCatalog("rt", properties());
        createTable("rt", "t");
        insert("rt", "t", 1, 10);
        execute("CALL rt.system.flush()");
        insert("rt", "t", 11, 5);

        createCatalog("rt_second", properties());
        assertUnavailable("rt_second", "t", 10, "is used by another catalog of this server");
        // the first one does not notice, but for the row that the second one committed
        insert("rt", "t", 16, 5);
        assertThat(count("rt", "t")).isEqualTo(21);

        execute("DROP CATALOG rt");
        assertEventually(() -> assertThat(phase("rt_second")).isEqualTo("RUNNING"));
        assertThat(count("rt_second", "t")).isEqualTo(21);
        insert("rt_second", "t", 21, 1);
        assertThat(count("rt_second", "t")).isEqualTo(22);
    }

    @Test
    void catalogsOnOneWarehouseWriteTheirOwnTables()
    {
        createCatalog("rt", properties());
        Map<String, String> second = properties();
        second.put("paimon.realtime.data-directory", data().resolve("second").toString());
        createCatalog("rt_second", second);
        createTable("rt", "a");
        createTable("rt", "b");
        insert("rt", "a", 1, 10);
        insert("rt_second", "b", 1, 20);
        assertThat(count("rt", "a")).isEqualTo(10);
        assertThat(count("rt_second", "b")).isEqualTo(20);
        // each sees what the other has committed
        execute("CALL rt.system.flush()");
        execute("CALL rt_second.system.flush()");
        assertThat(queryRunner.execute(committed("rt_second"), "SELECT count(*) FROM a").getOnlyValue()).isEqualTo(10L);
        assertThat(queryRunner.execute(committed("rt"), "SELECT count(*) FROM b").getOnlyValue()).isEqualTo(20L);
        assertThat(execute("SELECT count(*) FROM rt.%1$s.a x JOIN rt_second.%1$s.b y ON x.id = y.id".formatted(schema())).getOnlyValue())
                .isEqualTo(10L);
        // only the owner can say what is in memory, and give it up
        insert("rt", "a", 11, 1);
        assertThatThrownBy(() -> execute("CALL rt_second.system.flush(schema_name => '%s', table_name => 'a')".formatted(schema())))
                .hasMessageContaining("is written by");
        assertThatThrownBy(() -> execute("ALTER TABLE rt_second.%s.a SET PROPERTIES realtime = false".formatted(schema())))
                .hasMessageContaining("is written by");
        execute("DROP CATALOG rt_second");
        assertThat(count("rt", "a")).isEqualTo(11);
        // the main branch is the table itself
        assertThat(execute("SELECT count(*) FROM rt.%s.\"a$branch_main\"".formatted(schema())).getOnlyValue()).isEqualTo(11L);
        execute("INSERT INTO rt.%s.\"a$branch_main\" VALUES (12, 'name')".formatted(schema()));
        assertThat(count("rt", "a")).isEqualTo(12);
        execute("ALTER TABLE rt.%s.a SET PROPERTIES realtime = false".formatted(schema()));
        assertThat(count("rt", "a")).isEqualTo(12);
    }

    @Test
    void occupiedFlightPort() throws Exception
    {
        prepareCommittedTable();
        Map<String, String> properties = properties();
        try (ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            properties.put("paimon.realtime.flight.port", Integer.toString(occupied.getLocalPort()));
            createCatalog("rt", properties);
            assertUnavailable("rt", "t", 10, "Cannot listen on 127.0.0.1 port " + occupied.getLocalPort());
        }
        // without a restart, once the port is free
        assertEventually(() -> assertThat(phase("rt")).isEqualTo("RUNNING"));
        insert("rt", "t", 100, 1);
        assertThat(count("rt", "t")).isEqualTo(12);
    }

    @Test
    void dataDirectoryThatIsAFile() throws Exception
    {
        prepareCommittedTable();
        Files.writeString(data(), "not a folder");
        createCatalog("rt", properties());
        assertUnavailable("rt", "t", 10, "paimon.realtime.data-directory %s cannot be used".formatted(data()));
        Files.delete(data());
        assertEventually(() -> assertThat(phase("rt")).isEqualTo("RUNNING"));
        assertThat(count("rt", "t")).isEqualTo(11);
    }

    /** Nobody, root included, makes a folder there. */
    @Test
    void dataDirectoryInAPlaceThatCannotBeWritten()
    {
        prepareCommittedTable();
        Map<String, String> properties = properties();
        properties.put("paimon.realtime.data-directory", "/proc/realtime");
        createCatalog("rt", properties);
        assertUnavailable("rt", "t", 10, "paimon.realtime.data-directory /proc/realtime cannot be used");
    }

    @Test
    void unknownIndexerAndAnUnprotectedPort()
    {
        prepareCommittedTable();
        Map<String, String> indexer = properties();
        indexer.put("paimon.realtime.mem-indexer", "nothing");
        createCatalog("rt", indexer);
        assertUnavailable("rt", "t", 10, "paimon.realtime.mem-indexer: there is no 'nothing'");
        Map<String, String> open = properties();
        open.put("paimon.realtime.flight.bind-address", "0.0.0.0");
        createCatalog("rt_open", open);
        assertUnavailable("rt_open", "t", 11, "needs a token");
    }

    private void prepareCommittedTable()
    {
        createTable("paimon", "t");
        insert("paimon", "t", 1, 10);
    }

    /** Committed rows are read and written; rows in memory are not; and everything that needs neither works. One committed row is added. */
    private void assertUnavailable(String catalog, String table, long committedRows, String reason)
    {
        String name = "%s.%s.%s".formatted(catalog, schema(), table);
        assertThat(phase(catalog)).isEqualTo("UNAVAILABLE");
        assertThat(lastError(catalog)).contains(reason);
        assertThat(queryRunner.execute(committed(catalog), "SELECT count(*), count(name) FROM " + table).getMaterializedRows().getFirst().getFields())
                .containsExactly(committedRows, committedRows);
        for (String sql : new String[]{"SELECT count(*) FROM " + name, "SELECT * FROM " + name + " LIMIT 1",
                "INSERT INTO " + name + " VALUES (1000, 'no')",
                "SELECT * FROM \"%s\".\"%s\".\"%s$realtime\"".formatted(catalog, schema(), table), "CALL %s.system.flush()".formatted(catalog)}) {
            assertTrinoExceptionThrownBy(() -> execute(sql)).hasErrorCode(PAIMON_REALTIME_UNAVAILABLE).hasMessageContaining(reason);
        }
        assertThat((String) execute("EXPLAIN SELECT * FROM " + name).getOnlyValue()).contains("mode=UNION unavailable: ").contains(reason);
        assertThat(execute("SELECT column_name FROM %s.information_schema.columns WHERE table_schema = '%s' AND table_name = '%s'".formatted(catalog,
                schema(), table))
                .getOnlyColumnAsSet()).isEqualTo(Set.of("id", "name"));
        assertThat(execute("SHOW COLUMNS FROM " + name).getRowCount()).isEqualTo(2);
        assertThat((String) execute("SHOW CREATE TABLE " + name).getOnlyValue()).contains("realtime = true");
        assertThat(execute("SELECT * FROM " + name + " WHERE false").getRowCount()).isZero();
        queryRunner.execute(committed(catalog), "INSERT INTO %s VALUES (999, 'committed')".formatted(table));
        assertThat(queryRunner.execute(committed(catalog), "SELECT count(*) FROM " + table).getOnlyValue()).isEqualTo(committedRows + 1);
        execute("CREATE TABLE %s.%s.fresh (id bigint) WITH (realtime = true, bucket = -1)".formatted(catalog, schema()));
        execute("DROP TABLE %s.%s.fresh".formatted(catalog, schema()));
    }
}
