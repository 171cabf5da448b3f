package io.paimon.realtime.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.scan.RealtimePlan;
import io.paimon.realtime.scan.RealtimeScan;
import io.paimon.realtime.scan.RealtimeSplit;
import io.paimon.realtime.table.RealtimeContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.RowType;

/** A query, its only right answer, and one of the ways to read it. */
final class UnionQuestion
{
    private final FileStoreTable target;
    private final RowType readType;
    private final Optional<Predicate> filter;
    private final List<String> expected;
    private final int way;

    UnionQuestion(FileStoreTable target, RowType readType, Optional<Predicate> filter, List<GenericRow> rows, int way)
    {
        this.target = target;
        this.readType = readType;
        this.filter = filter;
        this.way = way;
        this.expected = rows.stream()
                .filter(row -> filter.isEmpty() || filter.get().test(row))
                .map(row -> PlainPaimon.render(RowEvolution.evolve(row, target.rowType(), readType), readType))
                .sorted().toList();
    }

    RealtimePlan plan(RealtimeContext context)
    {
        RealtimeScan scan = new RealtimeScan(context, target).withReadType(readType);
        filter.ifPresent(scan::withFilter);
        return scan.plan();
    }

    void verify(RealtimePlan plan)
    {
        List<String> rows = new ArrayList<>();
        UnionReader reader = new UnionReader(plan);
        try {
            if (way == 0) {
                collect(reader.createReader(), rows, true);
            }
            else {
                List<RealtimeSplit> splits = new ArrayList<>(plan.splits());
                if (way == 1) {
                    Collections.reverse(splits);
                }
                for (RealtimeSplit split : splits) {
                    // closing a reader of memory frees what was not released; Paimon's avro reader waits for it
                    collect(reader.createReader(split), rows, way == 1 || split instanceof RealtimeSplit.DiskSplit);
                }
            }
        }
        catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        Collections.sort(rows);
        assertThat(rows).as("%s at snapshot %s", this, plan.snapshotId()).isEqualTo(expected);
    }

    private void collect(RecordReader<InternalRow> reader, List<String> rows, boolean release) throws IOException
    {
        try (reader) {
            for (RecordReader.RecordIterator<InternalRow> batch = reader.readBatch(); batch != null; batch = reader.readBatch()) {
                for (InternalRow row = batch.next(); row != null; row = batch.next()) {
                    rows.add(PlainPaimon.render(row, readType));
                }
                if (release) {
                    batch.releaseBatch();
                }
            }
        }
    }

    @Override
    public String toString()
    {
        return "%s where %s".formatted(readType, filter);
    }
}
