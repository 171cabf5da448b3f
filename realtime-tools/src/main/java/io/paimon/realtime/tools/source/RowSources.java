package io.paimon.realtime.tools.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;

/** Opens a file by the ending of its name. */
public final class RowSources
{
    private RowSources()
    {}

    /**
     * @param file name of a .parquet, .arrow, .csv or .jsonl file, or {@code -}: JSON lines of {@code standardInput}, which go out when the next ones are long in coming
     * @param table columns of the table
     * @param allocator for what the source holds itself; stays the caller's
     */
    public static RowSource open(String file, InputStream standardInput, Schema table, BufferAllocator allocator)
            throws IOException
    {
        TableColumns columns = new TableColumns(table);
        if (file.equals("-")) {
            return new JsonLinesRowSource("standard input", standardInput, columns, true);
        }
        Path path = Path.of(file);
        if (!Files.isRegularFile(path)) {
            throw new BadRowException("no such file: " + file);
        }
        String name = file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".parquet")) {
            return new ParquetRowSource(path, columns);
        }
        if (name.endsWith(".arrow") || name.endsWith(".arrows") || name.endsWith(".feather")) {
            return new ArrowRowSource(path, columns, allocator);
        }
        if (name.endsWith(".csv")) {
            return new CsvRowSource(file, Files.newBufferedReader(path), columns);
        }
        if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
            return new JsonLinesRowSource(file, Files.newInputStream(path), columns, false);
        }
        throw new BadRowException("the file's name ends with none of .parquet, .arrow, .csv, .jsonl: " + file);
    }
}
