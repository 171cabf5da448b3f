package io.paimon.realtime.paimon;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.arrow.ArrowRowView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.paimon.KeyValue;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.mergetree.compact.ReducerMergeFunctionWrapper;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.FieldsComparator;
import org.apache.paimon.utils.ProjectedRow;

/**
 * Rows of memory as a sorted run of key-values like that of a file: each key once, its versions merged as a flush would merge them. Rows are copied out of memory.
 */
final class MemoryRun implements RecordReader<KeyValue>
{
    private static final int BATCH_ROWS = 1024;

    private final MemBatchReader rows;
    private final RowType rowType;
    private final int sequenceColumn;
    private final ProjectedRow keyOfRow;
    private final ProjectedRow valueOfRow;
    private final InternalRowSerializer keys;
    private final InternalRowSerializer values;
    private final Comparator<InternalRow> keyComparator;
    private final Comparator<KeyValue> versionOrder;
    private final ReducerMergeFunctionWrapper merge;
    private final long sequenceShift;

    private MemBatch batch;
    private ArrowRowView view;
    private int next;
    /** First version of the key that follows; null at the beginning and at the end. */
    private KeyValue following;
    private boolean started;

    /**
     * @param rows in the order of keys; closed with this
     * @param rowType of the rows: columns of the value first, offset and kind last
     * @param sequences compares versions before their order counts; null if nothing does
     * @param merge as a flush merges versions, over the columns of the value
     * @param sequenceShift what is added to offsets, so that they are sequence numbers above those on disk
     */
    MemoryRun(MemBatchReader rows, RowType rowType, int[] keyColumns, RowType valueType, Comparator<InternalRow> keyComparator,
            FieldsComparator sequences,
            ReducerMergeFunctionWrapper merge, long sequenceShift)
    {
        this.rows = rows;
        this.rowType = rowType;
        this.sequenceColumn = rowType.getFieldCount() - 2;
        this.keyOfRow = ProjectedRow.from(keyColumns);
        this.valueOfRow = ProjectedRow.from(IntStream.range(0, valueType.getFieldCount()).toArray());
        this.keys = new InternalRowSerializer(rowType.project(keyColumns));
        this.values = new InternalRowSerializer(valueType);
        this.keyComparator = keyComparator;
        Comparator<KeyValue> order = Comparator.comparingLong(KeyValue::sequenceNumber);
        this.versionOrder = sequences == null
                ? order
                : ((Comparator<KeyValue>) (a, b) -> sequences.compare(a.value(), b.value())).thenComparing(order);
        this.merge = merge;
        this.sequenceShift = sequenceShift;
    }

    @Override
    public RecordIterator<KeyValue> readBatch()
    {
        List<KeyValue> merged = new ArrayList<>();
        while (merged.size() < BATCH_ROWS) {
            KeyValue row = nextKey();
            if (row == null) {
                break;
            }
            merged.add(row);
        }
        if (merged.isEmpty()) {
            return null;
        }
        Iterator<KeyValue> iterator = merged.iterator();
        return new RecordIterator<>() {
            @Override
            public KeyValue next()
            {
                return iterator.hasNext() ? iterator.next() : null;
            }

            @Override
            public void releaseBatch()
            {}
        };
    }

    /** What is left of the next key's versions; null at the end. */
    private KeyValue nextKey()
    {
        while (true) {
            if (!started) {
                started = true;
                following = nextVersion();
            }
            if (following == null) {
                return null;
            }
            List<KeyValue> versions = new ArrayList<>(1);
            KeyValue first = following;
            versions.add(first);
            following = nextVersion();
            while (following != null && keyComparator.compare(first.key(), following.key()) == 0) {
                versions.add(following);
                following = nextVersion();
            }
            KeyValue result = merge(versions);
            if (result != null) {
                return result.setLevel(0);
            }
        }
    }

    private KeyValue merge(List<KeyValue> versions)
    {
        if (versions.size() == 1) {
            return versions.getFirst();
        }
        versions.sort(versionOrder);
        merge.reset();
        versions.forEach(merge::add);
        KeyValue result = merge.getResult();
        if (result == null) {
            return null;
        }
        // merge functions use their objects again
        return new KeyValue().replace(result.key(), result.sequenceNumber(), result.valueKind(), copy(values, result.value()));
    }

    private static BinaryRow copy(InternalRowSerializer serializer, InternalRow row)
    {
        return serializer.toBinaryRow(row).copy();
    }

    /** The next row; null at the end. */
    private KeyValue nextVersion()
    {
        while (batch == null || next == batch.rowCount()) {
            releaseBatch();
            Optional<MemBatch> read = rows.next();
            if (read.isEmpty()) {
                return null;
            }
            batch = read.get();
            view = new ArrowRowView(batch.columns(), rowType);
            next = 0;
        }
        view.setPosition(batch.position(next++));
        return new KeyValue().replace(copy(keys, keyOfRow.replaceRow(view)), view.getLong(sequenceColumn) + sequenceShift, view.getRowKind(),
                copy(values, valueOfRow.replaceRow(view)));
    }

    private void releaseBatch()
    {
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }

    @Override
    public void close()
    {
        releaseBatch();
        rows.close();
    }
}
