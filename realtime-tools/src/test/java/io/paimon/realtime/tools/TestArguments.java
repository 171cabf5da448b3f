package io.paimon.realtime.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSet;
import org.junit.jupiter.api.Test;

final class TestArguments
{
    @Test
    void testOptionsFlagsAndPositionalArguments()
    {
        Arguments arguments = parse("--port", "8080", "-", "--check", "file.csv");
        assertThat(arguments.integer("--port", 1, 65535, 1)).isEqualTo(8080);
        assertThat(arguments.has("--check")).isTrue();
        assertThat(arguments.positional()).containsExactly("-", "file.csv");
        assertThat(arguments.value("--data")).isEmpty();
        assertThat(arguments.integer("--other", 1, 2, 2)).isEqualTo(2);
    }

    @Test
    void testRefusals()
    {
        assertThatThrownBy(() -> parse("--prot", "8080")).isInstanceOf(UsageException.class).hasMessage("unknown option: --prot");
        assertThatThrownBy(() -> parse("--port")).isInstanceOf(UsageException.class).hasMessage("--port needs a value");
        assertThatThrownBy(() -> parse("--check", "--check")).isInstanceOf(UsageException.class).hasMessage("--check is given twice");
        assertThatThrownBy(() -> parse("--port", "x").integer("--port", 1, 65535, 1)).hasMessage("--port needs a whole number, not: x");
        assertThatThrownBy(() -> parse("--port", "70000").integer("--port", 1, 65535, 1)).hasMessage("--port is between 1 and 65535, not: 70000");
        assertThatThrownBy(() -> parse().required("--data")).hasMessage("--data is missing");
    }

    @Test
    void testHeapSizes()
    {
        assertThat(Preflight.bytes("2g")).isEqualTo(2L << 30);
        assertThat(Preflight.bytes("1500M")).isEqualTo(1500L << 20);
        assertThat(Preflight.bytes("1024")).isEqualTo(1024);
        assertThatThrownBy(() -> Preflight.bytes("much")).isInstanceOf(UsageException.class);
    }

    @Test
    void testTheWriterNeedsMemoryBesideTheHeap()
    {
        assertThat(Preflight.dataSize("1GB")).isEqualTo(1L << 30);
        assertThat(Preflight.dataSize("1.5MB")).isEqualTo(3L << 19);
        assertThat(Preflight.dataSize("0B")).isZero();
        assertThatThrownBy(() -> Preflight.dataSize("2g")).isInstanceOf(UsageException.class).hasMessageContaining("paimon.realtime.memory-limit");
        assertThat(Preflight.neededMemory(4L << 30, 3, 2L << 30) - Preflight.neededMemory(4L << 30, 3, 0)).isEqualTo(2L << 30);
    }

    private static Arguments parse(String... arguments)
    {
        return Arguments.parse(arguments, ImmutableSet.of("--port", "--data"), ImmutableSet.of("--check"));
    }
}
