package io.paimon.realtime.memory.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.MemIndexerContractTest;
import io.paimon.realtime.memory.MemIndexerOptions;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.memory.MemReadView;
import io.paimon.realtime.memory.RandomRows;
import io.paimon.realtime.memory.RealtimeWriteBatch;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.RealtimeException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

public class TestArrowMemIndexer extends MemIndexerContractTest
{
    private static final RowType IDS = RowType.of(DataTypes.BIGINT());

    @Override
    protected String factoryName()
    {
        return "arrow";
    }

    private ArrowMemIndexer create(RowType type, BufferAllocator allocator)
    {
        return new ArrowMemIndexer(new MemIndexerOptions("s.t", type, Optional.empty(), 0, allocator, Map.of()));
    }

    @Test
    public void failedWriteLeavesEverythingAsItWas()
    {
        RowType type = RandomRows.ALL_TYPES;
        try (BufferAllocator small = allocator.newChildAllocator("small", 0, 300_000);
                VectorSchemaRoot rows = RandomRows.toArrow(type, new RandomRows(1).rows(type, 100), allocator);
                VectorSchemaRoot many = RandomRows.toArrow(type, new RandomRows(1).rows(type, 2000), allocator);
                ArrowMemIndexer indexer = create(type, small)) {
            indexer.write(RealtimeWriteBatch.all(rows, 0));
            long before = small.getAllocatedMemory();
            assertThatThrownBy(() -> indexer.write(RealtimeWriteBatch.all(many, 100))).isInstanceOf(OutOfMemoryException.class);
            assertThat(small.getAllocatedMemory()).isEqualTo(before);
            assertThat(indexer.rowCount()).isEqualTo(100);
            int writes = 1;
            try {
                while (true) {
                    indexer.write(RealtimeWriteBatch.all(rows, 100L * writes));
                    writes++;
                }
            }
            catch (OutOfMemoryException e) {
                assertThat(indexer.rowCount()).isEqualTo(100L * writes);
            }
            indexer.sealForCommit();
            indexer.reclaim(100L * writes);
            indexer.write(RealtimeWriteBatch.all(rows, 100L * writes));
        }
    }

    @Test
    public void smallWritesLeaveFewChunks()
    {
        try (ArrowMemIndexer indexer = create(IDS, allocator);
                VectorSchemaRoot rows = RandomRows.toArrow(IDS, List.of(GenericRow.of(1L)), allocator)) {
            for (int i = 0; i < 20_000; i++) {
                indexer.write(RealtimeWriteBatch.all(rows, i));
            }
            MemQueryContext context = new MemQueryContext(allocator);
            try (MemReadView view = indexer.acquireReadView()) {
                PredicateBuilder builder = new PredicateBuilder(IDS);
                indexer.createQueryReaders(view, new MemReadRequest(new OffsetRange(0, 50_000), IDS, IDS, Optional.of(builder.equal(0, 2L))), context)
                        .forEach(reader -> {
                            assertThat(reader.next()).isEmpty();
                            reader.close();
                        });
            }
            // every chunk is pruned by its bounds
            assertThat(context.rowsScanned().sum()).isZero();
            assertThat(context.batchesPruned().sum()).isBetween(1L, 5L * (ChunkList.FACTOR - 1));
            assertThat(indexer.memoryBytes()).isLessThan(20_000 * 16);
        }
    }

    @Test
    public void nestedFieldsAreFoundById()
    {
        RowType stored = RowType.of(DataTypes.ROW(DataTypes.FIELD(11, "a", DataTypes.INT()), DataTypes.FIELD(12, "b", DataTypes.BIGINT())));
        RowType wanted = RowType.of(DataTypes.ROW(DataTypes.FIELD(12, "x", DataTypes.BIGINT()), DataTypes.FIELD(13, "y", DataTypes.STRING()),
                DataTypes.FIELD(11, "a", DataTypes.BIGINT())));
        try (ArrowMemIndexer indexer = create(stored, allocator);
                VectorSchemaRoot rows = RandomRows.toArrow(stored, List.of(GenericRow.of(GenericRow.of(1, 2L)), GenericRow.of((Object) null)),
                        allocator)) {
            indexer.write(RealtimeWriteBatch.all(rows, 0));
            MemReadRequest request = new MemReadRequest(new OffsetRange(0, 10), wanted, wanted, Optional.empty());
            try (MemReadView view = indexer.acquireReadView();
                    var reader = indexer.createQueryReaders(view, request, new MemQueryContext(allocator)).getFirst();
                    var batch = reader.next().orElseThrow()) {
                ArrowRowView row = new ArrowRowView(batch.columns(), wanted);
                assertThat(RandomRows.toObjects(row.setPosition(0), wanted).toString()).isEqualTo("[[2, null, 1]]");
                assertThat(row.setPosition(1).isNullAt(0)).isTrue();
            }
        }
    }
}
