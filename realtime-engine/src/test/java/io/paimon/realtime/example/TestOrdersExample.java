package io.paimon.realtime.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestOrdersExample
{
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));

    @Test
    void exampleRuns(@TempDir Path folder) throws Exception
    {
        assertThat(run(folder)).satisfiesExactly(
                line -> assertThat(line).isEqualTo("before the commit:"),
                line -> assertThat(line).isEqualTo("  3 apples from memory"),
                line -> assertThat(line).isEqualTo("  5 plums from memory"),
                line -> assertThat(line).matches("committed in snapshot \\d+:"),
                line -> assertThat(line).isEqualTo("  3 apples from disk"),
                line -> assertThat(line).isEqualTo("  5 plums from disk"));
        // once more on the table that is there now
        assertThat(run(folder)).containsSubsequence("before the commit:", "  3 apples from disk", "  3 apples from memory").hasSize(10);
    }

    private static List<String> run(Path folder) throws Exception
    {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(text, true, UTF_8)) {
            OrdersExample.run(folder.toUri().toString(), out);
        }
        return text.toString(UTF_8).lines().toList();
    }

    @Test
    void documentShowsTheSourceThatRuns() throws Exception
    {
        String document = Files.readString(MODULE.resolve("../docs/java-api.md"));
        int start = document.indexOf("```java\n") + "```java\n".length();
        String shown = document.substring(start, document.indexOf("```", start));
        assertThat(shown).isEqualTo(Files.readString(MODULE.resolve("src/test/java/io/paimon/realtime/example/OrdersExample.java")));
    }
}
