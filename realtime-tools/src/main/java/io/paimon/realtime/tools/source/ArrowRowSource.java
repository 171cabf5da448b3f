package io.paimon.realtime.tools.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** An Arrow file or stream; its vectors go to the writer as they are, which takes any type that widens to the column's without loss. */
final class ArrowRowSource implements RowSource
{
    private static final byte[] FILE_MAGIC = "ARROW1".getBytes(UTF_8);

    private final ArrowReader reader;
    private final Schema schema;
    private int position;

    ArrowRowSource(Path file, TableColumns columns, BufferAllocator allocator)
            throws IOException
    {
        this.reader = open(file, allocator);
        try {
            this.schema = reader.getVectorSchemaRoot().getSchema();
            List<String> names = schema.getFields().stream().map(Field::getName).toList();
            columns.resolve(file.toString(), names);
            for (Field field : schema.getFields()) {
                if (field.getDictionary() != null) {
                    throw new BadRowException(
                            "%s, column %s: dictionary-encoded columns are not taken, write it with plain values".formatted(file, field.getName()));
                }
            }
        }
        catch (RuntimeException | IOException e) {
            reader.close();
            throw e;
        }
    }

    private static ArrowReader open(Path file, BufferAllocator allocator)
            throws IOException
    {
        byte[] start = new byte[FILE_MAGIC.length];
        try (InputStream stream = Files.newInputStream(file)) {
            stream.readNBytes(start, 0, start.length);
        }
        if (Arrays.equals(start, FILE_MAGIC)) {
            return new ArrowFileReader(FileChannel.open(file), allocator);
        }
        return new ArrowStreamReader(new BufferedInputStream(Files.newInputStream(file)), allocator);
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
        VectorSchemaRoot batch = reader.getVectorSchemaRoot();
        while (position == batch.getRowCount()) {
            position = 0;
            if (!reader.loadNextBatch()) {
                batch.setRowCount(0);
                root.setRowCount(0);
                return 0;
            }
        }
        int rows = Math.min(maxRows, batch.getRowCount() - position);
        try (VectorSchemaRoot slice = batch.slice(position, rows); ArrowRecordBatch message = new VectorUnloader(slice).getRecordBatch()) {
            new VectorLoader(root).load(message);
        }
        position += rows;
        return rows;
    }

    @Override
    public void close()
            throws IOException
    {
        reader.close();
    }
}
