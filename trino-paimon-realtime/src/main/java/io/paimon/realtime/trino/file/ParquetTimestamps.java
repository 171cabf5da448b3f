package io.paimon.realtime.trino.file;

import io.paimon.realtime.trino.type.TimestampRange;
import io.trino.parquet.metadata.PrunedBlockMetadata;
import io.trino.parquet.reader.RowGroupInfo;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** Files of Paimon can hold any long as a timestamp; the reader would turn those that Trino cannot hold into others. */
final class ParquetTimestamps
{
    private static final long MICROS_PER_MILLI = 1_000;

    private ParquetTimestamps()
    {}

    /**
     * @param columns those that are read
     * @throws io.trino.spi.TrinoException NUMERIC_VALUE_OUT_OF_RANGE if the statistics of a row group tell of a value that Trino cannot hold
     */
    static void check(List<RowGroupInfo> rowGroups, Collection<ColumnDescriptor> columns) throws IOException
    {
        for (ColumnDescriptor column : columns) {
            if (column.getPrimitiveType().getLogicalTypeAnnotation() instanceof TimestampLogicalTypeAnnotation timestamp) {
                for (RowGroupInfo rowGroup : rowGroups) {
                    check(rowGroup.prunedBlockMetadata(), column, timestamp);
                }
            }
        }
    }

    private static void check(PrunedBlockMetadata rowGroup, ColumnDescriptor column, TimestampLogicalTypeAnnotation timestamp) throws IOException
    {
        if (rowGroup.getColumnChunkMetaData(column).getStatistics() instanceof LongStatistics statistics && statistics.hasNonNullValue()) {
            check(statistics.getMin(), timestamp);
            check(statistics.getMax(), timestamp);
        }
    }

    private static void check(long value, TimestampLogicalTypeAnnotation timestamp)
    {
        if (timestamp.isAdjustedToUTC()) {
            TimestampRange.checkZoned(timestamp.getUnit() == TimeUnit.MILLIS ? value : Math.floorDiv(value, MICROS_PER_MILLI));
        }
        else if (timestamp.getUnit() == TimeUnit.MILLIS) {
            TimestampRange.micros(value, 0);
        }
    }
}
