package io.paimon.realtime.trino.type;

import io.trino.spi.TrinoException;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeOperators;
import io.trino.spi.type.VarcharType;
import org.apache.paimon.types.BigIntType;
import org.apache.paimon.types.BinaryType;
import org.apache.paimon.types.BooleanType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DateType;
import org.apache.paimon.types.DoubleType;
import org.apache.paimon.types.FloatType;
import org.apache.paimon.types.IntType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.SmallIntType;
import org.apache.paimon.types.TinyIntType;
import org.apache.paimon.types.VarBinaryType;
import org.apache.paimon.types.VarCharType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarbinaryType.VARBINARY;

/** Paimon types in Trino and the other way round. */
public final class PaimonTypes
{
    /** Digits of a second that Paimon keeps. */
    static final int MAX_TIMESTAMP_PRECISION = 9;
    /** Paimon keeps times of day in milliseconds whatever the declared precision. */
    public static final int MAX_TIME_PRECISION = 3;

    private static final TypeOperators TYPE_OPERATORS = new TypeOperators();

    private PaimonTypes()
    {}

    /** The Trino type, or empty for a type that Trino has no counterpart for. */
    public static Optional<Type> toTrino(DataType type)
    {
        return switch (type) {
            case BooleanType _ -> Optional.of(BOOLEAN);
            case TinyIntType _ -> Optional.of(TINYINT);
            case SmallIntType _ -> Optional.of(SMALLINT);
            case IntType _ -> Optional.of(INTEGER);
            case BigIntType _ -> Optional.of(BIGINT);
            case FloatType _ -> Optional.of(REAL);
            case DoubleType _ -> Optional.of(DOUBLE);
            case org.apache.paimon.types.DecimalType decimal ->
                Optional.of(DecimalType.createDecimalType(decimal.getPrecision(), decimal.getScale()));
            case org.apache.paimon.types.CharType character -> Optional.of(
                    character.getLength() <= CharType.MAX_LENGTH
                            ? CharType.createCharType(character.getLength())
                            : VarcharType.createVarcharType(character.getLength()));
            case VarCharType varchar -> Optional.of(
                    varchar.getLength() == VarCharType.MAX_LENGTH ? VarcharType.VARCHAR : VarcharType.createVarcharType(varchar.getLength()));
            case BinaryType _,VarBinaryType _ -> Optional.of(VARBINARY);
            case DateType _ -> Optional.of(DATE);
            case org.apache.paimon.types.TimeType _ -> Optional.of(TIME_MILLIS);
            case org.apache.paimon.types.TimestampType timestamp -> Optional.of(TimestampType.createTimestampType(timestamp.getPrecision()));
            case LocalZonedTimestampType timestamp ->
                Optional.of(TimestampWithTimeZoneType.createTimestampWithTimeZoneType(timestamp.getPrecision()));
            case org.apache.paimon.types.ArrayType array -> toTrino(array.getElementType()).map(ArrayType::new);
            case MultisetType multiset -> toTrino(multiset.getElementType()).map(element -> mapType(element, INTEGER));
            case org.apache.paimon.types.MapType map -> toTrino(map.getKeyType())
                    .flatMap(key -> toTrino(map.getValueType()).map(value -> mapType(key, value)));
            case org.apache.paimon.types.RowType row -> {
                List<RowType.Field> fields = new ArrayList<>();
                for (DataField field : row.getFields()) {
                    Optional<Type> fieldType = toTrino(field.type());
                    if (fieldType.isEmpty()) {
                        yield Optional.empty();
                    }
                    fields.add(RowType.field(field.name(), fieldType.get()));
                }
                yield fields.isEmpty() ? Optional.empty() : Optional.of(RowType.from(fields));
            }
            default -> Optional.empty();
        };
    }

    /**
     * The nullable Paimon type. Ids of nested fields are taken from {@code fieldIds}.
     *
     * @throws TrinoException NOT_SUPPORTED for a type that Paimon has no counterpart for
     */
    public static DataType toPaimon(Type type, AtomicInteger fieldIds)
    {
        return switch (type) {
            case io.trino.spi.type.BooleanType _ -> DataTypes.BOOLEAN();
            case io.trino.spi.type.TinyintType _ -> DataTypes.TINYINT();
            case io.trino.spi.type.SmallintType _ -> DataTypes.SMALLINT();
            case io.trino.spi.type.IntegerType _ -> DataTypes.INT();
            case io.trino.spi.type.BigintType _ -> DataTypes.BIGINT();
            case io.trino.spi.type.RealType _ -> DataTypes.FLOAT();
            case io.trino.spi.type.DoubleType _ -> DataTypes.DOUBLE();
            case DecimalType decimal -> DataTypes.DECIMAL(decimal.getPrecision(), decimal.getScale());
            case CharType character when character.getLength() > 0 -> DataTypes.CHAR(character.getLength());
            case VarcharType varchar when varchar.isUnbounded() -> DataTypes.STRING();
            case VarcharType varchar when varchar.getBoundedLength() > 0 -> DataTypes.VARCHAR(varchar.getBoundedLength());
            case io.trino.spi.type.VarbinaryType _ -> DataTypes.BYTES();
            case io.trino.spi.type.DateType _ -> DataTypes.DATE();
            case TimeType time when time.getPrecision() <= MAX_TIME_PRECISION -> DataTypes.TIME(time.getPrecision());
            case TimestampType timestamp when timestamp.getPrecision() <= MAX_TIMESTAMP_PRECISION -> DataTypes.TIMESTAMP(timestamp.getPrecision());
            case TimestampWithTimeZoneType timestamp when timestamp.getPrecision() <= MAX_TIMESTAMP_PRECISION ->
                DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(timestamp.getPrecision());
            case ArrayType array -> DataTypes.ARRAY(toPaimon(array.getElementType(), fieldIds));
            case MapType map -> DataTypes.MAP(toPaimon(map.getKeyType(), fieldIds), toPaimon(map.getValueType(), fieldIds));
            case RowType row -> {
                List<DataField> fields = new ArrayList<>();
                for (RowType.Field field : row.getFields()) {
                    String name = field.getName()
                            .orElseThrow(() -> new TrinoException(NOT_SUPPORTED,
                                    "Fields of a row need names to be stored in Paimon: " + type.getDisplayName()));
                    fields.add(new DataField(fieldIds.incrementAndGet(), name, toPaimon(field.getType(), fieldIds)));
                }
                if (fields.stream().map(DataField::name).distinct().count() < fields.size()) {
                    throw new TrinoException(NOT_SUPPORTED,
                            "Fields of a row need names of their own to be stored in Paimon: " + type.getDisplayName());
                }
                yield new org.apache.paimon.types.RowType(fields);
            }
            default -> throw new TrinoException(NOT_SUPPORTED, "Unsupported type: " + type.getDisplayName());
        };
    }

    private static MapType mapType(Type key, Type value)
    {
        return new MapType(key, value, TYPE_OPERATORS);
    }
}
