package io.paimon.realtime.trino.file;

import io.paimon.realtime.trino.block.DerivedPage;
import io.paimon.realtime.trino.file.FileColumns.Field;
import io.paimon.realtime.trino.block.DerivedPage.Conversion;
import io.paimon.realtime.trino.handle.ByteRange;
import io.trino.filesystem.TrinoInputFile;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.MemoryOrcDataSource;
import io.trino.orc.NameBasedFieldMapper;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcPredicate;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.OrcRecordReader;
import io.trino.orc.TupleDomainOrcPredicate;
import io.trino.orc.TupleDomainOrcPredicate.TupleDomainOrcPredicateBuilder;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.Type;
import org.apache.paimon.deletionvectors.DeletionVector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import static io.trino.orc.OrcReader.INITIAL_BATCH_SIZE;
import static io.trino.orc.OrcReader.fullyProjectedLayout;
import static io.trino.spi.type.TimestampType.TIMESTAMP_NANOS;
import static java.lang.Math.toIntExact;
import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.toMap;
import static org.joda.time.DateTimeZone.UTC;

/**
 * An ORC file of Paimon, read by Trino's reader: stripes and groups of rows that cannot hold a matching row are skipped; columns are decoded when they are asked for; rows of a
 * deletion vector are left out by their position in the file.
 */
final class OrcFileReader implements FileReader
{
    /** Files tell the time zone of the process that wrote them, by whatever name it had there. */
    private static final OrcReaderOptions OPTIONS = new OrcReaderOptions().withReadLegacyShortZoneId(true);
    /** Longer lists of values are compared with statistics as a range. */
    private static final int DOMAIN_COMPACTION_THRESHOLD = 1_000;

    private final OrcDataSource source;
    private final OrcRecordReader reader;
    private final AggregatedMemoryContext memoryContext;
    private final DerivedPage.Layout layout;
    private final Optional<DeletionVector> deletions;
    private final int positionChannel;

    private OrcFileReader(OrcDataSource source, OrcRecordReader reader, AggregatedMemoryContext memoryContext, DerivedPage.Layout layout,
            Optional<DeletionVector> deletions, int positionChannel)
    {
        this.source = source;
        this.reader = reader;
        this.memoryContext = memoryContext;
        this.layout = layout;
        this.deletions = deletions;
        this.positionChannel = positionChannel;
    }

    /**
     * @param range stripes that begin in it are read
     * @param deletions positions of rows that are deleted
     * @param failure what becomes of a failure in a column that is decoded later
     * @return empty if the file has timestamps that Paimon's reader may read as others
     */
    static Optional<FileReader> open(TrinoInputFile file, ByteRange range, FileColumns columns, Optional<DeletionVector> deletions,
            AggregatedMemoryContext memoryContext, Function<Exception, RuntimeException> failure) throws IOException
    {
        OrcDataSource source = new FileOrcDataSource(file, OPTIONS);
        try {
            Optional<FileReader> reader = open(source, range, columns, deletions, memoryContext, failure);
            if (reader.isEmpty()) {
                source.close();
            }
            return reader;
        }
        catch (IOException | RuntimeException e) {
            try (source) {
                throw e;
            }
            finally {
                memoryContext.close();
            }
        }
    }

    private static Optional<FileReader> open(OrcDataSource source, ByteRange range, FileColumns columns, Optional<DeletionVector> deletions,
            AggregatedMemoryContext memoryContext, Function<Exception, RuntimeException> failure) throws IOException
    {
        // where it is read at once, the source is of no use any more
        OrcDataSource data = source.getEstimatedSize() > OPTIONS.getTinyStripeThreshold().toBytes()
                ? source
                : new MemoryOrcDataSource(source.getId(), source.readTail(toIntExact(source.getEstimatedSize())));
        OrcReader file = OrcReader.createOrcReader(data, OPTIONS).orElseThrow(() -> new IOException("File is empty: " + source.getId()));
        Map<String, OrcColumn> fileColumns = file.getRootColumn().getNestedColumns().stream()
                .collect(toMap(OrcColumn::getColumnName, Function.identity()));
        List<OrcColumn> timestamps = columns.sources().stream()
                .filter(column -> column instanceof Field field && field.type() instanceof TimestampType && fileColumns.containsKey(field.name()))
                .map(column -> fileColumns.get(((Field) column).name()))
                .toList();
        if (!timestamps.isEmpty() && !OrcTimestamps.areConvertible(data, file, OPTIONS, timestamps)) {
            return Optional.empty();
        }
        List<OrcColumn> readColumns = new ArrayList<>();
        List<Type> readTypes = new ArrayList<>();
        DerivedPage.Layout layout = columns.layout(field -> read(field, fileColumns, readColumns, readTypes), OrcFileReader::conversion);
        OrcRecordReader reader = file.createRecordReader(
                readColumns,
                readTypes,
                nCopies(readColumns.size(), fullyProjectedLayout()),
                deletions.isPresent(),
                predicate(columns.predicate(), fileColumns),
                range.start(),
                range.length(),
                UTC,
                memoryContext,
                INITIAL_BATCH_SIZE,
                failure,
                NameBasedFieldMapper::create);
        return Optional.of(new OrcFileReader(source, reader, memoryContext, layout, deletions, readColumns.size()));
    }

    private static OrcPredicate predicate(Map<Field, Domain> domains, Map<String, OrcColumn> fileColumns)
    {
        TupleDomainOrcPredicateBuilder builder = TupleDomainOrcPredicate.builder()
                .setBloomFiltersEnabled(OPTIONS.isBloomFiltersEnabled())
                .setDomainCompactionThreshold(DOMAIN_COMPACTION_THRESHOLD);
        domains.forEach((field, domain) -> {
            OrcColumn column = fileColumns.get(field.name());
            if (column != null) {
                builder.addColumn(column.getColumnId(), domain);
            }
        });
        return builder.build();
    }

    private static int read(Field field, Map<String, OrcColumn> fileColumns, List<OrcColumn> readColumns, List<Type> readTypes)
    {
        OrcColumn column = fileColumns.get(field.name());
        if (column == null) {
            return -1;
        }
        readColumns.add(column);
        readTypes.add(field.type() instanceof TimestampType ? TIMESTAMP_NANOS : field.type());
        return readColumns.size() - 1;
    }

    private static Conversion conversion(Field field)
    {
        return field.type() instanceof TimestampType timestamp ? block -> OrcTimestamps.convert(block, timestamp) : null;
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
        try {
            // closes the source, too
            reader.close();
        }
        finally {
            // what is held of the current stripe
            memoryContext.close();
        }
    }
}
