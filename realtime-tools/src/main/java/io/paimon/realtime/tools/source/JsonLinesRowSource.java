package io.paimon.realtime.tools.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** One JSON object per row, whose keys name the columns. A column that a row does not name is NULL. The row kind counts if the first row has one. */
final class JsonLinesRowSource implements RowSource
{
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    /** How long a batch that has rows waits for more of them. */
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final String file;
    private final MappingIterator<JsonNode> rows;
    private final Optional<LiveRows> live;
    private final TableColumns columns;
    private final Schema schema;
    private final Map<String, Integer> channels = new HashMap<>();
    /** The next row; null if it is not there yet or never will be. */
    private JsonNode pending;
    private long position;
    private long rowsRead;

    /**
     * @param live whether rows may be long in coming, so that a batch must not wait for the next one
     */
    JsonLinesRowSource(String file, InputStream stream, TableColumns columns, boolean live)
            throws IOException
    {
        this.file = file;
        this.columns = columns;
        this.rows = MAPPER.readerFor(JsonNode.class).readValues(stream);
        this.live = live ? Optional.of(new LiveRows("ingest-read", new RowReader())) : Optional.empty();
        this.pending = next();
        this.schema = new Schema(columns.all(pending != null && pending.has(TableColumns.ROW_KIND)));
        List<Field> fields = schema.getFields();
        for (int channel = 0; channel < fields.size(); channel++) {
            channels.put(fields.get(channel).getName().toLowerCase(Locale.ROOT), channel);
        }
    }

    @Override
    public Schema schema()
    {
        return schema;
    }

    @Override
    public int fill(VectorSchemaRoot root, int maxRows)
            throws IOException
    {
        RowWriter writer = new RowWriter(file, root);
        if (pending == null) {
            pending = next();
        }
        long deadline = System.nanoTime() + LINGER_NANOS;
        for (int row = 0; row < maxRows && pending != null; row++) {
            position++;
            Object[] values = new Object[channels.size()];
            for (Map.Entry<String, JsonNode> property : pending.properties()) {
                Integer channel = channels.get(property.getKey().toLowerCase(Locale.ROOT));
                if (channel == null) {
                    throw columns.unknown("%s, row %s:".formatted(file, position), property.getKey());
                }
                values[channel] = value(property.getValue());
            }
            for (int channel = 0; channel < values.length; channel++) {
                writer.set(channel, values[channel], position);
            }
            writer.endRow();
            pending = live.isPresent() ? live.get().next(Math.max(0, deadline - System.nanoTime())).orElse(null) : read();
        }
        return writer.finish();
    }

    /** The next row, however long it takes; null at the end. */
    private JsonNode next()
            throws IOException
    {
        return live.isPresent() ? live.get().take() : read();
    }

    private final class RowReader implements LiveRows.Reader
    {
        @Override
        public JsonNode read()
                throws IOException
        {
            return JsonLinesRowSource.this.read();
        }

        @Override
        public void close()
                throws IOException
        {
            rows.close();
        }
    }

    /** Reads the next row; null at the end. */
    private JsonNode read()
            throws IOException
    {
        try {
            if (!rows.hasNextValue()) {
                return null;
            }
            JsonNode row = rows.nextValue();
            if (!row.isObject()) {
                throw new BadRowException("%s, row %s: not a JSON object".formatted(file, rowsRead + 1));
            }
            rowsRead++;
            return row;
        }
        catch (JsonProcessingException e) {
            throw new BadRowException("%s, row %s: %s".formatted(file, rowsRead + 1, e.getMessage()), e);
        }
    }

    private static Object value(JsonNode node)
    {
        return switch (node.getNodeType()) {
            case NULL, MISSING -> null;
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> node.isIntegralNumber() && node.canConvertToLong() ? (Object) node.longValue() : node.decimalValue();
            case ARRAY -> {
                List<Object> elements = new ArrayList<>();
                node.forEach(element -> elements.add(value(element)));
                yield Collections.unmodifiableList(elements);
            }
            case OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                node.properties().forEach(property -> fields.put(property.getKey(), value(property.getValue())));
                yield Collections.unmodifiableMap(fields);
            }
            case STRING, BINARY, POJO -> node.asText();
        };
    }

    @Override
    public void close()
            throws IOException
    {
        if (live.isPresent()) {
            // its thread closes the input, which it may be reading now
            live.get().close();
        }
        else {
            rows.close();
        }
    }
}
