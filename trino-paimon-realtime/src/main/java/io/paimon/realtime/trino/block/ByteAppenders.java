package io.paimon.realtime.trino.block;

import static io.trino.spi.type.Chars.truncateToLengthAndTrimSpaces;

import io.airlift.slice.Slices;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.CharType;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.columnar.BytesColumnVector;
import org.apache.paimon.data.columnar.ColumnVector;

/**
 * Strings and binary values.
 */
final class ByteAppenders
{
    private ByteAppenders()
    {}

    static final class StringAppender extends ColumnAppender
    {
        private final Type type;

        StringAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeSlice(out, Slices.wrappedBuffer(row.getString(field).toBytes()));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            BytesColumnVector.Bytes bytes = ((BytesColumnVector) vector).getBytes(row);
            type.writeSlice(out, Slices.wrappedBuffer(bytes.data, bytes.offset, bytes.len));
        }
    }

    /** Paimon neither pads nor cuts CHAR; Trino's blocks hold it without trailing spaces. */
    static final class CharAppender extends ColumnAppender
    {
        private final CharType type;

        CharAppender(CharType type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            BinaryString value = row.getString(field);
            type.writeSlice(out, truncateToLengthAndTrimSpaces(Slices.wrappedBuffer(value.toBytes()), type));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            BytesColumnVector.Bytes bytes = ((BytesColumnVector) vector).getBytes(row);
            type.writeSlice(out, truncateToLengthAndTrimSpaces(Slices.wrappedBuffer(bytes.data, bytes.offset, bytes.len), type));
        }
    }

    static final class BinaryAppender extends ColumnAppender
    {
        private final Type type;

        BinaryAppender(Type type)
        {
            this.type = type;
        }

        @Override
        void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            type.writeSlice(out, Slices.wrappedBuffer(row.getBinary(field)));
        }

        @Override
        void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            BytesColumnVector.Bytes bytes = ((BytesColumnVector) vector).getBytes(row);
            type.writeSlice(out, Slices.wrappedBuffer(bytes.data, bytes.offset, bytes.len));
        }
    }
}
