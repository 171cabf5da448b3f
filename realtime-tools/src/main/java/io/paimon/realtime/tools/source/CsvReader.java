package io.paimon.realtime.tools.source;

import java.io.Closeable;
import java.io.IOException;
import java.io.PushbackReader;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Records of a CSV text as of RFC 4180: fields in double quotes may hold commas, line ends and doubled quotes. */
final class CsvReader implements Closeable
{
    private static final int END = -1;
    private static final int MAX_FIELD_CHARS = 16 * 1024 * 1024;

    private final PushbackReader reader;

    CsvReader(Reader reader)
    {
        this.reader = new PushbackReader(reader, 1);
    }

    /** The next record; a field is empty if nothing, not even quotes, stands in it. Blank lines are skipped. Empty list at the end. */
    List<Optional<String>> next()
            throws IOException
    {
        int c = reader.read();
        while (c == '\n' || c == '\r') {
            c = reader.read();
        }
        if (c == END) {
            return List.of();
        }
        reader.unread(c);
        List<Optional<String>> record = new ArrayList<>();
        boolean more = true;
        while (more) {
            more = readField(record);
        }
        return record;
    }

    private boolean readField(List<Optional<String>> record)
            throws IOException
    {
        StringBuilder field = new StringBuilder();
        int c = reader.read();
        boolean quoted = c == '"';
        if (quoted) {
            readQuoted(field);
            c = reader.read();
        }
        while (c != ',' && c != '\n' && c != '\r' && c != END) {
            if (quoted) {
                throw new BadRowException("text after the closing quote of a field: " + field);
            }
            append(field, c);
            c = reader.read();
        }
        record.add(quoted || !field.isEmpty() ? Optional.of(field.toString()) : Optional.empty());
        return c == ',';
    }

    private void readQuoted(StringBuilder field)
            throws IOException
    {
        while (true) {
            int c = reader.read();
            if (c == END) {
                throw new BadRowException("the file ends inside quotes");
            }
            if (c == '"') {
                int following = reader.read();
                if (following != '"') {
                    if (following != END) {
                        reader.unread(following);
                    }
                    return;
                }
            }
            append(field, c);
        }
    }

    private static void append(StringBuilder field, int c)
    {
        if (field.length() >= MAX_FIELD_CHARS) {
            throw new BadRowException("a field is longer than %s characters: is a quote missing?".formatted(MAX_FIELD_CHARS));
        }
        field.append((char) c);
    }

    @Override
    public void close()
            throws IOException
    {
        reader.close();
    }
}
