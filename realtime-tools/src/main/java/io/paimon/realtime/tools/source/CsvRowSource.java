package io.paimon.realtime.tools.source;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.Reader;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** CSV with a header line that names the columns. A field with nothing in it is NULL, {@code ""} is the empty text. */
final class CsvRowSource implements RowSource
{
    private final String file;
    private final CsvReader reader;
    private final Schema schema;
    private long position;

    CsvRowSource(String file, Reader text, TableColumns columns)
            throws IOException
    {
        this.file = file;
        this.reader = new CsvReader(text);
        try {
            List<Optional<String>> header = reader.next();
            if (header.isEmpty()) {
                throw new BadRowException(file + " has no header line");
            }
            ImmutableList.Builder<String> names = ImmutableList.builder();
            for (Optional<String> name : header) {
                // some programs start the file with a byte order mark
                names.add(name.map(text1 -> text1.replace("\uFEFF", "").trim())
                        .orElseThrow(() -> new BadRowException(file + " has a column without a name")));
            }
            this.schema = new Schema(columns.resolve(file, names.build()));
        }
        catch (RuntimeException | IOException e) {
            reader.close();
            throw e;
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
        int columns = schema.getFields().size();
        for (int row = 0; row < maxRows; row++) {
            List<Optional<String>> fields = reader.next();
            if (fields.isEmpty()) {
                break;
            }
            position++;
            if (fields.size() != columns) {
                throw new BadRowException("%s, row %s: %s fields, the header has %s".formatted(file, position, fields.size(), columns));
            }
            for (int column = 0; column < columns; column++) {
                writer.set(column, fields.get(column).orElse(null), position);
            }
            writer.endRow();
        }
        return writer.finish();
    }

    @Override
    public void close()
            throws IOException
    {
        reader.close();
    }
}
