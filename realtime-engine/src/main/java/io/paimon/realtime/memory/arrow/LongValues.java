package io.paimon.realtime.memory.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;
import static org.apache.arrow.memory.util.MemoryUtil.getShort;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;

/**
 * Values of a canonical vector as 64-bit numbers that are ordered as Paimon compares the values. Floating point numbers are mapped so that their order is that of
 * {@link Double#compare}. Positions that are NULL give any number.
 */
final class LongValues
{
    /** How the values lie in memory. */
    private enum Form
    {
        INT8, INT16, INT32, INT64, INT128, FLOAT, DOUBLE
    }

    private final Form form;
    private final long address;

    private LongValues(Form form, long address)
    {
        this.form = form;
        this.address = address;
    }

    /** Null if the type's values are no 64-bit numbers. */
    static LongValues of(FieldVector vector)
    {
        if (vector.getValueCount() == 0) {
            return null;
        }
        return switch (vector) {
            case Float4Vector _ -> new LongValues(Form.FLOAT, vector.getDataBufferAddress());
            case Float8Vector _ -> new LongValues(Form.DOUBLE, vector.getDataBufferAddress());
            default -> exact(vector);
        };
    }

    /** Like {@link #of}, but without floating point numbers. */
    static LongValues exact(FieldVector vector)
    {
        Form form = switch (vector) {
            case TinyIntVector _ -> Form.INT8;
            case SmallIntVector _ -> Form.INT16;
            case IntVector _,DateDayVector _,TimeMilliVector _ -> Form.INT32;
            case BigIntVector _,TimeStampVector _ -> Form.INT64;
            case DecimalVector decimals when Decimal.isCompact(decimals.getPrecision()) -> Form.INT128;
            default -> null;
        };
        return form == null || vector.getValueCount() == 0 ? null : new LongValues(form, vector.getDataBufferAddress());
    }

    void read(Positions positions, long[] target)
    {
        int count = positions.count();
        switch (form) {
            case INT8 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = getByte(address + positions.get(i));
                }
            }
            case INT16 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = getShort(address + 2L * positions.get(i));
                }
            }
            case INT32 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = getInt(address + 4L * positions.get(i));
                }
            }
            case INT64 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = getLong(address + 8L * positions.get(i));
                }
            }
            case INT128 -> {
                for (int i = 0; i < count; i++) {
                    target[i] = getLong(address + 16L * positions.get(i));
                }
            }
            case FLOAT -> {
                for (int i = 0; i < count; i++) {
                    target[i] = ordered(Float.intBitsToFloat(getInt(address + 4L * positions.get(i))));
                }
            }
            case DOUBLE -> {
                for (int i = 0; i < count; i++) {
                    target[i] = ordered(Double.longBitsToDouble(getLong(address + 8L * positions.get(i))));
                }
            }
        }
    }

    /** A Paimon value of the type as such a number; null if it cannot be told exactly. */
    static Long literal(Object value, DataType type)
    {
        return switch (type.getTypeRoot()) {
            case TINYINT -> value instanceof Byte number ? number.longValue() : null;
            case SMALLINT -> value instanceof Short number ? number.longValue() : null;
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> value instanceof Integer number ? number.longValue() : null;
            case BIGINT -> value instanceof Long number ? number : null;
            case FLOAT -> value instanceof Float number ? (Long) ordered(number) : null;
            case DOUBLE -> value instanceof Double number ? (Long) ordered(number) : null;
            case DECIMAL -> value instanceof Decimal decimal && decimal.isCompact() && decimal.scale() == ((DecimalType) type).getScale()
                    ? (Long) decimal.toUnscaledLong()
                    : null;
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> value instanceof Timestamp timestamp
                    ? timestamp(timestamp, ArrowSchemas.timestampPrecision(type))
                    : null;
            default -> null;
        };
    }

    /** The Paimon value of a number read from a column of the type; never for floating point. */
    static Object toPaimon(long value, DataType type)
    {
        return switch (type.getTypeRoot()) {
            case TINYINT -> (byte) value;
            case SMALLINT -> (short) value;
            case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> (int) value;
            case BIGINT -> value;
            case DECIMAL -> Decimal.fromUnscaledLong(value, ((DecimalType) type).getPrecision(), ((DecimalType) type).getScale());
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> ArrowSchemas.timestampPrecision(type) <= 3
                    ? Timestamp.fromEpochMillis(value)
                    : Timestamp.fromMicros(value);
            default -> throw new IllegalArgumentException("No 64-bit numbers: " + type);
        };
    }

    private static Long timestamp(Timestamp timestamp, int precision)
    {
        if (precision <= 3) {
            return timestamp.getNanoOfMillisecond() == 0 ? timestamp.getMillisecond() : null;
        }
        boolean inRange = Math.abs(timestamp.getMillisecond()) < Long.MAX_VALUE / 1000 - 1 && timestamp.getMillisecond() != Long.MIN_VALUE;
        return precision <= 6 && inRange && timestamp.getNanoOfMillisecond() % 1000 == 0 ? (Long) timestamp.toMicros() : null;
    }

    private static long ordered(double value)
    {
        long bits = Double.doubleToLongBits(value);
        return bits ^ ((bits >> 63) & Long.MAX_VALUE);
    }
}
