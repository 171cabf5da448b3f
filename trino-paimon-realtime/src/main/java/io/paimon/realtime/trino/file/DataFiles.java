package io.paimon.realtime.trino.file;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.paimon.realtime.trino.filesystem.PaimonFileSystems;
import io.paimon.realtime.trino.handle.ByteRange;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.filesystem.TrinoInputFile;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.memory.context.LocalMemoryContext;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.fs.Path;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataFilePathFactory;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.Split;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/** Reads the data files of splits whose rows are the rows of their files, where Trino's readers give the values that Paimon's would. */
public final class DataFiles
{
    private final PaimonFileSystems fileSystems;

    @Inject
    public DataFiles(PaimonFileSystems fileSystems)
    {
        this.fileSystems = requireNonNull(fileSystems, "fileSystems is null");
    }

    /**
     * What is to be read.
     *
     * @param range the part that is read of the split's only file; empty for all of the split
     * @param utc whether local time is UTC where the split was made
     * @param filter what every row of the result fulfils; not {@code none}. Files and parts of files without such rows are skipped, other rows may be returned as well
     * @param limit rows that are enough, if any will do
     */
    public record Request(Table table, Split split, Optional<ByteRange> range, boolean utc, List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> filter, OptionalLong limit)
    {
        public Request
        {
            requireNonNull(table, "table is null");
            requireNonNull(split, "split is null");
            requireNonNull(range, "range is null");
            columns = ImmutableList.copyOf(columns);
            requireNonNull(filter, "filter is null");
            requireNonNull(limit, "limit is null");
        }

        private boolean startsFile()
        {
            return range.isEmpty() || range.get().startsFile();
        }
    }

    /**
     * What reading needs.
     *
     * @param paimonReader Paimon's reader, for a split of a file that turns out to need it
     * @param failure tells of a failure to read
     */
    public record Means(MemoryContext memoryContext, BiFunction<Split, MemoryContext, ConnectorPageSource> paimonReader,
            Function<Exception, RuntimeException> failure)
    {
        public Means
        {
            requireNonNull(memoryContext, "memoryContext is null");
            requireNonNull(paimonReader, "paimonReader is null");
            requireNonNull(failure, "failure is null");
        }
    }

    /**
     * @return empty if Paimon's reader is needed for all of the split
     */
    public Optional<ConnectorPageSource> open(Request request, Means means)
    {
        if (!isMadeOfRows(request.table(), request.split())) {
            return Optional.empty();
        }
        FileStoreTable table = (FileStoreTable) request.table();
        DataSplit split = (DataSplit) request.split();
        checkArgument(request.range().isEmpty() || split.dataFiles().size() == 1, "Part of a split of several files");
        Map<Long, TableSchema> schemas = new HashMap<>(Map.of(table.schema().id(), table.schema()));
        DataFilePathFactory paths = table.store().pathFactory().createDataFilePathFactory(split.partition(), split.bucket());
        ImmutableList.Builder<FilesPageSource.Opener> openers = ImmutableList.builder();
        boolean isAnyNative = false;
        for (int i = 0; i < split.dataFiles().size(); i++) {
            DataFileMeta file = split.dataFiles().get(i);
            Optional<FileColumns> columns = columns(request, file, schemas);
            if (columns.isPresent()) {
                isAnyNative = true;
                Path path = paths.toPath(file);
                Optional<DeletionFile> deletionFile = deletionFile(split, i);
                TableSchema schema = schemas.get(file.schemaId());
                openers.add(memoryContext -> {
                    if (FileIndexes.exclude(table, schema, paths, file, request.filter())) {
                        return new SkippedFileReader(request.startsFile());
                    }
                    Optional<FileReader> reader = open(request, path, file, columns.get(), deletionFile, memoryContext, means.failure());
                    return reader.isPresent() ? reader.get() : openByPaimon(request, file, means, memoryContext);
                });
            }
            else {
                openers.add(memoryContext -> openByPaimon(request, file, means, memoryContext));
            }
        }
        return isAnyNative
                ? Optional.of(new FilesPageSource(openers.build(), request.limit(), means.memoryContext(), means.failure()))
                : Optional.empty();
    }

    private static Optional<FileColumns> columns(Request request, DataFileMeta file, Map<Long, TableSchema> schemas)
    {
        Optional<FileFormat> format = format(file);
        if (format.isEmpty()) {
            return Optional.empty();
        }
        FileStoreTable table = (FileStoreTable) request.table();
        TableSchema schema = schemas.computeIfAbsent(file.schemaId(), table.schemaManager()::schema);
        return FileColumns.resolve(request.columns(), request.filter(), table.schema(), schema, format.get(), request.utc(),
                ((DataSplit) request.split()).partition());
    }

    /** Whether local time, in which timestamps of ORC are written and read by Paimon, is UTC in this process. */
    public static boolean isLocalTimeUtc()
    {
        return OrcTimestamps.isLocalTimeUtc();
    }

    /** The format of a file that Trino has a reader for; empty if there is none, or if the file does not hold all columns of its schema. */
    static Optional<FileFormat> format(DataFileMeta file)
    {
        return file.writeCols() == null ? FileFormat.of(file) : Optional.empty();
    }

    /**
     * Whether the rows of a split are those of its files, and it is of the table itself: subclasses stand for splits of other tables, such as those of a fallback branch.
     */
    public static boolean isMadeOfRows(Table table, Split split)
    {
        return table instanceof FileStoreTable fileStoreTable && split.getClass() == DataSplit.class
                && ((DataSplit) split).rawConvertible() && !((DataSplit) split).isStreaming() && !fileStoreTable.coreOptions().dataEvolutionEnabled();
    }

    private static Optional<DeletionFile> deletionFile(DataSplit split, int file)
    {
        return split.deletionFiles().map(files -> files.get(file));
    }

    /** @return empty if the file turns out to need Paimon's reader, which each part of it finds alike */
    private Optional<FileReader> open(Request request, Path path, DataFileMeta file, FileColumns columns, Optional<DeletionFile> deletionFile,
            AggregatedMemoryContext memoryContext, Function<Exception, RuntimeException> failure) throws IOException
    {
        Optional<DeletionVector> deletions = Optional.empty();
        if (deletionFile.isPresent()) {
            deletions = Optional.of(DeletionVector.read(((FileStoreTable) request.table()).fileIO(), deletionFile.get()));
        }
        TrinoInputFile input = fileSystems.newInputFile(path, file.fileSize());
        ByteRange range = request.range().orElse(ByteRange.WHOLE_FILE);
        return switch (format(file).orElseThrow()) {
            case PARQUET -> Optional.of(ParquetFileReader.open(input, range, columns, deletions, memoryContext, failure));
            case ORC -> OrcFileReader.open(input, range, columns, deletions, memoryContext, failure);
        };
    }

    /** Paimon's reader knows no parts of files: the one that starts the file stands for all of it. */
    private static FileReader openByPaimon(Request request, DataFileMeta file, Means means, AggregatedMemoryContext memoryContext)
    {
        LocalMemoryContext memory = memoryContext.newLocalMemoryContext(PaimonFileReader.class.getSimpleName());
        if (!request.startsFile()) {
            return new PaimonFileReader(new EmptyPageSource(), memory);
        }
        Split split = ((DataSplit) request.split()).filterDataFile(other -> other.fileName().equals(file.fileName())).orElseThrow();
        MemoryContext memoryOfFile = bytes -> {
            // as with the other readers, nothing waits for memory
            var _ = memory.setBytes(bytes);
        };
        return new PaimonFileReader(means.paimonReader().apply(split, memoryOfFile), memory);
    }
}
