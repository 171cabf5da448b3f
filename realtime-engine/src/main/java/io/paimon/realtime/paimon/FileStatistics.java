package io.paimon.realtime.paimon;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.stats.SimpleStatsEvolution;
import org.apache.paimon.stats.SimpleStatsEvolutions;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.snapshot.SnapshotReader;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.DataTypeRoot;

/**
 * What the manifests of a snapshot say of a data file, in the columns of the table's schema.
 *
 * @param rows rows in the file that are not retractions; versions of one key count each, and so do rows that deletion vectors hide
 * @param bytes size of the file
 * @param nullCounts NULLs of each column; NULL or negative where they are not known, and then {@code minimums} and {@code maximums} say nothing either
 * @param minimums smallest value of each column; of strings maybe only a beginning; NULL if all values are
 * @param maximums largest value of each column; of strings maybe something larger; NULL if all values are
 * @param ranged whether smallest and largest say anything of a column: not where its type has changed since so that the order of values may have, too, or values may not fit
 */
public record FileStatistics(BinaryRow partition, long rows, long bytes, InternalArray nullCounts, InternalRow minimums, InternalRow maximums,
        IntPredicate ranged)
{
    /**
     * Reads the manifests of a snapshot.
     *
     * @param filter files and whole manifests without rows that match may be left out
     * @param files told of one file after the other; what it is given is valid during the call only
     */
    public static void forEach(FileStoreTable table, long snapshotId, Optional<Predicate> filter, Consumer<FileStatistics> files)
    {
        SnapshotReader reader = table.newSnapshotReader().withSnapshot(snapshotId);
        filter.ifPresent(reader::withFilter);
        SimpleStatsEvolutions evolutions = new SimpleStatsEvolutions(id -> table.schemaManager().schema(id).fields(), table.schema().id());
        Map<Long, BitSet> ranged = new HashMap<>();
        Iterator<ManifestEntry> entries = reader.readFileIterator();
        while (entries.hasNext()) {
            ManifestEntry entry = entries.next();
            DataFileMeta file = entry.file();
            SimpleStatsEvolution.Result statistics = evolutions.getOrCreate(file.schemaId())
                    .evolution(file.valueStats(), file.rowCount(), file.valueStatsCols());
            files.accept(new FileStatistics(entry.partition(), file.rowCount() - file.deleteRowCount().orElse(0L), file.fileSize(),
                    statistics.nullCounts(), statistics.minValues(), statistics.maxValues(),
                    ranged.computeIfAbsent(file.schemaId(), id -> ranged(table, id))::get));
        }
    }

    private static BitSet ranged(FileStoreTable table, long schemaId)
    {
        Map<Integer, DataType> written = new HashMap<>();
        table.schemaManager().schema(schemaId).fields().forEach(field -> written.put(field.id(), field.type()));
        BitSet ranged = new BitSet();
        List<DataField> fields = table.rowType().getFields();
        for (int i = 0; i < fields.size(); i++) {
            DataTypeRoot type = fields.get(i).type().getTypeRoot();
            DataType before = written.get(fields.get(i).id());
            ranged.set(i, before == null || before.getTypeRoot() == type
                    || (before.is(DataTypeFamily.INTEGER_NUMERIC) && type.getFamilies().contains(DataTypeFamily.INTEGER_NUMERIC)));
        }
        return ranged;
    }
}
