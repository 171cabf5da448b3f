package io.paimon.realtime.trino.block;

import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Type;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.columnar.BooleanColumnVector;
import org.apache.paimon.data.columnar.ByteColumnVector;
import org.apache.paimon.data.columnar.ColumnVector;
import org.apache.paimon.data.columnar.DecimalColumnVector;
import org.apache.paimon.data.columnar.DoubleColumnVector;
import org.apache.paimon.data.columnar.FloatColumnVector;
import org.apache.paimon.data.columnar.IntColumnVector;
import org.apache.paimon.data.columnar.LongColumnVector;
import org.apache.paimon.data.columnar.ShortColumnVector;

/**
 * Numbers and booleans, and dates and times of day, which Paimon keeps as numbers.
 */
final class NumberAppenders
{
    private NumberAppenders()
    {}

    static final class BooleanAppender extends ColumnAppender
    {
        private final Type type;

        BooleanAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeBoolean(out, row.getBoolean(field));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeBoolean(out, ((BooleanColumnVector) vector).getBoolean(row));
        }
    }

    static final class TinyintAppender extends ColumnAppender
    {
        private final Type type;

        TinyintAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getByte(field));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((ByteColumnVector) vector).getByte(row));
        }
    }

    static final class SmallintAppender extends ColumnAppender
    {
        private final Type type;

        SmallintAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getShort(field));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((ShortColumnVector) vector).getShort(row));
        }
    }

    static final class IntegerAppender extends ColumnAppender
    {
        private final Type type;
        private final long factor;

        IntegerAppender(Type type, long factor)
        {
            this.type = type;
            this.factor = factor;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getInt(field) * factor);
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((IntColumnVector) vector).getInt(row) * factor);
        }
    }

    static final class BigintAppender extends ColumnAppender
    {
        private final Type type;

        BigintAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, row.getLong(field));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, ((LongColumnVector) vector).getLong(row));
        }
    }

    static final class RealAppender extends ColumnAppender
    {
        private final Type type;

        RealAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeLong(out, Float.floatToRawIntBits(row.getFloat(field)));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeLong(out, Float.floatToRawIntBits(((FloatColumnVector) vector).getFloat(row)));
        }
    }

    static final class DoubleAppender extends ColumnAppender
    {
        private final Type type;

        DoubleAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeDouble(out, row.getDouble(field));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            type.writeDouble(out, ((DoubleColumnVector) vector).getDouble(row));
        }
    }

    static final class DecimalAppender extends ColumnAppender
    {
        private final DecimalType type;

        DecimalAppender(DecimalType type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getDecimal(field, type.getPrecision(), type.getScale()), out);
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((DecimalColumnVector) vector).getDecimal(row, type.getPrecision(), type.getScale()), out);
        }

        private void append(Decimal value, BlockBuilder out)
        {
            if (value == null) {
                // Paimon gives null for a value that does not fit the declared precision
                out.appendNull();
            }
            else if (type.isShort()) {
                type.writeLong(out, value.toUnscaledLong());
            }
            else {
                type.writeObject(out, Int128.valueOf(value.toBigDecimal().unscaledValue()));
            }
        }
    }
}
