package io.paimon.realtime.tools.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestCsvReader
{
    @Test
    void testQuotesNothingAndLineEnds()
            throws IOException
    {
        assertThat(records("a,b\r\n\"x, \"\"y\"\"\n2\",\r\n\n\"\",z")).containsExactly(
                List.of(Optional.of("a"), Optional.of("b")),
                List.of(Optional.of("x, \"y\"\n2"), Optional.empty()),
                List.of(Optional.of(""), Optional.of("z")));
        assertThat(records("")).isEmpty();
        assertThat(records("a\n")).containsExactly(List.of(Optional.of("a")));
        assertThat(records(",")).containsExactly(List.of(Optional.empty(), Optional.empty()));
    }

    @Test
    void testMalformed()
    {
        assertThatThrownBy(() -> records("\"a")).isInstanceOf(BadRowException.class).hasMessage("the file ends inside quotes");
        assertThatThrownBy(() -> records("\"a\"b,c")).isInstanceOf(BadRowException.class).hasMessageContaining("after the closing quote");
    }

    private static List<List<Optional<String>>> records(String text)
            throws IOException
    {
        List<List<Optional<String>>> records = new ArrayList<>();
        try (CsvReader reader = new CsvReader(new StringReader(text))) {
            for (List<Optional<String>> next = reader.next(); !next.isEmpty(); next = reader.next()) {
                records.add(next);
            }
        }
        return records;
    }
}
