package io.paimon.realtime.trino.block;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;

import io.paimon.realtime.trino.block.ByteAppenders.BinaryAppender;
import io.paimon.realtime.trino.block.ByteAppenders.CharAppender;
import io.paimon.realtime.trino.block.ByteAppenders.StringAppender;
import io.paimon.realtime.trino.block.NestedAppenders.ArrayAppender;
import io.paimon.realtime.trino.block.NestedAppenders.MapAppender;
import io.paimon.realtime.trino.block.NestedAppenders.RowAppender;
import io.paimon.realtime.trino.block.NumberAppenders.BigintAppender;
import io.paimon.realtime.trino.block.NumberAppenders.BooleanAppender;
import io.paimon.realtime.trino.block.NumberAppenders.DecimalAppender;
import io.paimon.realtime.trino.block.NumberAppenders.DoubleAppender;
import io.paimon.realtime.trino.block.NumberAppenders.IntegerAppender;
import io.paimon.realtime.trino.block.NumberAppenders.RealAppender;
import io.paimon.realtime.trino.block.NumberAppenders.SmallintAppender;
import io.paimon.realtime.trino.block.NumberAppenders.TinyintAppender;
import io.paimon.realtime.trino.block.TimestampAppenders.InstantAppender;
import io.paimon.realtime.trino.block.TimestampAppenders.TimestampAppender;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import java.util.stream.IntStream;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.columnar.ColumnVector;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.VarCharType;

/**
 * Appends values of one Paimon type to a block, from rows or from column vectors.
 */
public abstract class ColumnAppender
{
    /** Appends the value of a field, which may be null. */
    public final void append(DataGetters row, int field, BlockBuilder out)
    {
        if (row.isNullAt(field)) {
            out.appendNull();
        }
        else {
            appendValue(row, field, out);
        }
    }

    /** Appends the first {@code rows} values of a vector. */
    public final void append(ColumnVector vector, int rows, BlockBuilder out)
    {
        for (int row = 0; row < rows; row++) {
            if (vector.isNullAt(row)) {
                out.appendNull();
            }
            else {
                appendValue(vector, row, out);
            }
        }
    }

    abstract void appendValue(DataGetters row, int field, BlockBuilder out);

    abstract void appendValue(ColumnVector vector, int row, BlockBuilder out);

    /** The appender from a Paimon type to its counterpart as {@link PaimonTypes#toTrino} gives it, in which rows may have fewer fields. */
    public static ColumnAppender create(DataType dataType, Type type)
    {
        return switch (dataType) {
            case org.apache.paimon.types.BooleanType _ -> new BooleanAppender(type);
            case org.apache.paimon.types.TinyIntType _ -> new TinyintAppender(type);
            case org.apache.paimon.types.SmallIntType _ -> new SmallintAppender(type);
            case org.apache.paimon.types.IntType _,org.apache.paimon.types.DateType _ -> new IntegerAppender(type, 1);
            case org.apache.paimon.types.TimeType _ -> new IntegerAppender(type, PICOSECONDS_PER_MILLISECOND);
            case org.apache.paimon.types.BigIntType _ -> new BigintAppender(type);
            case org.apache.paimon.types.FloatType _ -> new RealAppender(type);
            case org.apache.paimon.types.DoubleType _ -> new DoubleAppender(type);
            case org.apache.paimon.types.DecimalType _ -> new DecimalAppender((DecimalType) type);
            case org.apache.paimon.types.CharType _ when type instanceof CharType charType -> new CharAppender(charType);
            case org.apache.paimon.types.CharType _,VarCharType _ -> new StringAppender(type);
            case org.apache.paimon.types.BinaryType _,org.apache.paimon.types.VarBinaryType _ -> new BinaryAppender(type);
            case org.apache.paimon.types.TimestampType timestamp -> new TimestampAppender((TimestampType) type, timestamp.getPrecision());
            case LocalZonedTimestampType timestamp -> new InstantAppender((TimestampWithTimeZoneType) type, timestamp.getPrecision());
            case org.apache.paimon.types.ArrayType array -> new ArrayAppender(create(array.getElementType(), ((ArrayType) type).getElementType()));
            case MultisetType multiset -> new MapAppender(
                    create(multiset.getElementType(), ((MapType) type).getKeyType()),
                    new IntegerAppender(((MapType) type).getValueType(), 1));
            case org.apache.paimon.types.MapType map -> new MapAppender(
                    create(map.getKeyType(), ((MapType) type).getKeyType()),
                    create(map.getValueType(), ((MapType) type).getValueType()));
            case RowType row -> rowAppender(row, (io.trino.spi.type.RowType) type);
            default -> throw new IllegalArgumentException("No appender for " + dataType);
        };
    }

    private static ColumnAppender rowAppender(RowType row, io.trino.spi.type.RowType type)
    {
        int[] ordinals = type.getFields().stream().mapToInt(field -> row.getFieldIndex(field.getName().orElseThrow())).toArray();
        return new RowAppender(row.getFieldCount(), ordinals, IntStream.range(0, ordinals.length)
                .mapToObj(i -> create(row.getTypeAt(ordinals[i]), type.getFields().get(i).getType()))
                .collect(toImmutableList()));
    }
}
