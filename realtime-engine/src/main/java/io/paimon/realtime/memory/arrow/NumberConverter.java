package io.paimon.realtime.memory.arrow;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.function.IntFunction;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Numbers of a type that holds every value of theirs exactly, or whose values are checked one by one.
 */
final class NumberConverter
{
    private static final ArrowType DOUBLE = new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);

    private NumberConverter()
    {}

    static FieldVector toInts(Conversion conversion)
    {
        int width = ((ArrowType.Int) conversion.target().getType()).getBitWidth();
        if (!(conversion.source() instanceof BaseIntVector ints) || intType(conversion).getBitWidth() > width) {
            throw conversion.mismatch();
        }
        boolean signed = intType(conversion).getIsSigned();
        long max = Long.MAX_VALUE >> (64 - width);
        return conversion.fixedWidth((index, buffer) -> {
            long value = ints.getValueAsLong(index);
            if (!signed && (value < 0 || value > max)) {
                throw conversion.place().bad(index, "%s does not fit %s".formatted(Long.toUnsignedString(value), conversion.typeName()));
            }
            switch (width) {
                case 8 -> buffer.setByte(index, (byte) value);
                case 16 -> buffer.setShort(2L * index, (short) value);
                case 32 -> buffer.setInt(4L * index, (int) value);
                default -> buffer.setLong(8L * index, value);
            }
        });
    }

    static FieldVector toFloats(Conversion conversion)
    {
        boolean toDouble = conversion.target().getType().equals(DOUBLE);
        IntToDouble values = switch (conversion.source()) {
            case Float2Vector floats -> floats::getValueAsFloat;
            case Float4Vector floats -> floats::get;
            // integers that every floating point number of the width holds exactly
            case BaseIntVector ints when intType(conversion).getBitWidth() <= (toDouble ? 32 : 16) -> ints::getValueAsLong;
            default -> throw conversion.mismatch();
        };
        return conversion.fixedWidth((index, buffer) -> {
            if (toDouble) {
                buffer.setDouble(8L * index, values.get(index));
            }
            else {
                buffer.setFloat(4L * index, (float) values.get(index));
            }
        });
    }

    static FieldVector toDecimals(Conversion conversion)
    {
        ArrowType.Decimal decimal = (ArrowType.Decimal) conversion.target().getType();
        IntFunction<BigDecimal> values = switch (conversion.source()) {
            case DecimalVector decimals -> decimals::getObject;
            case Decimal256Vector decimals -> decimals::getObject;
            case BaseIntVector ints -> {
                boolean unsigned = !intType(conversion).getIsSigned();
                yield index -> unsigned
                        ? new BigDecimal(Long.toUnsignedString(ints.getValueAsLong(index)))
                        : BigDecimal.valueOf(ints.getValueAsLong(index));
            }
            default -> throw conversion.mismatch();
        };
        return conversion.build(vector -> {
            DecimalVector decimals = (DecimalVector) vector;
            decimals.allocateNew(conversion.count());
            for (int i = 0; i < conversion.count(); i++) {
                if (conversion.isValue(i)) {
                    BigDecimal value = values.apply(i);
                    BigDecimal scaled = value.stripTrailingZeros();
                    if (!fits(scaled, decimal)) {
                        throw conversion.place().bad(i, "%s does not fit %s".formatted(value.toPlainString(), conversion.typeName()));
                    }
                    decimals.set(i, scaled.setScale(decimal.getScale(), RoundingMode.UNNECESSARY));
                }
            }
        });
    }

    /** Whether a value without trailing zeros has no more digits on either side of the point. */
    private static boolean fits(BigDecimal stripped, ArrowType.Decimal type)
    {
        return stripped.scale() <= type.getScale()
                && (stripped.precision() - stripped.scale() <= type.getPrecision() - type.getScale() || stripped.signum() == 0);
    }

    private static ArrowType.Int intType(Conversion conversion)
    {
        return (ArrowType.Int) conversion.source().getField().getType();
    }

    @FunctionalInterface
    private interface IntToDouble
    {
        double get(int index);
    }
}
