package io.paimon.realtime.trino.arrow;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import io.paimon.realtime.trino.arrow.ArrowNestedReaders.ArrayReader;
import io.paimon.realtime.trino.arrow.ArrowNestedReaders.MapReader;
import io.paimon.realtime.trino.arrow.ArrowNestedReaders.RowReader;
import io.paimon.realtime.trino.type.PaimonTypes;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.IntType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;

/**
 * One copy from the canonical Arrow form of one Paimon type into Trino's blocks. A reader is made once for a column and reads its vectors one after the other. Not thread-safe.
 */
public abstract class ArrowBlockReader
{
    private final Class<? extends FieldVector> vectorClass;
    private final Type type;

    ArrowBlockReader(Class<? extends FieldVector> vectorClass, Type type)
    {
        this.vectorClass = requireNonNull(vectorClass, "vectorClass is null");
        this.type = requireNonNull(type, "type is null");
    }

    /** The vector as this reader reads it. */
    public final ArrowColumn column(FieldVector vector)
    {
        if (!vectorClass.isInstance(vector)) {
            throw new IllegalArgumentException("Not a canonical vector of %s: %s".formatted(type.getDisplayName(), vector.getField()));
        }
        return new ArrowColumn(vector, vector.getNullCount(), children(vector));
    }

    /** Rows of a column as a block. The vector must be held: its memory is read by address. */
    public final Block read(ArrowColumn column, ArrowRows rows)
    {
        return read(column, rows, null);
    }

    /** @param visible those of the rows that what the column is nested in shows, see {@link ArrowValidity}; the others are NULL */
    final Block read(ArrowColumn column, ArrowRows rows, long[] visible)
    {
        if (rows.count() == 0 || column.isAllNull()) {
            return RunLengthEncodedBlock.create(type.createNullBlock(), rows.count());
        }
        return readValues(column, rows, ArrowValidity.of(column, rows, visible));
    }

    /** The columns inside of the vector that the reader reads. */
    List<ArrowColumn> children(FieldVector vector)
    {
        return List.of();
    }

    /** @param validity the rows that have a value; what lies under the others may be anything */
    abstract Block readValues(ArrowColumn column, ArrowRows rows, long[] validity);

    /** The reader from the canonical form of a Paimon type to its counterpart as {@link PaimonTypes#toTrino} gives it. */
    public static ArrowBlockReader create(DataType dataType, Type type)
    {
        return switch (dataType.getTypeRoot()) {
            case BOOLEAN -> flat(BitVector.class, type, ArrowNumbers::booleans);
            case TINYINT -> flat(TinyIntVector.class, type, ArrowNumbers::bytes);
            case SMALLINT -> flat(SmallIntVector.class, type, ArrowNumbers::shorts);
            case INTEGER -> flat(IntVector.class, type, ArrowNumbers::ints);
            case BIGINT -> flat(BigIntVector.class, type, ArrowNumbers::longs);
            case FLOAT -> flat(Float4Vector.class, type, ArrowNumbers::ints);
            case DOUBLE -> flat(Float8Vector.class, type, ArrowNumbers::longs);
            case DECIMAL -> DecimalType.isCompact(((DecimalType) dataType).getPrecision())
                    ? flat(DecimalVector.class, type, ArrowNumbers::shortDecimals)
                    : flat(DecimalVector.class, type, ArrowNumbers::longDecimals);
            case CHAR, VARCHAR -> flat(VarCharVector.class, type, type instanceof CharType charType
                    ? (vector, rows, validity) -> ArrowBytes.chars(vector, rows, validity, charType.getLength())
                    : ArrowBytes::values);
            case BINARY, VARBINARY -> flat(VarBinaryVector.class, type, ArrowBytes::values);
            case DATE -> flat(DateDayVector.class, type, ArrowNumbers::ints);
            case TIME_WITHOUT_TIME_ZONE -> flat(TimeMilliVector.class, type, ArrowTimestamps::timesOfMillis);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamps(((TimestampType) dataType).getPrecision(), type);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> instants(((LocalZonedTimestampType) dataType).getPrecision(), type);
            case ARRAY -> new ArrayReader((ArrayType) type,
                    create(((org.apache.paimon.types.ArrayType) dataType).getElementType(), ((ArrayType) type).getElementType()));
            case MAP -> map(((org.apache.paimon.types.MapType) dataType).getKeyType(), ((org.apache.paimon.types.MapType) dataType).getValueType(),
                    (MapType) type);
            case MULTISET -> map(((MultisetType) dataType).getElementType(), new IntType(false), (MapType) type);
            case ROW -> row((RowType) dataType, (io.trino.spi.type.RowType) type);
            default -> throw new IllegalArgumentException("No reader for " + dataType);
        };
    }

    private static ArrowBlockReader timestamps(int precision, Type type)
    {
        if (precision <= 3) {
            return flat(TimeStampMilliVector.class, type, ArrowTimestamps::timestampsOfMillis);
        }
        return precision <= 6
                ? flat(TimeStampMicroVector.class, type, ArrowNumbers::longs)
                : flat(FixedSizeBinaryVector.class, type, ArrowTimestamps::wideTimestamps);
    }

    private static ArrowBlockReader instants(int precision, Type type)
    {
        if (precision <= 3) {
            return flat(TimeStampMilliTZVector.class, type, ArrowTimestamps::instantsOfMillis);
        }
        return precision <= 6
                ? flat(TimeStampMicroTZVector.class, type, ArrowTimestamps::instantsOfMicros)
                : flat(FixedSizeBinaryVector.class, type, ArrowTimestamps::wideInstants);
    }

    private static ArrowBlockReader map(DataType key, DataType value, MapType type)
    {
        return new MapReader(type, create(key, type.getKeyType()), create(value, type.getValueType()));
    }

    private static ArrowBlockReader row(RowType dataType, io.trino.spi.type.RowType type)
    {
        return new RowReader(type, dataType.getFields(), IntStream.range(0, dataType.getFieldCount())
                .mapToObj(field -> create(dataType.getTypeAt(field), type.getFields().get(field).getType()))
                .collect(toImmutableList()));
    }

    /** Copies rows of a vector without children into a block. */
    private interface FlatCopy
    {
        Block copy(FieldVector vector, ArrowRows rows, long[] validity);
    }

    private static ArrowBlockReader flat(Class<? extends FieldVector> vectorClass, Type type, FlatCopy copy)
    {
        return new ArrowBlockReader(vectorClass, type) {
            @Override
            Block readValues(ArrowColumn column, ArrowRows rows, long[] validity)
            {
                return copy.copy(column.vector(), rows, validity);
            }
        };
    }
}
