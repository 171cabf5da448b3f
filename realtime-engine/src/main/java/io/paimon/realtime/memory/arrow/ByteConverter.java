package io.paimon.realtime.memory.arrow;

import java.util.function.IntFunction;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Strings and binary values of other layouts than offsets of 32 bits. Strings stay strings, and bytes bytes.
 */
final class ByteConverter
{
    private ByteConverter()
    {}

    static FieldVector toBytes(Conversion conversion)
    {
        boolean text = conversion.target().getType().equals(ArrowType.Utf8.INSTANCE);
        IntFunction<byte[]> values = switch (conversion.source()) {
            case LargeVarCharVector strings when text -> strings::get;
            case ViewVarCharVector strings when text -> strings::get;
            case LargeVarBinaryVector bytes when !text -> bytes::get;
            case ViewVarBinaryVector bytes when !text -> bytes::get;
            case FixedSizeBinaryVector bytes when !text -> bytes::get;
            default -> throw conversion.mismatch();
        };
        return conversion.build(vector -> {
            BaseVariableWidthVector bytes = (BaseVariableWidthVector) vector;
            bytes.allocateNew(conversion.count());
            for (int i = 0; i < conversion.count(); i++) {
                if (conversion.isValue(i)) {
                    bytes.setSafe(i, values.apply(i));
                }
            }
        });
    }
}
