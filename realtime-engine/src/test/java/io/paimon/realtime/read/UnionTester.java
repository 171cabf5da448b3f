package io.paimon.realtime.read;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.paimon.DurableLocalFileIO;
import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeScan;
import io.paimon.realtime.scan.RealtimeSplit;
import io.paimon.realtime.table.RealtimeContext;
import io.paimon.realtime.table.RealtimeContextOptions;
import io.paimon.realtime.table.RealtimeTable.PreparedRound;
import io.paimon.realtime.table.RealtimeWrite;
import io.paimon.realtime.testing.FaultyFileIO;
import io.paimon.realtime.testing.FaultyIndexers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/**
 * A table on the local disk, with files and memory that fail on demand, written and read through the Java API.
 */
final class UnionTester implements AutoCloseable
{
    static final RowType ROW_TYPE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.INT(), DataTypes.STRING()},
            new String[]{"id", "v", "n", "dt"});

    final FaultyFileIO files = new FaultyFileIO(new DurableLocalFileIO());
    final FaultyIndexers indexers = new FaultyIndexers();
    final RealtimeContext context;
    private final Path folder;
    private final org.apache.paimon.fs.Path location;
    private FileStoreTable table;
    private RealtimeWrite write;

    UnionTester(int buckets, List<String> partitionKeys, Map<String, String> options) throws Exception
    {
        this(buckets, partitionKeys, options, RealtimeContextOptions.defaults().withMemoryLimit(256 << 20).withAppendTimeout(Duration.ofSeconds(5)));
    }

    /**
     * @param buckets -1, or a number of buckets by id
     */
    UnionTester(int buckets, List<String> partitionKeys, Map<String, String> options, RealtimeContextOptions contextOptions) throws Exception
    {
        folder = Files.createTempDirectory("union");
        location = new org.apache.paimon.fs.Path(folder.resolve("s.db/t").toUri());
        Schema.Builder schema = Schema.newBuilder().partitionKeys(partitionKeys).option("realtime.enabled", "true")
                .option("bucket", Integer.toString(buckets)).option("commit.min-retry-wait", "1 ms").option("commit.max-retry-wait", "5 ms");
        if (buckets > 0) {
            schema.option("bucket-key", "id");
        }
        ROW_TYPE.getFields().forEach(field -> schema.column(field.name(), field.type()));
        options.forEach(schema::option);
        new SchemaManager(files, location).createTable(schema.build());
        table = FileStoreTableFactory.create(files, location);
        context = RealtimeContext.create(indexers, contextOptions);
        write = context.newWrite(table);
    }

    static GenericRow row(long id)
    {
        return GenericRow.of(id, BinaryString.fromString("v" + id), id % 7 == 0 ? null : (int) id, BinaryString.fromString("d" + id % 3));
    }

    /** Rows of ids from (inclusive) to (exclusive). */
    static List<GenericRow> rows(long from, long to)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (long id = from; id < to; id++) {
            rows.add(row(id));
        }
        return rows;
    }

    /** Rows of ids from (inclusive) to (exclusive) as {@link #union} shows them. */
    static List<String> texts(long from, long to)
    {
        return texts(rows(from, to));
    }

    static List<String> texts(List<GenericRow> rows)
    {
        return rows.stream().map(row -> PlainPaimon.render(row, ROW_TYPE)).sorted().toList();
    }

    FileStoreTable table()
    {
        return table;
    }

    /** The table with its newest schema, as a program without the engine opens it: through files that never fail. */
    FileStoreTable plainTable()
    {
        return FileStoreTableFactory.create(new DurableLocalFileIO(), location);
    }

    void refreshTable()
    {
        table = table.copyWithLatestSchema();
    }

    RealtimeWrite write()
    {
        return write;
    }

    /** The writer goes away with what it had not committed; another one comes. */
    void restart()
    {
        write.close();
        write = context.newWrite(table);
    }

    void append(long from, long to)
    {
        write.write(rows(from, to));
    }

    long nextIdentifier()
    {
        return write.committedIdentifier() + 1;
    }

    PreparedRound prepare(long identifier)
    {
        return write.prepareCommitWithProgress(identifier).orElseThrow();
    }

    /** A whole round; returns its snapshot. */
    long round()
    {
        long snapshot = write.commitWithProgress(prepare(nextIdentifier()));
        write.refreshCommittedSnapshot(snapshot);
        return snapshot;
    }

    RealtimeScan scan()
    {
        return new RealtimeScan(context, table);
    }

    /** Everything at this instant, sorted. */
    List<String> union() throws IOException
    {
        try (RealtimePlan plan = scan().plan()) {
            return read(plan);
        }
    }

    static List<String> read(RealtimePlan plan) throws IOException
    {
        try (RecordReader<InternalRow> reader = new UnionReader(plan).createReader()) {
            return collect(reader, plan.readType());
        }
    }

    static List<String> read(RealtimePlan plan, RealtimeSplit split) throws IOException
    {
        try (RecordReader<InternalRow> reader = new UnionReader(plan).createReader(split)) {
            return collect(reader, plan.readType());
        }
    }

    private static List<String> collect(RecordReader<InternalRow> reader, RowType type) throws IOException
    {
        List<String> rows = new ArrayList<>();
        reader.forEachRemaining(row -> rows.add(PlainPaimon.render(row, type)));
        Collections.sort(rows);
        return rows;
    }

    /** What Paimon's own reader returns of the newest snapshot. */
    List<String> committed() throws IOException
    {
        return PlainPaimon.read(plainTable());
    }

    long latestSnapshot()
    {
        return plainTable().snapshotManager().latestSnapshotIdFromFileSystem();
    }

    /** Names of the files under the table's folder that end so. */
    List<String> filesEndingWith(String end) throws IOException
    {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(path -> path.toString().endsWith(end)).map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    FileIO plainFiles()
    {
        return plainTable().fileIO();
    }

    /** For assertions: the exception has the code. */
    static Consumer<RealtimeException> code(Code code)
    {
        return e -> {
            if (e.code() != code) {
                throw new AssertionError("Code %s instead of %s".formatted(e.code(), code), e);
            }
        };
    }

    /** Rows in memory by bucket number. */
    Map<Integer, Long> memoryRows()
    {
        Map<Integer, Long> rows = new HashMap<>();
        write.status().buckets().forEach(bucket -> rows.merge(bucket.bucket(), bucket.memoryRows(), Long::sum));
        return rows;
    }

    Optional<String> snapshotProperty(long snapshot)
    {
        return Optional.ofNullable(plainTable().snapshotManager().snapshot(snapshot).properties())
                .map(properties -> properties.get("realtime.offsets"));
    }

    @Override
    public void close() throws Exception
    {
        files.heal();
        context.close();
        long left = context.allocator().getAllocatedMemory();
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        if (left != 0 || indexers.openReaders() != 0) {
            throw new AssertionError("%s bytes are left, and %s readers".formatted(left, indexers.openReaders()));
        }
    }
}
