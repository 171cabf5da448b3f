package io.paimon.realtime.paimon;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.KeyOrder;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.PrimaryKey;
import io.paimon.realtime.memory.arrow.KeyMergeReader;
import io.paimon.realtime.model.KeyRange;
import io.paimon.realtime.model.OffsetRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.KeyValue;
import org.apache.paimon.KeyValueFileStore;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.FileReaderFactory;
import org.apache.paimon.io.KeyValueFileReaderFactory;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.mergetree.DropDeleteReader;
import org.apache.paimon.mergetree.MergeSorter;
import org.apache.paimon.mergetree.MergeTreeReaders;
import org.apache.paimon.mergetree.SortedRun;
import org.apache.paimon.mergetree.compact.IntervalPartition;
import org.apache.paimon.mergetree.compact.MergeFunctionFactory;
import org.apache.paimon.mergetree.compact.ReducerMergeFunctionWrapper;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyTableUtils;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.ProjectedRow;
import org.apache.paimon.utils.UserDefinedSeqComparator;

/**
 * Merges the versions of keys in files and in memory as Paimon's own merge on read would if those in memory were in a file of level 0: they are newer than all that is committed.
 *
 * <p>Thread-safe; what it opens is not.
 */
public final class KeyedMerge
{
    private final FileStoreTable table;
    private final RowType readType;
    private final RowType valueType;
    private final RowType memoryType;
    private final MergeFunctionFactory<KeyValue> mergeFunctions;
    private final Optional<Predicate> filter;

    /**
     * @param readType columns of the result, whole ones of the table
     * @param filter over the table's row type; only what it says of keys is used, to skip data
     */
    public KeyedMerge(FileStoreTable table, RowType readType, Optional<Predicate> filter)
    {
        this.table = requireNonNull(table, "table is null");
        this.readType = requireNonNull(readType, "readType is null");
        this.filter = filter.flatMap(predicate -> KeyedFiles.keyFilter(table, predicate));
        this.mergeFunctions = KeyedTables.mergeFunctions(table);
        List<DataField> fields = new ArrayList<>(readType.getFields());
        table.coreOptions().sequenceField().forEach(name -> addMissing(fields, table.rowType().getField(name)));
        this.valueType = mergeFunctions.adjustReadType(new RowType(fields));
        List<DataField> memoryFields = new ArrayList<>(valueType.getFields());
        table.schema().trimmedPrimaryKeysFields().forEach(field -> addMissing(memoryFields, field));
        memoryFields.add(SpecialFields.SEQUENCE_NUMBER);
        this.memoryType = KeyedTables.withKind(new RowType(memoryFields));
    }

    private static void addMissing(List<DataField> fields, DataField field)
    {
        if (fields.stream().noneMatch(known -> known.id() == field.id())) {
            fields.add(field);
        }
    }

    /**
     * Which of a bucket's rows in memory are merged with each other before they meet others. A flush does so with each segment, and it can matter: Paimon's write buffer sorts by the sequence field
     * upwards, whatever the table says.
     *
     * @param segments in the order of offsets
     */
    public static List<OffsetRange> runs(FileStoreTable table, List<OffsetRange> segments)
    {
        return KeyedTables.keepsNewestOnly(table) ? List.of(new OffsetRange(segments.getFirst().start(), segments.getLast().end())) : segments;
    }

    /** Asks for rows of memory to be merged. */
    public MemReadRequest request(OffsetRange offsets, KeyRange keys)
    {
        return request(offsets, keys, memoryType);
    }

    /** The same for other columns, among which those of the key must be. */
    public MemReadRequest request(OffsetRange offsets, KeyRange keys, RowType columns)
    {
        return new MemReadRequest(offsets, columns, table.rowType(), filter, Optional.of(new KeyOrder(keys, KeyedTables.keepsNewestOnly(table))));
    }

    /**
     * The rows of several readers in the order of their keys; their order counts where keys are equal. The caller closes the result instead of the readers.
     *
     * @param request that all of them answer
     */
    public MemBatchReader inOneOrder(List<MemBatchReader> readers, MemReadRequest request, BufferAllocator allocator)
    {
        return KeyMergeReader.merge(readers, KeyedTables.primaryKey(table).orElseThrow(), request.readType(),
                request.order().orElseThrow().newestOnly(), allocator);
    }

    /**
     * Opens a reader of the rows that are left of all versions. Rows are not tested by the filter. A row object is valid until the next one is asked for.
     *
     * @param disk files whose keys are those of the rows of memory, or lie between; empty if there is none
     * @param memory what was asked for by {@link #request}, one reader for each run; closed with the reader, and if this throws
     * @param firstOffset offset of the first row that is not on disk
     * @param spill where sorted runs are kept if there are very many; null for memory
     */
    public RecordReader<InternalRow> open(Optional<DataSplit> disk, List<MemBatchReader> memory, long firstOffset, IOManager spill) throws IOException
    {
        try {
            return merge(disk, memory, firstOffset, spill);
        }
        catch (Throwable t) {
            memory.forEach(MemBatchReader::close);
            throw t;
        }
    }

    private RecordReader<InternalRow> merge(Optional<DataSplit> disk, List<MemBatchReader> memory, long firstOffset, IOManager spill)
            throws IOException
    {
        CoreOptions options = table.coreOptions();
        KeyValueFileStore store = (KeyValueFileStore) table.store();
        PrimaryKey key = KeyedTables.primaryKey(table).orElseThrow();
        Comparator<InternalRow> keyComparator = store.newKeyComparator();
        UserDefinedSeqComparator sequences = UserDefinedSeqComparator.create(valueType, options.sequenceField(),
                options.sequenceFieldSortOrderIsAscending());
        List<DataFileMeta> files = disk.map(DataSplit::dataFiles).orElse(List.of());
        long highest = files.stream().mapToLong(DataFileMeta::maxSequenceNumber).max().orElse(-1);
        int[] keyColumns = key.positions(memoryType);
        Map<String, MemoryRun> memoryRuns = new HashMap<>();
        List<SortedRun> runs = diskRuns(files, keyComparator);
        for (MemBatchReader rows : memory) {
            MemoryRun run = new MemoryRun(rows, memoryType, keyColumns, valueType, keyComparator,
                    UserDefinedSeqComparator.create(valueType, options.sequenceField(), true),
                    new ReducerMergeFunctionWrapper(PrimaryKeyTableUtils.createMergeFunctionFactory(table.schema()).create(valueType)),
                    highest + 1 - firstOffset);
            DataFileMeta file = memoryFile(memoryRuns.size());
            memoryRuns.put(file.fileName(), run);
            runs.add(SortedRun.fromSingle(file));
        }
        FileReaderFactory<KeyValue> diskFiles = disk.isPresent() ? diskFiles(store, disk.get()) : null;
        MergeSorter sorter = new MergeSorter(options, KeyedTables.keyType(table), valueType, spill);
        RecordReader<KeyValue> merged = new DropDeleteReader(MergeTreeReaders.readerForSection(runs,
                file -> memoryRuns.containsKey(file.fileName()) ? memoryRuns.get(file.fileName()) : diskFiles.createRecordReader(file), keyComparator,
                sequences,
                new ReducerMergeFunctionWrapper(mergeFunctions.create(valueType)), sorter));
        ProjectedRow result = ProjectedRow.from(readType, valueType);
        return merged.transform(row -> result.replaceRow(row.value()));
    }

    /** Sorted runs over all of the files: sections that follow each other need not be merged one by one. */
    private static List<SortedRun> diskRuns(List<DataFileMeta> files, Comparator<InternalRow> keyComparator)
    {
        List<List<DataFileMeta>> runs = new ArrayList<>();
        for (List<SortedRun> section : new IntervalPartition(files, keyComparator).partition()) {
            for (int i = 0; i < section.size(); i++) {
                if (i == runs.size()) {
                    runs.add(new ArrayList<>());
                }
                runs.get(i).addAll(section.get(i).files());
            }
        }
        List<SortedRun> sorted = new ArrayList<>();
        runs.forEach(run -> sorted.add(SortedRun.fromSorted(run)));
        return sorted;
    }

    private KeyValueFileReaderFactory diskFiles(KeyValueFileStore store, DataSplit disk)
    {
        List<DeletionFile> deletions = disk.deletionFiles().orElse(null);
        return store.newReaderFactoryBuilder()
                .withReadValueType(valueType)
                .build(disk.partition(), disk.bucket(), DeletionVector.factory(table.fileIO(), disk.dataFiles(), deletions), false,
                        filter.flatMap(predicate -> PushableFilters.forRead(predicate, disk)).map(PredicateBuilder::splitAnd).orElse(List.of()));
    }

    private static DataFileMeta memoryFile(int run)
    {
        return DataFileMeta.create("memory " + run, 1, 1, BinaryRow.EMPTY_ROW, BinaryRow.EMPTY_ROW, SimpleStats.EMPTY_STATS, SimpleStats.EMPTY_STATS,
                0, 0, 0, 0,
                null, null, FileSource.APPEND, null, null, null);
    }
}
