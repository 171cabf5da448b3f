package io.paimon.realtime.trino.read;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.KeyedSplit;
import io.paimon.realtime.trino.metrics.ScanMetrics;
import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.paimon.PushableFilters;
import io.paimon.realtime.trino.arrow.ArrowBlockReader;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.file.DataFiles;
import io.paimon.realtime.trino.filesystem.PaimonSpillSpace;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.handle.PaimonSplit;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.RealtimeSplit;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.paimon.realtime.trino.type.FieldSubsets;
import io.paimon.realtime.trino.writer.RealtimeCarrier;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import static com.google.common.base.Throwables.getCausalChain;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_CANNOT_OPEN_SPLIT;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_INVALID_METADATA;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_READ_ERROR;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

/** Page sources of one operator: the table is loaded once for all its splits. */
class PaimonPageSourceProvider implements ConnectorPageSourceProvider
{
    private final PaimonCatalog catalog;
    private final PaimonSpillSpace spillSpace;
    private final DataFiles dataFiles;
    private final RealtimeCarrier carrier;

    private PaimonTableHandle loadedHandle;
    private Table loadedTable;

    PaimonPageSourceProvider(PaimonCatalog catalog, PaimonSpillSpace spillSpace, DataFiles dataFiles, RealtimeCarrier carrier)
    {
        this.dataFiles = requireNonNull(dataFiles, "dataFiles is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.spillSpace = requireNonNull(spillSpace, "spillSpace is null");
        this.carrier = requireNonNull(carrier, "carrier is null");
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle table,
            Optional<ConnectorTableCredentials> tableCredentials,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter,
            MemoryContext memoryContext)
    {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        List<PaimonColumnHandle> scanned = columns.stream().map(PaimonColumnHandle.class::cast).collect(toImmutableList());
        TupleDomain<PaimonColumnHandle> filter = handle.enforced().intersect(handle.unenforced())
                .intersect(dynamicFilter.getCurrentPredicate().transformKeys(PaimonColumnHandle.class::cast));
        if (filter.isNone()) {
            return new EmptyPageSource();
        }
        HiddenColumns hidden = HiddenColumns.of(scanned);
        FieldProjection fields = FieldProjection.of(hidden.columns(), () -> load(handle).rowType());
        if (split instanceof RealtimeSplit realtimeSplit) {
            return withHidden(hidden, filter, () -> origin(handle, realtimeSplit.partitionBucket().partition()),
                    () -> fields.apply(readMemory(handle, realtimeSplit, fields.columns(), filter, memoryContext)));
        }
        if (split instanceof KeyedSplit keyedSplit) {
            return withHidden(hidden, filter, () -> origin(handle, keyedSplit.runs().getFirst().partitionBucket().partition()),
                    () -> fields.apply(readKeyed(handle, keyedSplit, fields.columns(), filter, memoryContext)));
        }
        PaimonSplit paimonSplit = (PaimonSplit) split;
        Split source = paimonSplit.split();
        if (hidden.isEmpty()) {
            return fields.apply(readFiles(handle, load(handle), source, paimonSplit, fields.columns(), filter, memoryContext));
        }
        if (!(source instanceof DataSplit dataSplit)) {
            throw new TrinoException(NOT_SUPPORTED, "Hidden columns of %s are not supported: its splits are of kind %s"
                    .formatted(handle.name(), source.getClass().getSimpleName()));
        }
        if (!DataFiles.isMadeOfRows(load(handle), source)) {
            return withHidden(hidden, filter, () -> origin(handle, dataSplit.partition()),
                    () -> fields.apply(readFiles(handle, load(handle), source, paimonSplit, fields.columns(), filter, memoryContext)));
        }
        return new SequentialPageSource(dataSplit.dataFiles().stream()
                .<Supplier<ConnectorPageSource>>map(file -> () -> {
                    DataSplit ofFile = dataSplit.filterDataFile(other -> other.fileName().equals(file.fileName())).orElseThrow();
                    return withHidden(hidden, filter, () -> RowOrigin.of((FileStoreTable) load(handle), dataSplit, file),
                            () -> fields.apply(readFiles(handle, load(handle), ofFile, paimonSplit, fields.columns(), filter, memoryContext)));
                })
                .toList(), failure -> readFailure(handle, failure));
    }

    private RowOrigin origin(PaimonTableHandle handle, BinaryRow partition)
    {
        return RowOrigin.of((FileStoreTable) load(handle), partition);
    }

    private static ConnectorPageSource withHidden(HiddenColumns hidden, TupleDomain<PaimonColumnHandle> filter, Supplier<RowOrigin> origin,
            Supplier<ConnectorPageSource> rows)
    {
        if (hidden.isEmpty()) {
            return rows.get();
        }
        RowOrigin known = origin.get();
        return known.matches(filter) ? hidden.apply(rows.get(), known) : new EmptyPageSource();
    }

    private ConnectorPageSource readMemory(PaimonTableHandle handle, RealtimeSplit split, List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext)
    {
        RowType rowType = load(handle).rowType();
        RowType readType = new RowType(readType(rowType, columns, handle).getFields().stream()
                .map(field -> columns.stream().filter(column -> column.name().equals(field.name())).findFirst()
                        .map(column -> field.newType(FieldSubsets.select(field.type(), column.type())))
                        .orElse(field))
                .toList());
        MemReadRequest request = new MemReadRequest(split.offsets(), readType, rowType, PaimonPredicates.toPaimon(rowType, filter));
        List<ArrowBlockReader> blockReaders = RealtimePageSource.blockReaders(readType, columns);
        return new RealtimePageSource(carrier.read(split, handle.identifier(), request), blockReaders, memoryContext);
    }

    private ConnectorPageSource readKeyed(PaimonTableHandle handle, KeyedSplit split, List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext)
    {
        FileStoreTable table = (FileStoreTable) load(handle);
        KeyedReads reads = new KeyedReads(carrier, spillSpace.ioManager(), handle, table,
                (fileHandle, disk, fileColumns, fileFilter, memory) -> readFiles(fileHandle, table, disk.split(), disk, fileColumns, fileFilter,
                        memory));
        return reads.open(split, columns, readType(table.rowType(), columns, handle), filter, memoryContext);
    }

    /** @param source the split, or one file of it */
    private ConnectorPageSource readFiles(PaimonTableHandle handle, Table paimonTable, Split source, PaimonSplit paimonSplit,
            List<PaimonColumnHandle> paimonColumns,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext)
    {
        if (paimonColumns.isEmpty() && source.mergedRowCount().isPresent()) {
            return paimonSplit.startsFile() ? new CountedPageSource(source.mergedRowCount().getAsLong()) : new EmptyPageSource();
        }
        if (handle.kind() == PaimonTableHandle.Kind.DATA) {
            OptionalLong limit = handle.unenforced().isAll() ? handle.limit() : OptionalLong.empty();
            Optional<ConnectorPageSource> files = dataFiles.open(
                    new DataFiles.Request(paimonTable, source, paimonSplit.range(), paimonSplit.utc(), paimonColumns, filter, limit),
                    new DataFiles.Means(
                            memoryContext,
                            (file, memory) -> readByPaimon(handle, paimonTable, file, paimonColumns, filter, memory),
                            failure -> readFailure(handle, failure)));
            if (files.isPresent()) {
                return files.get();
            }
        }
        // Paimon's reader knows no parts of files: the one at the beginning stands for all of the file
        return paimonSplit.startsFile() ? readByPaimon(handle, paimonTable, source, paimonColumns, filter, memoryContext) : new EmptyPageSource();
    }

    private ConnectorPageSource readByPaimon(PaimonTableHandle handle, Table paimonTable, Split source, List<PaimonColumnHandle> paimonColumns,
            TupleDomain<PaimonColumnHandle> filter, MemoryContext memoryContext)
    {
        RowType readType = readType(paimonTable.rowType(), paimonColumns, handle);
        RecordReader<InternalRow> reader = open(handle, paimonTable, readType, filter, source);
        return new PaimonPageSource(reader, readType, paimonColumns, handle, memoryContext, ScanMetrics.DISK_ROWS);
    }

    private synchronized Table load(PaimonTableHandle handle)
    {
        if (!handle.equals(loadedHandle)) {
            loadedTable = catalog.load(handle, ImmutableMap.of());
            loadedHandle = handle;
        }
        return loadedTable;
    }

    private static RowType readType(RowType rowType, List<PaimonColumnHandle> columns, PaimonTableHandle handle)
    {
        if (columns.isEmpty()) {
            // rows are only counted: any column does, and Paimon adds what it needs for merging
            return new RowType(List.of(rowType.getFields().getFirst()));
        }
        List<DataField> fields = new ArrayList<>();
        for (PaimonColumnHandle column : columns) {
            int index = rowType.getFieldIndex(column.name());
            if (index < 0) {
                throw new TrinoException(PAIMON_INVALID_METADATA, "Column %s of %s is gone".formatted(column.name(), handle.name()));
            }
            fields.add(rowType.getFields().get(index));
        }
        return new RowType(fields);
    }

    private RecordReader<InternalRow> open(PaimonTableHandle handle, Table table, RowType readType, TupleDomain<PaimonColumnHandle> filter,
            Split split)
    {
        ReadBuilder readBuilder = table.newReadBuilder().withReadType(readType);
        if (handle.kind() == PaimonTableHandle.Kind.DATA) {
            PaimonPredicates.toPaimon(table.rowType(), filter)
                    .flatMap(predicate -> PushableFilters.forRead(predicate, split))
                    .ifPresent(readBuilder::withFilter);
        }
        try {
            return readBuilder.newRead().withIOManager(spillSpace.ioManager()).createReader(split);
        }
        catch (IOException | RuntimeException e) {
            throw readFailure(handle, e);
        }
    }

    /** Says what can be done about a file that is gone. */
    static TrinoException readFailure(PaimonTableHandle handle, Exception failure)
    {
        if (failure instanceof TrinoException trinoException) {
            return trinoException;
        }
        Optional<RealtimeException> ofWriter = getCausalChain(failure).stream()
                .filter(RealtimeException.class::isInstance)
                .map(RealtimeException.class::cast)
                .findFirst();
        if (ofWriter.isPresent()) {
            return PaimonErrorCode.toTrinoException(ofWriter.get());
        }
        if (getCausalChain(failure).stream().anyMatch(FileNotFoundException.class::isInstance)) {
            return snapshotGone(handle, failure);
        }
        return new TrinoException(PAIMON_READ_ERROR, "Cannot read %s: %s".formatted(handle.name(), failure.getMessage()), failure);
    }

    static TrinoException snapshotGone(PaimonTableHandle handle, Exception failure)
    {
        String snapshot = handle.snapshotId().isPresent() ? "Snapshot %s".formatted(handle.snapshotId().getAsLong()) : "The snapshot";
        return new TrinoException(PAIMON_CANNOT_OPEN_SPLIT,
                "%s of %s is gone, or files of it are: it has expired while the query ran. Run the query again, and raise snapshot.time-retained of the table if this happens often"
                        .formatted(snapshot, handle.name()),
                failure);
    }
}
