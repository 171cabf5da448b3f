package io.paimon.realtime.trino.file;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.trino.block.DerivedPage;
import io.paimon.realtime.trino.file.FileColumns.Field;
import io.paimon.realtime.trino.handle.ByteRange;
import io.trino.filesystem.TrinoInputFile;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.Column;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.predicate.TupleDomainParquetPredicate;
import io.trino.parquet.reader.MetadataReader;
import io.trino.parquet.reader.ParquetReader;
import io.trino.parquet.reader.RowGroupInfo;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.io.ColumnIO;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import static io.trino.parquet.ParquetTypeUtils.constructField;
import static io.trino.parquet.ParquetTypeUtils.getColumnIO;
import static io.trino.parquet.ParquetTypeUtils.getDescriptors;
import static io.trino.parquet.ParquetTypeUtils.getParquetTypeByName;
import static io.trino.parquet.ParquetTypeUtils.lookupColumnByName;
import static io.trino.parquet.predicate.PredicateUtils.buildPredicate;
import static io.trino.parquet.predicate.PredicateUtils.getFilteredRowGroups;
import static java.util.Locale.ENGLISH;
import static org.joda.time.DateTimeZone.UTC;

/**
 * A Parquet file of Paimon, read by Trino's reader: row groups and, unless positions count, pages that cannot hold a matching row are skipped; columns are decoded when they are
 * asked for; rows of a deletion vector are left out by their position in the file.
 */
final class ParquetFileReader implements FileReader
{
    private static final ParquetReaderOptions OPTIONS = ParquetReaderOptions.defaultOptions();
    /** The reader numbers rows by what it has returned, so that rows of pages skipped by an index would not be counted. */
    private static final ParquetReaderOptions OPTIONS_BY_POSITION = ParquetReaderOptions.builder(OPTIONS).withUseColumnIndex(false).build();
    /** Longer lists of values are compared with statistics as a range. */
    private static final int DOMAIN_COMPACTION_THRESHOLD = 1_000;

    private final ParquetDataSource source;
    private final ParquetReader reader;
    private final DerivedPage.Layout layout;
    private final Optional<DeletionVector> deletions;
    private final int positionChannel;

    private ParquetFileReader(ParquetDataSource source, ParquetReader reader, DerivedPage.Layout layout, Optional<DeletionVector> deletions,
            int positionChannel)
    {
        this.source = source;
        this.reader = reader;
        this.layout = layout;
        this.deletions = deletions;
        this.positionChannel = positionChannel;
    }

    /**
     * @param range row groups that begin in it are read
     * @param deletions positions of rows that are deleted
     * @param failure what becomes of a failure in a column that is decoded later
     */
    static ParquetFileReader open(TrinoInputFile file, ByteRange range, FileColumns columns, Optional<DeletionVector> deletions,
            AggregatedMemoryContext memoryContext, Function<Exception, RuntimeException> failure) throws IOException
    {
        ParquetReaderOptions options = deletions.isPresent() ? OPTIONS_BY_POSITION : OPTIONS;
        ParquetDataSource source = new FileParquetDataSource(file, options);
        try {
            return open(source, options, range, columns, deletions, memoryContext, failure);
        }
        catch (IOException | RuntimeException e) {
            try (source) {
                throw e;
            }
        }
    }

    private static ParquetFileReader open(ParquetDataSource source, ParquetReaderOptions options, ByteRange range, FileColumns columns,
            Optional<DeletionVector> deletions, AggregatedMemoryContext memoryContext, Function<Exception, RuntimeException> failure)
            throws IOException
    {
        ParquetMetadata metadata = MetadataReader.readFooter(source, options, Optional.empty(), Optional.empty());
        MessageType fileSchema = metadata.getFileMetaData().getSchema();
        MessageType requested = requested(fileSchema, columns);
        MessageColumnIO columnIO = getColumnIO(fileSchema, requested);
        Map<List<String>, ColumnDescriptor> descriptors = getDescriptors(fileSchema, requested);

        TupleDomain<ColumnDescriptor> domain = domain(columns.predicate(), fileSchema, descriptors);
        TupleDomainParquetPredicate predicate = buildPredicate(requested, domain, descriptors, UTC);
        List<RowGroupInfo> rowGroups = getFilteredRowGroups(range.start(), range.length(), source, metadata, List.of(domain), List.of(predicate),
                descriptors, UTC, DOMAIN_COMPACTION_THRESHOLD, options);

        ParquetTimestamps.check(rowGroups, descriptors.values());

        List<Column> fields = new ArrayList<>();
        DerivedPage.Layout layout = columns.layout(field -> read(field, columnIO, fields), _ -> null);
        ParquetReader reader = new ParquetReader(
                Optional.ofNullable(metadata.getFileMetaData().getCreatedBy()),
                fields,
                deletions.isPresent(),
                rowGroups,
                source,
                UTC,
                memoryContext,
                options,
                failure,
                Optional.of(predicate),
                Optional.empty(),
                metadata.getDecryptionContext());
        return new ParquetFileReader(source, reader, layout, deletions, fields.size());
    }

    /** What is read of the file's schema: projected fields, and those that are filtered by. */
    private static MessageType requested(MessageType fileSchema, FileColumns columns)
    {
        Map<String, org.apache.parquet.schema.Type> fields = new LinkedHashMap<>();
        columns.sources().forEach(column -> {
            if (column instanceof Field field) {
                find(fileSchema, field).ifPresent(type -> fields.put(type.getName(), select(type, field.type())));
            }
        });
        // rows are not compared with statistics
        columns.predicate().keySet().forEach(field -> find(fileSchema, field).ifPresent(type -> fields.putIfAbsent(type.getName(), type)));
        return new MessageType(fileSchema.getName(), ImmutableList.copyOf(fields.values()));
    }

    /** A row with the fields that are asked for; Trino has the names of a file in lower case. */
    private static org.apache.parquet.schema.Type select(org.apache.parquet.schema.Type fileType, Type type)
    {
        if (!(type instanceof RowType row) || fileType.isPrimitive()) {
            return fileType;
        }
        GroupType group = fileType.asGroupType();
        return group.withNewFields(row.getFields().stream()
                .map(field -> select(group.getType(field.getName().orElseThrow().toLowerCase(ENGLISH)), field.getType()))
                .toList());
    }

    private static Optional<org.apache.parquet.schema.Type> find(MessageType fileSchema, Field field)
    {
        return Optional.ofNullable(getParquetTypeByName(field.name(), fileSchema));
    }

    private static TupleDomain<ColumnDescriptor> domain(Map<Field, Domain> predicate, MessageType fileSchema,
            Map<List<String>, ColumnDescriptor> descriptors)
    {
        Map<ColumnDescriptor, Domain> domains = new HashMap<>();
        predicate.forEach((field, domain) -> find(fileSchema, field)
                .filter(org.apache.parquet.schema.Type::isPrimitive)
                .map(type -> descriptors.get(ImmutableList.of(type.getName())))
                .ifPresent(descriptor -> domains.put(descriptor, domain)));
        return TupleDomain.withColumnDomains(ImmutableMap.copyOf(domains));
    }

    private static int read(Field field, MessageColumnIO columnIO, List<Column> fields)
    {
        ColumnIO io = lookupColumnByName(columnIO, field.name());
        Optional<io.trino.parquet.Field> parquetField = constructField(field.type(), io);
        if (parquetField.isEmpty()) {
            return -1;
        }
        fields.add(new Column(io.getName(), parquetField.get()));
        return fields.size() - 1;
    }

    @Override
    public SourcePage next() throws IOException
    {
        while (true) {
            SourcePage page = reader.nextPage();
            if (page == null) {
                return null;
            }
            deletions.ifPresent(vector -> DeletedRows.leaveOut(vector, page, positionChannel));
            if (page.getPositionCount() > 0) {
                return new DerivedPage(page, layout);
            }
        }
    }

    @Override
    public long readBytes()
    {
        return source.getReadBytes();
    }

    @Override
    public long readTimeNanos()
    {
        return source.getReadTimeNanos();
    }

    @Override
    public void close() throws IOException
    {
        // closes the source, too
        reader.close();
    }
}
