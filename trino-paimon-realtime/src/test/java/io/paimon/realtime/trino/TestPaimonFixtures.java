package io.paimon.realtime.trino;

import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.testing.QueryRunner;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.fs.Path;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.MapType;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Tables that other programs have written are read as Paimon's own reader reads them. */
@Execution(ExecutionMode.SAME_THREAD)
final class TestPaimonFixtures
{
    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc"})
    void everyTableIsReadAsPaimonReadsIt(String format)
            throws Exception
    {
        java.nio.file.Path warehouse = java.nio.file.Path.of(System.getProperty("fixtures.dir", "fixtures")).resolve(format).toAbsolutePath()
                .normalize();
        assumeTrue(Files.isDirectory(warehouse), "No tables to read: " + warehouse + " is not there");
        SoftAssertions softly = new SoftAssertions();
        int compared = 0;
        AtomicInteger readNatively = new AtomicInteger();
        try (QueryRunner queryRunner = PaimonQueryRunner.builder().setWarehouse(warehouse).build();
                Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(new Path(warehouse.toUri())))) {
            for (String database : catalog.listDatabases()) {
                for (String tableName : catalog.listTables(database)) {
                    Table table = catalog.getTable(new Identifier(database, tableName));
                    if (table.rowType().getFieldTypes().stream().anyMatch(type -> PaimonTypes.toTrino(type).isEmpty())) {
                        softly.assertThatThrownBy(() -> queryRunner.execute("SELECT * FROM \"%s\".\"%s\"".formatted(database, tableName)))
                                .as("%s.%s", database, tableName)
                                .hasMessageContaining("which is not supported");
                        continue;
                    }
                    String name = "\"%s\".\"%s\"".formatted(database, tableName);
                    softly.assertThatCode(() -> {
                        if (compare(queryRunner, name, table) > 0) {
                            readNatively.incrementAndGet();
                        }
                    }).as(name).doesNotThrowAnyException();
                    compared++;
                }
            }
        }
        softly.assertAll();
        assertThat(compared).isGreaterThan(10);
        assertThat(readNatively).describedAs("tables that Trino's reader has read").hasValueGreaterThan(5);
    }

    /** @return rows that Trino's reader has read */
    private static long compare(QueryRunner queryRunner, String name, Table table)
    {
        List<String> expected = PaimonRows.read(table);
        assertThat(queryRunner.execute("SELECT count(*) FROM " + name).getOnlyValue()).isEqualTo((long) expected.size());
        if (table.rowType().getFields().stream().anyMatch(field -> field.type() instanceof MapType map && map.getKeyType() instanceof ArrayType)) {
            // Trino's client protocol has no maps with such keys, so that their rows are only counted
            return 0;
        }
        assertThat(PaimonRows.render(queryRunner.execute("SELECT * FROM " + name))).containsExactlyElementsOf(expected);
        String plan = (String) queryRunner.execute("EXPLAIN ANALYZE VERBOSE SELECT * FROM " + name).getOnlyValue();
        return AbstractFileReadTest.metric(plan, ScanMetrics.DISK_NATIVE);
    }
}
