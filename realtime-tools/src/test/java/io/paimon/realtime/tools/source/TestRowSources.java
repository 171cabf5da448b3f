package io.paimon.realtime.tools.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.tools.Allocators;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class TestRowSources
{
    private static final Schema TABLE = new Schema(List.of(
            new Field("id", FieldType.notNullable(new ArrowType.Int(64, true)), List.of()),
            nullable("Name", ArrowType.Utf8.INSTANCE),
            nullable("price", new ArrowType.Decimal(10, 2, 128)),
            nullable("day", new ArrowType.Date(DateUnit.DAY)),
            nullable("at", new ArrowType.Timestamp(TimeUnit.MILLISECOND, null)),
            nullable("zoned", new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC")),
            nullable("ratio", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
            nullable("ok", ArrowType.Bool.INSTANCE),
            new Field("tags", FieldType.nullable(ArrowType.List.INSTANCE), List.of(nullable("element", ArrowType.Utf8.INSTANCE))),
            new Field("position", FieldType.nullable(ArrowType.Struct.INSTANCE),
                    List.of(nullable("x", new ArrowType.Int(32, true)), nullable("y", new ArrowType.Int(32, true)))),
            new Field("counts", FieldType.nullable(new ArrowType.Map(false)), List.of(
                    new Field("entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(
                            new Field("key", FieldType.notNullable(ArrowType.Utf8.INSTANCE), List.of()),
                            nullable("value", new ArrowType.Int(64, true))))))));

    private final BufferAllocator allocator = Allocators.create();

    @TempDir
    Path folder;

    @AfterEach
    void tearDown()
    {
        // fails if a buffer is left
        allocator.close();
    }

    @Test
    void testCsv()
            throws IOException
    {
        Path file = write("rows.csv", """
                NAME,id,price,day,at,zoned,ratio,ok
                "a, b",1,12.5,2001-02-03,2001-02-03 04:05:06.789,2001-02-03T04:05:06+01:00,1e3,true
                ,2,,,,,,
                "",3,-0.01,1969-12-31,1969-12-31T23:59:59.999,1970-01-01 00:00:00,NaN,false
                """);
        assertThat(rows(file.toString(), 2)).containsExactly(
                "[a, b, 1, 12.50, 11356, 2001-02-03T04:05:06.789, 981169506000000, 1000.0, true]",
                "[null, 2, null, null, null, null, null, null]",
                "[, 3, -0.01, -1, 1969-12-31T23:59:59.999, 0, NaN, false]");
    }

    @Test
    void testJsonLines()
            throws IOException
    {
        String text = """
                {"id": 1, "name": "é", "tags": ["x", null], "position": {"x": 1, "y": null}, "counts": {"a": 1, "b": null}}
                {"ID": 9223372036854775807, "tags": [], "price": 0.1, "counts": {}}
                {"id": 3, "position": null, "ok": true, "ratio": 0.25}
                """;
        List<String> expected = List.of(
                "[1, é, null, null, null, null, null, null, [\"x\",null], {\"x\":1}, [{\"key\":\"a\",\"value\":1},{\"key\":\"b\"}]]",
                "[9223372036854775807, null, 0.10, null, null, null, null, null, [], null, []]",
                "[3, null, null, null, null, null, 0.25, true, null, null, null]");
        assertThat(rows(write("rows.jsonl", text).toString(), 100)).isEqualTo(expected);
        assertThat(rows("-", new ByteArrayInputStream(text.getBytes(UTF_8)), 1)).isEqualTo(expected);
    }

    /** The rows there are go out although the input neither ends nor has enough of them for a batch. */
    @Test
    @Timeout(60)
    void testJsonLinesOfAPipeDoNotWaitForTheNextOnes()
            throws IOException
    {
        PipedOutputStream pipe = new PipedOutputStream();
        try (PipedInputStream input = new PipedInputStream(pipe)) {
            send(pipe, "{\"id\": 1}\n{\"id\": 2}\n");
            try (RowSource source = RowSources.open("-", input, TABLE, allocator);
                    VectorSchemaRoot root = VectorSchemaRoot.create(source.schema(), allocator)) {
                assertThat(fill(source, root, 2)).containsExactly(1L, 2L);
                send(pipe, "{\"id\": 3}\n");
                assertThat(fill(source, root, 1)).containsExactly(3L);
                send(pipe, "{\"id\": 4}\n{\"id\": 5}\n{\"id\": 6}\n[7]\n");
                pipe.close();
                // not more than a batch may have
                assertThat(source.fill(root, 2)).isLessThanOrEqualTo(2);
                assertThatThrownBy(() -> fill(source, root, 3)).isInstanceOf(BadRowException.class)
                        .hasMessage("standard input, row 7: not a JSON object");
            }
        }
    }

    private static void send(OutputStream pipe, String lines)
            throws IOException
    {
        pipe.write(lines.getBytes(UTF_8));
        pipe.flush();
    }

    private static List<Long> fill(RowSource source, VectorSchemaRoot root, int wanted)
            throws IOException
    {
        List<Long> ids = new ArrayList<>();
        while (ids.size() < wanted) {
            int rows = source.fill(root, 10_000);
            assertThat(rows).isPositive();
            for (int row = 0; row < rows; row++) {
                ids.add(((BigIntVector) root.getVector("id")).get(row));
            }
        }
        return ids;
    }

    @Test
    void testRowKind()
            throws IOException
    {
        assertThat(rows(write("rows.csv", "_ROW_KIND,id\n-D,1\n").toString(), 10)).containsExactly("[-D, 1]");
        assertThat(rows(write("rows.jsonl", "{\"id\":1,\"_row_kind\":\"+I\"}").toString(), 10).getFirst()).endsWith("+I]");
    }

    @Test
    void testArrowFileAndStreamGoOnAsTheyAreInSlices()
            throws IOException
    {
        Schema schema = new Schema(List.of(nullable("id", new ArrowType.Int(64, true))));
        for (boolean stream : List.of(false, true)) {
            Path file = folder.resolve("rows.arrow");
            try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator); OutputStream output = Files.newOutputStream(file)) {
                try (var writer = stream ? new ArrowStreamWriter(root, null, output) : new ArrowFileWriter(root, null, Channels.newChannel(output))) {
                    BigIntVector ids = (BigIntVector) root.getVector(0);
                    for (int batch = 0; batch < 2; batch++) {
                        for (int row = 0; row < 5; row++) {
                            ids.setSafe(row, batch * 5L + row);
                        }
                        root.setRowCount(5);
                        writer.writeBatch();
                    }
                    writer.end();
                }
            }
            assertThat(rows(file.toString(), 3)).containsExactly("[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]", "[8]", "[9]");
        }
    }

    @Test
    void testParquetOfAnotherProgram()
            throws IOException
    {
        Schema flights = new Schema(List.of(
                nullable("date", new ArrowType.Timestamp(TimeUnit.MILLISECOND, null)),
                nullable("delay", new ArrowType.Int(64, true)),
                nullable("distance", new ArrowType.Int(64, true)),
                nullable("origin", ArrowType.Utf8.INSTANCE),
                nullable("destination", ArrowType.Utf8.INSTANCE)));
        Path sample = Path.of(System.getProperty("basedir", ".")).resolve("../bin/sample/flights-200k.parquet");
        List<String> rows = rows(sample.toString(), InputStream.nullInputStream(), flights, 7_000);
        assertThat(rows).hasSize(200_000);
        assertThat(rows.getFirst()).isEqualTo("[2001-01-01T00:01, 33, 2176, LAS, PHL]");
        assertThat(rows.getLast()).startsWith("[2001-06-30T23:58");
    }

    @Test
    void testRefusalsNameRowAndColumn()
    {
        assertRefused("rows.csv", "id,nmae\n1,x\n", "has a column nmae, the table has only id, name, price");
        assertRefused("rows.csv", "id,ID\n1,2\n", "has the column ID twice");
        assertRefused("rows.csv", "id,name\n1,x\n2\n", "row 2: 1 fields, the header has 2");
        assertRefused("rows.csv", "id\n1\nx\n", "row 2, column id: cannot take 'x' as Int(64, true): not a number");
        assertRefused("rows.csv", "id\n9223372036854775808\n", "row 1, column id");
        assertRefused("rows.csv", "id,price\n1,0.001\n", "row 1, column price");
        assertRefused("rows.csv", "id,price\n1,123456789\n", "too large for decimal(10, 2)");
        assertRefused("rows.csv", "id,at\n1,2001-01-01 00:00:00.0001\n", "finer than the column");
        assertRefused("rows.csv", "id,at\n1,2001-01-01T00:00:00Z\n", "has an offset, the column has no time zone");
        assertRefused("rows.csv", "", "has no header line");
        assertRefused("rows.jsonl", "{\"id\":1}\n{\"id\":2,\"other\":1}\n", "row 2: has a column other");
        assertRefused("rows.jsonl", "{\"id\":1}\n[1]\n", "row 2: not a JSON object");
        assertRefused("rows.jsonl", "{\"id\":true}\n", "row 1, column id: cannot take 'true'");
        assertRefused("rows.jsonl", "{\"id\":1,\"id\":2}\n", "row 1");
        assertRefused("rows.txt", "", "none of .parquet, .arrow, .csv, .jsonl");
        assertThatThrownBy(() -> rows(folder.resolve("none.csv").toString(), 1)).isInstanceOf(BadRowException.class)
                .hasMessageContaining("no such file");
    }

    private void assertRefused(String name, String text, String message)
    {
        assertThatThrownBy(() -> rows(write(name, text).toString(), 10)).isInstanceOf(BadRowException.class).hasMessageContaining(message);
    }

    private Path write(String name, String text)
            throws IOException
    {
        return Files.writeString(folder.resolve(name), text, UTF_8);
    }

    private List<String> rows(String file, int batchRows)
            throws IOException
    {
        return rows(file, InputStream.nullInputStream(), batchRows);
    }

    private List<String> rows(String file, InputStream input, int batchRows)
            throws IOException
    {
        return rows(file, input, TABLE, batchRows);
    }

    private List<String> rows(String file, InputStream input, Schema table, int batchRows)
            throws IOException
    {
        List<String> rows = new ArrayList<>();
        try (RowSource source = RowSources.open(file, input, table, allocator);
                VectorSchemaRoot root = VectorSchemaRoot.create(source.schema(), allocator)) {
            for (int count = source.fill(root, batchRows); count > 0; count = source.fill(root, batchRows)) {
                assertThat(count).isLessThanOrEqualTo(batchRows);
                assertThat(root.getRowCount()).isEqualTo(count);
                for (int row = 0; row < count; row++) {
                    List<Object> values = new ArrayList<>();
                    for (FieldVector vector : root.getFieldVectors()) {
                        values.add(vector.getObject(row));
                    }
                    rows.add(values.toString());
                }
            }
        }
        return rows;
    }

    private static Field nullable(String name, ArrowType type)
    {
        return new Field(name, FieldType.nullable(type), List.of());
    }
}
