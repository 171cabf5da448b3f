package io.paimon.realtime.trino.file;

import com.google.common.collect.ImmutableList;
import io.paimon.realtime.trino.handle.ByteRange;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Splits whose files are too big for one thread, divided into parts of files. Whether a file that is divided needs Paimon's reader, which knows no parts, is only found where it is
 * read, as that depends on the columns: then the part at the beginning of the file stands for all of it, and the others are empty.
 */
public final class FileParts
{
    private FileParts()
    {}

    /**
     * @param split what is read
     * @param range the part that is read of the split's only file; empty for all of the split
     */
    public record Part(Split split, Optional<ByteRange> range)
    {
        public Part
        {
            requireNonNull(split, "split is null");
            requireNonNull(range, "range is null");
        }

        /** Rows that this part and, of a divided file, the parts before it are known to have; none for the parts before the last one. */
        public OptionalLong rows()
        {
            return range.isEmpty() || range.get().end() == bytes(split) ? split.mergedRowCount() : OptionalLong.empty();
        }

        /** Bytes of files, where that is known. */
        public OptionalLong bytes()
        {
            if (!(split instanceof DataSplit)) {
                return OptionalLong.empty();
            }
            return OptionalLong.of(range.map(ByteRange::length).orElseGet(() -> bytes(split)));
        }

        private static long bytes(Split split)
        {
            return ((DataSplit) split).dataFiles().stream().mapToLong(DataFileMeta::fileSize).sum();
        }
    }

    /**
     * @param maxBytes longer files are divided if they can be
     * @return parts that make up the split, those of a file one after the other
     */
    public static List<Part> divide(Table table, Split split, long maxBytes)
    {
        if (!DataFiles.isMadeOfRows(table, split)) {
            return ImmutableList.of(new Part(split, Optional.empty()));
        }
        DataSplit dataSplit = (DataSplit) split;
        ImmutableList.Builder<Part> parts = ImmutableList.builder();
        Set<String> divided = new HashSet<>();
        for (DataFileMeta file : dataSplit.dataFiles()) {
            if (file.fileSize() > maxBytes && DataFiles.format(file).isPresent()) {
                divided.add(file.fileName());
                DataSplit ofFile = dataSplit.filterDataFile(other -> other.fileName().equals(file.fileName())).orElseThrow();
                ByteRange.divide(file.fileSize(), maxBytes).forEach(range -> parts.add(new Part(ofFile, Optional.of(range))));
            }
        }
        if (divided.isEmpty()) {
            return ImmutableList.of(new Part(split, Optional.empty()));
        }
        dataSplit.filterDataFile(file -> !divided.contains(file.fileName())).ifPresent(rest -> parts.add(new Part(rest, Optional.empty())));
        return parts.build();
    }
}
