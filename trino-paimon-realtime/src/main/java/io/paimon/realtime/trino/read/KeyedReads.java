package io.paimon.realtime.trino.read;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.paimon.KeyedMerge;
import io.paimon.realtime.paimon.KeyedTables;
import io.paimon.realtime.trino.arrow.ArrowBlockReader;
import io.paimon.realtime.trino.block.DerivedPage;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.KeyedSplit;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonSplit;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.RealtimeSplit;
import io.paimon.realtime.trino.metrics.ScanMetrics;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.paimon.realtime.trino.type.FieldSubsets;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.paimon.realtime.trino.writer.RealtimeCarrier;
import io.paimon.realtime.trino.writer.RealtimeCarrier.OpenRead;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/**
 * Reads keys that rows in memory may have. Where the newest version of a key is all that counts and files need no merging among themselves, rows of files whose key is in memory are left out, by columns, and
 * those of memory follow; anywhere else Paimon merges row by row. If memory turns out to hold none of the keys, files are read as ever.
 */
final class KeyedReads
{
    private final RealtimeCarrier carrier;
    private final IOManager spill;
    private final PaimonTableHandle handle;
    private final FileStoreTable table;
    private final FileReads files;

    /** Reads files without regard to memory. */
    interface FileReads
    {
        ConnectorPageSource open(PaimonTableHandle handle, PaimonSplit split, List<PaimonColumnHandle> columns,
                TupleDomain<PaimonColumnHandle> filter,
                MemoryContext memoryContext);
    }

    KeyedReads(RealtimeCarrier carrier, IOManager spill, PaimonTableHandle handle, FileStoreTable table, FileReads files)
    {
        this.carrier = requireNonNull(carrier, "carrier is null");
        this.spill = requireNonNull(spill, "spill is null");
        this.handle = requireNonNull(handle, "handle is null");
        this.table = requireNonNull(table, "table is null");
        this.files = requireNonNull(files, "files is null");
    }

    /** Whether rows of files are only left out, never merged with others. */
    static boolean isColumnar(FileStoreTable table, DataSplit disk)
    {
        return KeyedTables.keepsNewestOnly(table) && disk.rawConvertible()
                && table.schema().trimmedPrimaryKeysFields().stream().allMatch(field -> MemoryKeys.isComparable(field.type()));
    }

    /** @param readType of the columns */
    ConnectorPageSource open(KeyedSplit split, List<PaimonColumnHandle> columns, RowType readType, TupleDomain<PaimonColumnHandle> filter,
            MemoryContext memoryContext)
    {
        Optional<Predicate> predicate = PaimonPredicates.toPaimon(table.rowType(), filter);
        KeyedMerge merge = new KeyedMerge(table, readType, predicate);
        try {
            if (split.disk().isEmpty() ? KeyedTables.keepsNewestOnly(table) : isColumnar(table, (DataSplit) split.disk().get().split())) {
                return openColumnar(split, merge, columns, readType, filter, memoryContext);
            }
            return openMerged(split, merge, columns, readType, filter, memoryContext);
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
        catch (IOException e) {
            throw PaimonPageSourceProvider.readFailure(handle, e);
        }
    }

    private ConnectorPageSource openMerged(KeyedSplit split, KeyedMerge merge, List<PaimonColumnHandle> columns, RowType readType,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext) throws IOException
    {
        List<MemBatchReader> memory = new ArrayList<>();
        boolean handedOver = false;
        try {
            boolean hasRows = false;
            for (RealtimeSplit run : split.runs()) {
                MemReadRequest request = merge.request(run.offsets(), split.keys());
                OpenRead opened = carrier.read(run, handle.identifier(), request);
                PeekedReader reader = new PeekedReader(merge.inOneOrder(opened.readers(), request, opened.context().allocator()));
                memory.add(reader);
                hasRows |= reader.hasRows();
            }
            if (hasRows) {
                handedOver = true;
                RecordReader<InternalRow> rows = merge.open(split.disk().map(disk -> (DataSplit) disk.split()), memory,
                        split.runs().getFirst().start(),
                        spill);
                return new PaimonPageSource(rows, readType, columns, handle, memoryContext, ScanMetrics.MERGED);
            }
        }
        finally {
            if (!handedOver) {
                memory.forEach(MemBatchReader::close);
            }
        }
        return split.disk().map(disk -> files.open(handle, disk, columns, filter, memoryContext)).orElseGet(EmptyPageSource::new);
    }

    private ConnectorPageSource openColumnar(KeyedSplit split, KeyedMerge merge, List<PaimonColumnHandle> columns, RowType readType,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext)
    {
        List<Supplier<ConnectorPageSource>> sources = new ArrayList<>();
        split.disk().ifPresent(disk -> sources.add(() -> translated(() -> openDisk(split, disk, merge, columns, filter, memoryContext))));
        if (split.memory()) {
            sources.add(() -> translated(() -> openMemory(split, merge, columns, readType, memoryContext)));
        }
        return new SequentialPageSource(sources, failure -> PaimonPageSourceProvider.readFailure(handle, failure));
    }

    private static ConnectorPageSource translated(Supplier<ConnectorPageSource> opening)
    {
        try {
            return opening.get();
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }

    /** Rows of files whose keys are not in memory. */
    private ConnectorPageSource openDisk(KeyedSplit split, PaimonSplit disk, KeyedMerge merge, List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext)
    {
        List<DataField> keyFields = table.schema().trimmedPrimaryKeysFields();
        List<PaimonColumnHandle> keys = keyFields.stream().map(KeyedReads::column).collect(toImmutableList());
        RowType keyType = new RowType(keyFields);
        MemReadRequest request = merge.request(split.runs().getFirst().offsets(), split.keys(), keyType);
        OpenRead opened = carrier.read(split.runs().getFirst(), handle.identifier(), request);
        PeekedReader reader = new PeekedReader(merge.inOneOrder(opened.readers(), request, opened.context().allocator()));
        boolean hasRows = false;
        try {
            hasRows = reader.hasRows();
        }
        finally {
            if (!hasRows) {
                reader.close();
            }
        }
        if (!hasRows) {
            return files.open(handle, disk, columns, filter, memoryContext);
        }
        MemoryKeys inMemory = MemoryKeys.read(reader, keyType, keys.stream().map(PaimonColumnHandle::type).collect(toImmutableList()));
        long bytes = inMemory.retainedBytes();
        memoryContext.setBytes(bytes);
        // key columns may be among those that are read anyhow
        List<PaimonColumnHandle> read = new ArrayList<>(columns);
        keys.stream().filter(key -> !read.contains(key)).forEach(read::add);
        int[] keyChannels = keys.stream().mapToInt(read::indexOf).toArray();
        // with a limit files would be read until there are as many rows before some of them are left out
        ConnectorPageSource rows = files.open(handle.withoutLimit(), disk, ImmutableList.copyOf(read), filter,
                used -> memoryContext.setBytes(bytes + used));
        return firstColumns(new SelectedPageSource(rows, (page, chosen) -> inMemory.absent(page, keyChannels, chosen)), columns.size());
    }

    /** The newest versions in memory, without those that are deletes. */
    private ConnectorPageSource openMemory(KeyedSplit split, KeyedMerge merge, List<PaimonColumnHandle> columns, RowType readType,
            MemoryContext memoryContext)
    {
        List<DataField> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            DataField field = readType.getFields().get(i);
            fields.add(field.newType(FieldSubsets.select(field.type(), columns.get(i).type())));
        }
        table.schema().trimmedPrimaryKeysFields().stream()
                .filter(key -> fields.stream().noneMatch(field -> field.id() == key.id()))
                .forEach(fields::add);
        fields.add(SpecialFields.VALUE_KIND);
        RowType memoryType = new RowType(fields);
        List<PaimonColumnHandle> memoryColumns = IntStream.range(0, fields.size())
                .mapToObj(i -> i < columns.size() ? columns.get(i) : column(fields.get(i)))
                .collect(toImmutableList());
        List<ArrowBlockReader> blockReaders = RealtimePageSource.blockReaders(memoryType, memoryColumns);
        MemReadRequest request = merge.request(split.runs().getFirst().offsets(), split.keys(), memoryType);
        OpenRead opened = carrier.read(split.runs().getFirst(), handle.identifier(), request);
        MemBatchReader reader = merge.inOneOrder(opened.readers(), request, opened.context().allocator());
        ConnectorPageSource rows = new RealtimePageSource(new OpenRead(ImmutableList.of(reader), opened.context(), opened.inPlace()),
                blockReaders, memoryContext);
        int kindChannel = fields.size() - 1;
        return firstColumns(new SelectedPageSource(rows, (page, chosen) -> present(page, kindChannel, chosen)), columns.size());
    }

    private static int present(SourcePage page, int kindChannel, int[] chosen)
    {
        Block kinds = page.getBlock(kindChannel);
        int count = 0;
        for (int i = 0; i < page.getPositionCount(); i++) {
            byte kind = TINYINT.getByte(kinds, i);
            chosen[count] = i;
            count += kind == RowKind.INSERT.toByteValue() || kind == RowKind.UPDATE_AFTER.toByteValue() ? 1 : 0;
        }
        return count;
    }

    private static ConnectorPageSource firstColumns(ConnectorPageSource source, int count)
    {
        return new DerivedPageSource(source, new DerivedPage.Layout(IntStream.range(0, count).toArray(), new Block[count]));
    }

    private static PaimonColumnHandle column(DataField field)
    {
        Type type = PaimonTypes.toTrino(field.type()).orElseThrow();
        return new PaimonColumnHandle(field.name(), field.id(), type);
    }
}
