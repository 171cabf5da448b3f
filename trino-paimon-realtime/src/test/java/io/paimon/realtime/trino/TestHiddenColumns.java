package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.trino.testing.DistributedQueryRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Where a row comes from. */
final class TestHiddenColumns extends AbstractQueryTest
{
    private Path warehouse;

    @Override
    protected DistributedQueryRunner createQueryRunner() throws Exception
    {
        warehouse = Files.createTempDirectory("warehouse");
        DistributedQueryRunner queryRunner = PaimonQueryRunner.builder()
                .setWorkerCount(0)
                .setWarehouse(warehouse)
                .addConnectorProperty("paimon.realtime.enabled", "true")
                .addConnectorProperty("paimon.realtime.data-directory", Files.createTempDirectory("realtime").toString())
                .addConnectorProperty("paimon.realtime.commit-interval", "1h")
                .build();
        queryRunner.execute("CREATE SCHEMA paimon.tpch");
        return queryRunner;
    }

    private Set<Path> dataFiles(String table) throws IOException
    {
        try (Stream<Path> files = Files.walk(warehouse.resolve("tpch.db").resolve(table))) {
            return files.filter(path -> path.getFileName().toString().startsWith("data-")).collect(ImmutableSet.toImmutableSet());
        }
    }

    private static Path path(Object uri)
    {
        return Path.of(((String) uri).replaceFirst("^file:", ""));
    }

    @Test
    void filesOfEveryFormat() throws Exception
    {
        for (String format : List.of("parquet", "orc", "avro")) {
            assertUpdate("CREATE TABLE files (id bigint, name varchar, p varchar) WITH (partitioned_by = ARRAY['p'], file_format = '%s')"
                    .formatted(format));
            assertUpdate("INSERT INTO files VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y/z')", 3);
            assertUpdate("INSERT INTO files VALUES (4, 'd', 'x')", 1);
            assertThat(computeActual("SELECT DISTINCT \"$path\" FROM files").getOnlyColumn().map(TestHiddenColumns::path).toList())
                    .containsExactlyInAnyOrderElementsOf(dataFiles("files"));
            for (Path file : dataFiles("files")) {
                assertThat(computeScalar("SELECT DISTINCT \"$file_size\" FROM files WHERE \"$path\" LIKE '%%%s'".formatted(file.getFileName())))
                        .isEqualTo(Files.size(file));
            }
            // in one split, so that rows of several files come one after the other
            assertQuery("SELECT count(*), count(DISTINCT \"$path\") FROM files WHERE p = 'x'", "VALUES (3, 2)");
            assertQuery("SELECT a.id, b.id FROM files a JOIN files b ON a.\"$path\" = b.\"$path\" AND a.id < b.id", "VALUES (1, 2)");
            assertQuery("SELECT name, id, \"$partition\" FROM files WHERE id > 2", "VALUES ('c', 3, 'p=y%2Fz'), ('d', 4, 'p=x')");
            assertQuery("SELECT id FROM files WHERE \"$partition\" = 'p=y%2Fz'", "VALUES 3");
            assertQuery(
                    "SELECT count(*) FROM files WHERE \"$file_modified_time\" BETWEEN current_timestamp - INTERVAL '1' HOUR AND current_timestamp",
                    "VALUES 4");
            String path = (String) computeScalar("SELECT \"$path\" FROM files WHERE id = 4");
            assertQuery("SELECT id FROM files WHERE \"$path\" = '%s'".formatted(path), "VALUES 4");
            assertQuery("SELECT id FROM files WHERE \"$path\" IN ('%s', 'nowhere') AND id < 4".formatted(path), "SELECT 1 WHERE false");
            assertQuery("SELECT count(*) FROM files WHERE \"$path\" IS NULL", "VALUES 0");
            assertThat(computeActual("SELECT * FROM files").getMaterializedRows().getFirst().getFieldCount()).isEqualTo(3);
            assertThat(computeActual("DESCRIBE files").getRowCount()).isEqualTo(3);
            assertUpdate("DROP TABLE files");
        }
    }

    @Test
    void rowsThatAreInNoFileOrMergedHaveNone()
    {
        assertUpdate(
                "CREATE TABLE live (id bigint, r row(x bigint), p varchar) WITH (realtime = true, bucket = 1, bucket_key = ARRAY['id'], partitioned_by = ARRAY['p'])");
        assertUpdate("INSERT INTO live VALUES (1, row(10), 'x')", 1);
        assertUpdate("CALL paimon.system.flush(schema_name => 'tpch', table_name => 'live')");
        assertUpdate("INSERT INTO live VALUES (2, row(20), 'y')", 1);
        assertQuery("SELECT id, r.x, \"$path\" IS NULL, \"$file_size\" IS NULL, \"$file_modified_time\" IS NULL, \"$partition\" FROM live",
                "VALUES (1, 10, false, false, false, 'p=x'), (2, 20, true, true, true, 'p=y')");
        assertQuery("SELECT id FROM live WHERE \"$path\" IS NULL", "VALUES 2");
        assertUpdate("DROP TABLE live");

        assertUpdate("CREATE TABLE merged (id bigint NOT NULL, v bigint) WITH (primary_key = ARRAY['id'], bucket = 1)");
        assertUpdate("INSERT INTO merged VALUES (1, 10), (2, 20)", 2);
        assertUpdate("INSERT INTO merged VALUES (1, 11)", 1);
        assertQuery("SELECT id, v, \"$path\" FROM merged", "VALUES (1, 11, NULL), (2, 20, NULL)");
        assertQueryFails("SELECT \"$partition\" FROM merged", ".*Column '\\$partition' cannot be resolved");
        assertUpdate("DROP TABLE merged");
    }

    @Test
    void aColumnOfTheTableComesFirst()
    {
        assertUpdate("CREATE TABLE own (id bigint, \"$path\" varchar)");
        assertUpdate("INSERT INTO own VALUES (1, 'mine')", 1);
        assertQuery("SELECT \"$path\" FROM own", "VALUES 'mine'");
        assertQuery("SELECT \"$file_size\" > 0 FROM own", "VALUES true");
        assertUpdate("DROP TABLE own");
    }
}
