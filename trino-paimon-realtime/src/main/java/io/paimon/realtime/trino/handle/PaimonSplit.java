package io.paimon.realtime.trino.handle;

import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.utils.InstantiationUtil;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

/**
 * A Paimon split on its way to a worker.
 *
 * @param serializedSplit the split, serialized and in base 64
 * @param range the part that is read of the split's only file, where a file is divided; empty for all of the split
 * @param utc whether local time is UTC where the split was made, and so in all of the cluster
 * @param rows rows in its files, before merging
 * @param splitWeight its share of a split of the usual size
 */
public record PaimonSplit(String serializedSplit, Optional<ByteRange> range, boolean utc, long rows,
        SplitWeight splitWeight) implements ConnectorSplit
{

    private static final int INSTANCE_SIZE = instanceSize(PaimonSplit.class);
    private static final int RANGE_INSTANCE_SIZE = instanceSize(ByteRange.class);

    public PaimonSplit
    {
        requireNonNull(serializedSplit, "serializedSplit is null");
        requireNonNull(range, "range is null");
        requireNonNull(splitWeight, "splitWeight is null");
    }

    public static PaimonSplit of(Split split, Optional<ByteRange> range, boolean utc, SplitWeight weight)
    {
        try {
            String serializedSplit = Base64.getEncoder().encodeToString(InstantiationUtil.serializeObject(split));
            return new PaimonSplit(serializedSplit, range, utc, split.rowCount(), weight);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Split split()
    {
        try {
            return InstantiationUtil.deserializeObject(Base64.getDecoder().decode(serializedSplit), PaimonSplit.class.getClassLoader());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (ClassNotFoundException e) {
            throw new IllegalStateException("Coordinator and worker run different versions of the connector", e);
        }
    }

    /** Whether this is all of the split, or that part of a divided file which does what must be done once. */
    public boolean startsFile()
    {
        return range.isEmpty() || range.get().startsFile();
    }

    @Override
    public SplitWeight getSplitWeight()
    {
        return splitWeight;
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        return INSTANCE_SIZE + estimatedSizeOf(serializedSplit) + sizeOf(range, _ -> RANGE_INSTANCE_SIZE) + splitWeight.getRetainedSizeInBytes();
    }

    @Override
    public String toString()
    {
        return range.map(part -> "bytes=%s of a file of rows=%s".formatted(part, rows)).orElse("rows=" + rows);
    }
}
