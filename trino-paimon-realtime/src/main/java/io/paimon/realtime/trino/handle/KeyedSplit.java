package io.paimon.realtime.trino.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.SizeOf;
import io.paimon.realtime.model.KeyRange;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.utils.SerializationUtils;

/**
 * Keys of one partition-bucket of a primary-key table that has rows in memory: what is left of their versions in files and in memory. Every key of the bucket is in one split.
 *
 * @param runs the bucket's rows in memory, in parts whose versions are merged by themselves first, as a flush does
 * @param from lowest key, serialized and in base 64; empty for no bound
 * @param to above the highest key, the same way
 * @param disk files that hold no other keys, or a part of them; empty if there is none
 * @param memory whether this split also shows the rows of memory; they come once where files are read in several splits
 * @param splitWeight its share of a split of the usual size
 */
public record KeyedSplit(List<RealtimeSplit> runs, Optional<String> from, Optional<String> to, Optional<PaimonSplit> disk, boolean memory,
        SplitWeight splitWeight)
        implements
            ConnectorSplit
{

    private static final int INSTANCE_SIZE = instanceSize(KeyedSplit.class);

    public KeyedSplit
    {
        runs = ImmutableList.copyOf(runs);
        requireNonNull(from, "from is null");
        requireNonNull(to, "to is null");
        requireNonNull(disk, "disk is null");
        requireNonNull(splitWeight, "splitWeight is null");
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("No rows in memory");
        }
    }

    public static KeyedSplit of(List<RealtimeSplit> runs, KeyRange keys, Optional<PaimonSplit> disk, boolean memory, SplitWeight weight)
    {
        return new KeyedSplit(runs, keys.from().map(KeyedSplit::encode), keys.to().map(KeyedSplit::encode), disk, memory, weight);
    }

    private static String encode(BinaryRow key)
    {
        return Base64.getEncoder().encodeToString(SerializationUtils.serializeBinaryRow(key));
    }

    private static BinaryRow decode(String key)
    {
        return SerializationUtils.deserializeBinaryRow(Base64.getDecoder().decode(key));
    }

    public KeyRange keys()
    {
        return new KeyRange(from.map(KeyedSplit::decode), to.map(KeyedSplit::decode));
    }

    @Override
    public SplitWeight getSplitWeight()
    {
        return splitWeight;
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        return INSTANCE_SIZE + estimatedSizeOf(runs, RealtimeSplit::getRetainedSizeInBytes) + sizeOf(from, SizeOf::estimatedSizeOf)
                + sizeOf(to, SizeOf::estimatedSizeOf) + sizeOf(disk, PaimonSplit::getRetainedSizeInBytes) + splitWeight.getRetainedSizeInBytes();
    }

    @Override
    public String toString()
    {
        return "merge of %s and %s".formatted(runs, disk.map(PaimonSplit::toString).orElse("no files"));
    }
}
