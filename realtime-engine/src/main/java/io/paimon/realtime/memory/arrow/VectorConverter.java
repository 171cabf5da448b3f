package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.DataType;

/**
 * Brings one vector of a client, of any shape, into the canonical form of a type, and checks its values. Vectors that are canonical already share their buffers; other shapes
 * of the same values (dictionaries, views, large and fixed-size lists, runs) are gathered; other types are converted value by value.
 *
 * <p>Sources are never changed. Nothing of a refused vector is kept.
 */
final class VectorConverter
{
    private final DictionaryProvider dictionaries;
    private final BufferAllocator allocator;

    VectorConverter(DictionaryProvider dictionaries, BufferAllocator allocator)
    {
        this.dictionaries = requireNonNull(dictionaries, "dictionaries is null");
        this.allocator = requireNonNull(allocator, "allocator is null");
    }

    /**
     * A canonical vector of the target field with as many values as the source, which the caller closes.
     *
     * @throws io.paimon.realtime.model.RealtimeException BAD_DATA naming table, column and row
     */
    FieldVector convert(FieldVector source, DataType type, Field target, Place place)
    {
        VectorLayout.check(source, place);
        return convert(new Conversion(source, type, target, place, allocator));
    }

    /** Converts a vector whose layout is checked, all its children included. */
    FieldVector convert(Conversion conversion)
    {
        FieldVector vector = shape(conversion);
        try {
            VectorValidator.validate(vector, conversion.type(), conversion.place());
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    private FieldVector shape(Conversion conversion)
    {
        DictionaryEncoding encoding = conversion.source().getField().getDictionary();
        if (encoding != null) {
            return EncodedVectors.decodeDictionary(encoding, dictionaries, conversion, this);
        }
        return switch (conversion.source()) {
            case NullVector _ -> VectorGather.nulls(conversion.target(), conversion.count(), allocator);
            case ExtensionTypeVector<?> extension -> shape(conversion.from((FieldVector) extension.getUnderlyingVector()));
            case RunEndEncodedVector runs -> EncodedVectors.decodeRuns(runs, conversion, this);
            default -> switch (conversion.type().getTypeRoot()) {
                case ARRAY -> NestedConverter.toList(conversion, this);
                case MAP, MULTISET -> NestedConverter.toMap(conversion, this);
                case ROW -> NestedConverter.toRow(conversion, this);
                default ->
                    isCanonical(conversion) ? VectorAssembly.share(conversion.target(), conversion.source(), allocator) : convertFlat(conversion);
            };
        };
    }

    private static FieldVector convertFlat(Conversion conversion)
    {
        return switch (conversion.type().getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> NumberConverter.toInts(conversion);
            case FLOAT, DOUBLE -> NumberConverter.toFloats(conversion);
            case DECIMAL -> NumberConverter.toDecimals(conversion);
            case CHAR, VARCHAR, BINARY, VARBINARY -> ByteConverter.toBytes(conversion);
            case DATE -> DateTimeConverter.toDates(conversion);
            case TIME_WITHOUT_TIME_ZONE -> DateTimeConverter.toTimes(conversion);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TimestampConverter.toTimestamps(conversion);
            default -> throw conversion.mismatch();
        };
    }

    /** Whether a flat vector can be taken as it is. */
    private static boolean isCanonical(Conversion conversion)
    {
        return isCanonical(conversion.source().getField().getType(), conversion.target().getType())
                && switch (conversion.type().getTypeRoot()) {
                    case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                        !TimestampConverter.mustTruncate(conversion.source(), conversion.type());
                    default -> true;
                };
    }

    private static boolean isCanonical(ArrowType from, ArrowType to)
    {
        if (from instanceof ArrowType.Timestamp sent && to instanceof ArrowType.Timestamp wanted) {
            return sent.getUnit() == wanted.getUnit() && (sent.getTimezone() == null) == (wanted.getTimezone() == null);
        }
        if (from instanceof ArrowType.Decimal sent && to instanceof ArrowType.Decimal wanted) {
            // a larger precision is checked value by value
            return sent.getBitWidth() == wanted.getBitWidth() && sent.getScale() == wanted.getScale();
        }
        return from.equals(to);
    }
}
