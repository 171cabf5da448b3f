package io.paimon.realtime.trino.write;

import io.paimon.realtime.trino.block.BlockReader;
import io.paimon.realtime.trino.handle.PaimonPartitioningHandle;
import io.trino.spi.Page;
import io.trino.spi.connector.BucketFunction;
import io.trino.spi.connector.ConnectorBucketNodeMap;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.type.Type;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.sink.FixedBucketRowKeyExtractor;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.connector.ConnectorBucketNodeMap.createBucketNodeMap;

/** Sends the rows of one partition-bucket to one writer. */
class PaimonNodePartitioningProvider implements ConnectorNodePartitioningProvider
{
    /** More than writers in any sensible cluster, and few enough to be spread by. */
    private static final int WRITE_PARTITIONS = 512;

    @Override
    public Optional<ConnectorBucketNodeMap> getBucketNodeMapping(ConnectorTransactionHandle transaction, ConnectorSession session,
            ConnectorPartitioningHandle partitioning)
    {
        return Optional.of(createBucketNodeMap(WRITE_PARTITIONS));
    }

    @Override
    public BucketFunction getBucketFunction(ConnectorTransactionHandle transaction, ConnectorSession session,
            ConnectorPartitioningHandle partitioning,
            List<Type> partitionChannelTypes, int bucketCount)
    {
        return new PartitionBucketFunction((PaimonPartitioningHandle) partitioning, partitionChannelTypes, bucketCount);
    }

    private static final class PartitionBucketFunction implements BucketFunction
    {
        private final FixedBucketRowKeyExtractor extractor;
        private final List<BlockReader> readers;
        private final int[] fields;
        private final GenericRow row;
        private final int count;

        private PartitionBucketFunction(PaimonPartitioningHandle handle, List<Type> types, int count)
        {
            TableSchema schema = TableSchema.fromJson(handle.schema());
            this.extractor = new FixedBucketRowKeyExtractor(schema);
            this.readers = types.stream().map(BlockReader::create).collect(toImmutableList());
            this.fields = handle.columns().stream().mapToInt(column -> schema.fieldNames().indexOf(column)).toArray();
            this.row = new GenericRow(schema.fields().size());
            this.count = count;
        }

        @Override
        public synchronized int getBucket(Page page, int position)
        {
            for (int channel = 0; channel < fields.length; channel++) {
                row.setField(fields[channel], readers.get(channel).read(page.getBlock(channel), position));
            }
            extractor.setRecord(row);
            return Math.floorMod(extractor.partition().hashCode() * 31 + extractor.bucket(), count);
        }
    }
}
