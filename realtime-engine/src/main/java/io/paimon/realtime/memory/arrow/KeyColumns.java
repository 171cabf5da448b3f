package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.memory.PrimaryKey;
import io.paimon.realtime.model.KeyRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.RowType;

/**
 * Where the columns of the key are among those of a row type, and how rows compare by them. Immutable.
 */
final class KeyColumns
{
    private final PrimaryKey key;
    private final int[] columns;
    private final RowType type;

    /**
     * @param rowType of the vectors; must hold all columns of the key
     */
    KeyColumns(PrimaryKey key, RowType rowType)
    {
        this.key = key;
        this.columns = key.positions(rowType);
        this.type = rowType.project(columns);
    }

    /**
     * Bounds may come from anywhere, and Paimon's rows are read without a look at their bounds.
     *
     * @throws IllegalArgumentException if one of them is no key
     */
    void check(KeyRange range)
    {
        range.from().ifPresent(this::check);
        range.to().ifPresent(this::check);
    }

    private void check(BinaryRow bound)
    {
        byte[] bytes = bound.toBytes();
        int fixedBytes = BinaryRow.calculateFixPartSizeInBytes(columns.length);
        if (bound.getFieldCount() != columns.length || bytes.length < fixedBytes) {
            throw new IllegalArgumentException("Not a key of %s columns".formatted(columns.length));
        }
        ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < columns.length; i++) {
            if (bound.isNullAt(i)) {
                throw new IllegalArgumentException("NULL in a key");
            }
            if (BinaryRow.isInFixedLengthPart(type.getTypeAt(i))) {
                continue;
            }
            long value = values.getLong(BinaryRow.calculateBitSetWidthInBytes(columns.length) + 8 * i);
            boolean isText = type.getTypeAt(i).getTypeRoot().getFamilies().stream()
                    .anyMatch(family -> family == DataTypeFamily.CHARACTER_STRING || family == DataTypeFamily.BINARY_STRING);
            // up to seven bytes stand in the fixed part, with their number in the highest byte
            if (isText && value < 0) {
                if ((value >>> 56 & 0x7F) > 7) {
                    throw new IllegalArgumentException("A text or bytes of a key are outside of it");
                }
                continue;
            }
            // a decimal takes up to 16 bytes, a timestamp 8 bytes besides the nanoseconds that stand in the place of the length
            long length = isText ? value & 0xFFFFFFFFL : type.getTypeAt(i) instanceof DecimalType ? Math.max(16, value & 0xFFFFFFFFL) : 8;
            long offset = value >>> 32;
            if (offset < fixedBytes || offset + length > bytes.length) {
                throw new IllegalArgumentException("A value of a key is outside of it");
            }
        }
    }

    /** Keys of vectors of the row type, for one thread. */
    Keys keys(List<FieldVector> vectors)
    {
        FieldVector first = vectors.get(columns[0]);
        if (columns.length == 1 && isNumber(type.getTypeAt(0))) {
            return new NumberKeys(LongValues.exact(first), first.getValueCount(), type.getTypeAt(0));
        }
        List<FieldVector> ofKey = Arrays.stream(columns).mapToObj(vectors::get).toList();
        return new RowKeys(new ArrowRowView(ofKey, type), new ArrowRowView(ofKey, type), key.comparators().get());
    }

    /** Positions of the rows in the order of their keys, 32 bits each; those of one key ascend. The caller closes the result. */
    ArrowBuf order(List<FieldVector> vectors, int rowCount, BufferAllocator allocator)
    {
        int[] positions = StableSort.sort(rowCount, sortable(vectors, rowCount));
        ArrowBuf order = allocator.buffer(4L * rowCount);
        for (int i = 0; i < rowCount; i++) {
            order.setInt(4L * i, positions[i]);
        }
        return order;
    }

    private StableSort.PositionComparator sortable(List<FieldVector> vectors, int rowCount)
    {
        if (keys(vectors) instanceof NumberKeys numbers) {
            return numbers::compare;
        }
        // values that are objects are made once, not for each comparison
        InternalRow[] rows = new InternalRow[rowCount];
        List<FieldVector> ofKey = Arrays.stream(columns).mapToObj(vectors::get).toList();
        ArrowRowView view = new ArrowRowView(ofKey, type);
        InternalRow.FieldGetter[] getters = new InternalRow.FieldGetter[columns.length];
        for (int i = 0; i < getters.length; i++) {
            getters[i] = InternalRow.createFieldGetter(type.getTypeAt(i), i);
        }
        for (int i = 0; i < rowCount; i++) {
            view.setPosition(i);
            GenericRow row = new GenericRow(getters.length);
            for (int column = 0; column < getters.length; column++) {
                row.setField(column, getters[column].getFieldOrNull(view));
            }
            rows[i] = row;
        }
        Comparator<InternalRow> comparator = key.comparators().get();
        return (left, right) -> comparator.compare(rows[left], rows[right]);
    }

    /** Whether values of the type are 64-bit numbers in the order of Paimon's keys. */
    private static boolean isNumber(DataType type)
    {
        return switch (type.getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, TIME_WITHOUT_TIME_ZONE -> true;
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> ArrowSchemas.timestampPrecision(type) <= 6;
            case DECIMAL -> Decimal.isCompact(((DecimalType) type).getPrecision());
            default -> false;
        };
    }

    /** Keys of the rows of some vectors. Not thread-safe. */
    sealed interface Keys
    {
        /** How the keys at two positions compare. */
        int compare(int left, int right);

        /** How the key at a position compares with one of other vectors of the same type. */
        int compare(int position, Keys others, int other);

        /** How the key at a position compares with one of the key's columns alone. */
        int compare(int position, InternalRow key);
    }

    private static final class NumberKeys implements Keys
    {
        private final long[] values;
        private final InternalRow.FieldGetter getter;
        private final DataType type;
        private InternalRow lastBound;
        private long lastValue;

        private NumberKeys(LongValues numbers, int count, DataType type)
        {
            this.values = new long[count];
            this.type = type;
            this.getter = InternalRow.createFieldGetter(type, 0);
            if (count > 0) {
                numbers.read(Positions.range(0, count), values);
            }
        }

        @Override
        public int compare(int left, int right)
        {
            return Long.compare(values[left], values[right]);
        }

        @Override
        public int compare(int position, Keys others, int other)
        {
            return Long.compare(values[position], ((NumberKeys) others).values[other]);
        }

        @Override
        public int compare(int position, InternalRow key)
        {
            if (key != lastBound) {
                lastValue = LongValues.literal(getter.getFieldOrNull(key), type);
                lastBound = key;
            }
            return Long.compare(values[position], lastValue);
        }
    }

    private record RowKeys(ArrowRowView left, ArrowRowView right, Comparator<InternalRow> comparator) implements Keys
    {
        @Override
        public int compare(int leftPosition, int rightPosition)
        {
            return comparator.compare(left.setPosition(leftPosition), right.setPosition(rightPosition));
        }

        @Override
        public int compare(int position, Keys others, int other)
        {
            return comparator.compare(left.setPosition(position), ((RowKeys) others).right.setPosition(other));
        }

        @Override
        public int compare(int position, InternalRow key)
        {
            return comparator.compare(left.setPosition(position), key);
        }
    }
}
