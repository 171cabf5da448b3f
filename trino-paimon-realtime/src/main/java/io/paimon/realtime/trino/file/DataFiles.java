package io.paimon.realtime.trino.file;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.paimon.realtime.trino.filesystem.PaimonFileSystems;
import io.paimon.realtime.trino.handle.ByteRange;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.trino.filesystem.TrinoInputFile;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.spi.connector.ConnectorPageSource;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
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
     * @param pages rows of the files that Trino's readers read
     * @param rest the files that need Paimon's reader
     */
    public record Opened(ConnectorPageSource pages, Optional<Split> rest)
    {}

    /**
     * @param range the part that is read of the split's only file; empty for all of the split
     * @param filter what every row of the result fulfils; not {@code none}. Files and parts of files without such rows are skipped, other rows may be returned as well
     * @param limit rows that are enough, if any will do
     * @param failure tells of a failure to read
     * @return empty if Paimon's reader is needed for all of the split
     */
    public Optional<Opened> open(Table table, Split split, Optional<ByteRange> range, List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> filter, OptionalLong limit, MemoryContext memoryContext, Function<Exception, RuntimeException> failure)
    {
        if (!isMadeOfRows(table, split)) {
            return Optional.empty();
        }
        FileStoreTable fileStoreTable = (FileStoreTable) table;
        DataSplit dataSplit = (DataSplit) split;
        checkArgument(range.isEmpty() || dataSplit.dataFiles().size() == 1, "Part of a split of several files");
        DataFilePathFactory paths = fileStoreTable.store().pathFactory().createDataFilePathFactory(dataSplit.partition(), dataSplit.bucket());
        ImmutableList.Builder<FilesPageSource.Opener> builder = ImmutableList.builder();
        Set<String> opened = new HashSet<>();
        // each is a file to read
        Map<Long, TableSchema> schemas = new HashMap<>(Map.of(fileStoreTable.schema().id(), fileStoreTable.schema()));
        for (int i = 0; i < dataSplit.dataFiles().size(); i++) {
            DataFileMeta file = dataSplit.dataFiles().get(i);
            Optional<FileColumns> fileColumns = columns(fileStoreTable, dataSplit, file, columns, filter, schemas);
            if (fileColumns.isPresent()) {
                Optional<DeletionFile> deletionFile = deletionFile(dataSplit, i);
                Path path = paths.toPath(file);
                ByteRange part = range.orElse(ByteRange.WHOLE_FILE);
                builder.add(context -> open(fileStoreTable, path, file, part, fileColumns.get(), deletionFile, context, failure));
                opened.add(file.fileName());
            }
        }
        List<FilesPageSource.Opener> openers = builder.build();
        if (openers.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Opened(
                new FilesPageSource(openers, limit, memoryContext, failure),
                dataSplit.filterDataFile(file -> !opened.contains(file.fileName())).map(Split.class::cast)));
    }

    private static Optional<FileColumns> columns(FileStoreTable table, DataSplit split, DataFileMeta file, List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> filter, Map<Long, TableSchema> schemas)
    {
        Optional<FileFormat> format = format(file);
        if (format.isEmpty()) {
            return Optional.empty();
        }
        TableSchema schema = schemas.computeIfAbsent(file.schemaId(), table.schemaManager()::schema);
        return FileColumns.resolve(columns, filter, table.schema(), schema, format.get(), split.partition());
    }

    /** The format of a file that Trino has a reader for; empty if there is none, or if the file does not hold all columns of its schema. */
    static Optional<FileFormat> format(DataFileMeta file)
    {
        return file.writeCols() == null ? FileFormat.of(file) : Optional.empty();
    }

    /**
     * Whether the rows of a split are those of its files, and it is of the table itself: subclasses stand for splits of other tables, such as those of a fallback branch.
     */
    static boolean isMadeOfRows(Table table, Split split)
    {
        return table instanceof FileStoreTable fileStoreTable && split.getClass() == DataSplit.class
                && ((DataSplit) split).rawConvertible() && !((DataSplit) split).isStreaming() && !fileStoreTable.coreOptions().dataEvolutionEnabled();
    }

    private static Optional<DeletionFile> deletionFile(DataSplit split, int file)
    {
        return split.deletionFiles().map(files -> files.get(file));
    }

    private FileReader open(FileStoreTable table, Path path, DataFileMeta file, ByteRange range, FileColumns columns,
            Optional<DeletionFile> deletionFile, AggregatedMemoryContext memoryContext, Function<Exception, RuntimeException> failure)
            throws IOException
    {
        Optional<DeletionVector> deletions = Optional.empty();
        if (deletionFile.isPresent()) {
            deletions = Optional.of(DeletionVector.read(table.fileIO(), deletionFile.get()));
        }
        TrinoInputFile input = fileSystems.newInputFile(path, file.fileSize());
        return switch (format(file).orElseThrow()) {
            case PARQUET -> ParquetFileReader.open(input, range, columns, deletions, memoryContext, failure);
            case ORC -> OrcFileReader.open(input, range, columns, deletions, memoryContext, failure);
        };
    }
}
