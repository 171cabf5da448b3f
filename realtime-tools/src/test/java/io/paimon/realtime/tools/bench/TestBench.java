package io.paimon.realtime.tools.bench;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.paimon.realtime.tools.UsageException;
import io.paimon.realtime.trino.PaimonPlugin;
import io.trino.plugin.memory.MemoryPlugin;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TestBench
{
    private static final Set<String> LINEITEM_QUERIES = ImmutableSet.of("count", "sum", "filter", "wide", "group");

    @TempDir
    private static Path directory;
    private DistributedQueryRunner queryRunner;

    @BeforeAll
    void start() throws Exception
    {
        queryRunner = DistributedQueryRunner.builder(testSessionBuilder().build()).setWorkerCount(0).build();
        queryRunner.installPlugin(new TpchPlugin());
        queryRunner.createCatalog("tpch", "tpch");
        queryRunner.installPlugin(new MemoryPlugin());
        queryRunner.createCatalog("memory", "memory");
        queryRunner.installPlugin(new PaimonPlugin());
        queryRunner.createCatalog("paimon", "paimon", ImmutableMap.of(
                "paimon.warehouse", Files.createDirectories(directory.resolve("warehouse")).toUri().toString(),
                "paimon.realtime.enabled", "true",
                "paimon.realtime.data-directory", directory.resolve("realtime").toString(),
                "paimon.realtime.commit-interval", "24h"));
    }

    @AfterAll
    void stop()
    {
        if (queryRunner != null) {
            queryRunner.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"append", "freshness", "memory-scan", "union", "upserts", "memory"})
    void testRunsQuickly(String name) throws Exception
    {
        Path results = directory.resolve("results");
        Path work = directory.resolve("work");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BenchContext.Server server = new BenchContext.Server(
                queryRunner.getCoordinator().getBaseUrl().getAuthority(),
                (String) queryRunner.execute("SELECT address FROM paimon.system.realtime_writers").getOnlyValue());

        Bench.run(Bench.choose(List.of(name)), true, work, results, Optional.of(server), new PrintStream(out, true, UTF_8));

        JsonNode json = JsonMapper.builder().build().readTree(results.resolve(name + ".json").toFile());
        assertThat(json.path("benchmark").asText()).isEqualTo(name);
        assertThat(json.path("quick").asBoolean()).isTrue();
        assertThat(json.path("machine").path("cores").asInt()).isPositive();
        Set<String> metrics = ImmutableSet.copyOf(json.path("results").findValuesAsText("metric"));
        assertThat(metrics).containsAll(switch (name) {
            case "append" -> Set.of("burst_in_process", "burst_in_process_per_core", "burst_flight", "sustained_in_process", "sustained_flight");
            case "freshness" -> Set.of("freshness_p50", "freshness_p99");
            case "memory-scan" -> LINEITEM_QUERIES;
            case "union" -> Set.of("count", "sum", "filter", "group");
            case "upserts" -> Set.of("scan, 0 upserts", "point, 1,000,000 upserts", "range, 100,000 upserts, flushed");
            case "memory" -> Set.of("off_heap_10000_row_batches", "heap_10000_row_batches");
            default -> throw new IllegalArgumentException(name);
        });
        for (JsonNode result : json.path("results")) {
            assertThat(result.path("unit").asText()).isNotEmpty();
            assertThat(result.path("value").asDouble()).isNotNegative().isFinite();
            assertThat(result.has("baseline")).isTrue();
            assertThat(result.has("ratio")).isTrue();
            if (!result.path("baseline").isNull()) {
                double baseline = result.path("baseline").asDouble();
                assertThat(baseline).isPositive();
                assertThat(result.path("ratio").asDouble()).isCloseTo(result.path("value").asDouble() / baseline, within(1e-9));
            }
        }
        assertThat(out.toString(UTF_8)).contains(metrics);
        // nothing is left behind
        assertThat(entries(work)).isEmpty();
        if (queryRunner.execute("SHOW SCHEMAS FROM paimon").getOnlyColumnAsSet().contains("bench")) {
            assertThat(queryRunner.execute("SHOW TABLES FROM paimon.bench").getRowCount()).isZero();
        }
        assertThat(queryRunner.execute("SHOW TABLES FROM memory.default").getRowCount()).isZero();
        assertThat(queryRunner.execute("SELECT memory_bytes FROM paimon.system.realtime_writers").getOnlyValue()).isEqualTo(0L);
    }

    @Test
    void testChoose()
    {
        assertThat(Bench.choose(List.of())).extracting(Benchmark::name).containsExactly("append", "freshness", "memory-scan", "union", "upserts",
                "memory");
        assertThat(Bench.choose(List.of("union", "append", "union"))).extracting(Benchmark::name).containsExactly("union", "append");
        assertThatThrownBy(() -> Bench.choose(List.of("speed"))).isInstanceOf(UsageException.class).hasMessageContaining("speed");
    }

    @Test
    void testSamples()
    {
        Samples samples = Samples.of(List.of(5.0, 1.0, 2.0, 4.0));
        assertThat(samples.median()).isEqualTo(3.0);
        assertThat(samples.percentile(50)).isEqualTo(2.0);
        assertThat(samples.percentile(99)).isEqualTo(5.0);
        assertThat(samples.min()).isEqualTo(1.0);
        Measurement measurement = Measurement.of("m", samples, "ms").against("b", Samples.of(2.0)).withAim(Measurement.Aim.ratioAtMost(1.2));
        assertThat(measurement.ratio()).hasValue(1.5);
        assertThat(measurement.met()).contains(false);
        assertThat(Measurement.of("m", samples, "ms").withAim(Measurement.Aim.atMost(3)).met()).contains(true);
        assertThat(Measurement.of("m", samples, "ms").withAim(Measurement.Aim.atLeast(4)).met()).contains(false);
    }

    private static List<Path> entries(Path directory) throws IOException
    {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }
}
