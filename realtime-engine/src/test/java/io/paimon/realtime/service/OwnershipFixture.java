package io.paimon.realtime.service;

import io.paimon.realtime.memory.arrow.ArrowMemIndexerFactory;
import io.paimon.realtime.memory.arrow.ArrowRowWriter;
import io.paimon.realtime.paimon.LeaseFile;
import io.paimon.realtime.paimon.ProgressFiles;
import io.paimon.realtime.paimon.ProgressFiles.Published;
import io.paimon.realtime.table.CutBoard;
import io.paimon.realtime.table.MemoryBudget;
import io.paimon.realtime.table.RealtimeTable;
import io.paimon.realtime.table.TableOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

/** A table that a service has, and writers without a service that want to have it. The tester is closed by the test. */
final class OwnershipFixture
{
    static final RowType ROW_TYPE = RowType.of(
            new org.apache.paimon.types.DataType[]{DataTypes.BIGINT(), DataTypes.STRING()}, new String[]{"id", "v"});

    final RealtimeTester tester;
    final Identifier table;

    OwnershipFixture() throws Exception
    {
        tester = new RealtimeTester();
        table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
    }

    void awaitLeaseEnd()
    {
        LeaseFile.Lease lease = new LeaseFile(tester.table(table)).read().orElseThrow();
        while (lease.isLive(System.currentTimeMillis())) {
            Thread.onSpinWait();
        }
    }

    RealtimeTable open(BufferAllocator allocator, CutBoard board, String logId, long leaseMillis)
    {
        return RealtimeTable.open(tester.table(table), options(allocator, board, logId, leaseMillis));
    }

    TableOptions options(BufferAllocator allocator, CutBoard board, String logId, long leaseMillis)
    {
        MemoryBudget budget = new MemoryBudget(64 << 20, allocator::getAllocatedMemory, () -> {
        });
        return new TableOptions(new ArrowMemIndexerFactory(), allocator, budget, board, table.getFullName(), logId,
                "incarnation-" + System.nanoTime(), () -> "", 100,
                1_000, leaseMillis);
    }

    Published newest()
    {
        ProgressFiles progressFiles = new ProgressFiles(tester.table(table));
        return progressFiles.newest(progressFiles.lineage().orElseThrow(), progressFiles.latestSnapshotId().orElseThrow()).orElseThrow();
    }

    static void append(RealtimeTable target, BufferAllocator allocator, List<GenericRow> rows)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(target.rowType(), allocator)) {
            rows.forEach(writer::append);
            try (VectorSchemaRoot root = writer.finish()) {
                target.append(List.of(root), target.rowType());
            }
        }
    }

    void append(EmbeddedRealtimeService service, List<GenericRow> rows)
    {
        try (ArrowRowWriter writer = new ArrowRowWriter(service.rowType(table), service.allocator())) {
            rows.forEach(writer::append);
            try (VectorSchemaRoot root = writer.finish()) {
                service.append(table, root);
            }
        }
    }

    static void write(FileStoreTable target, List<GenericRow> rows) throws Exception
    {
        BatchWriteBuilder builder = target.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    static List<GenericRow> rows(long from, long to)
    {
        List<GenericRow> rows = new ArrayList<>();
        for (long id = from; id < to; id++) {
            rows.add(GenericRow.of(id, BinaryString.fromString("v" + id)));
        }
        return rows;
    }

    static List<String> texts(List<GenericRow> rows)
    {
        List<String> texts = new ArrayList<>();
        rows.forEach(row -> texts.add(RealtimeTester.text(row, ROW_TYPE)));
        Collections.sort(texts);
        return texts;
    }
}
