package io.paimon.realtime.memory.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;

import java.math.BigDecimal;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.paimon.types.BinaryType;
import org.apache.paimon.types.CharType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.VarBinaryType;
import org.apache.paimon.types.VarCharType;

/**
 * Checks the values of a canonical vector, its own level only, against what the column's type admits. In bulk where possible.
 */
final class VectorValidator
{
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final int MILLIS_PER_DAY = 24 * 60 * 60 * 1000;
    /** Microseconds of any moment within these milliseconds fit into a long. */
    private static final long MAX_MILLIS = Long.MAX_VALUE / 1000 - 1;
    private static final int NANOS_PER_MILLI = 1_000_000;

    private VectorValidator()
    {}

    /**
     * @throws io.paimon.realtime.model.RealtimeException BAD_DATA naming table, column and row
     */
    static void validate(FieldVector vector, DataType type, Place place)
    {
        int count = vector.getValueCount();
        boolean nulls = vector.getNullCount() > 0;
        if (nulls && !type.isNullable()) {
            requireNotNull(vector, place);
        }
        switch (type.getTypeRoot()) {
            case CHAR -> validateStrings((BaseVariableWidthVector) vector, ((CharType) type).getLength(), type, place);
            case VARCHAR -> validateStrings((BaseVariableWidthVector) vector, ((VarCharType) type).getLength(), type, place);
            case BINARY -> validateLengths((BaseVariableWidthVector) vector, ((BinaryType) type).getLength(), type, place);
            case VARBINARY -> validateLengths((BaseVariableWidthVector) vector, ((VarBinaryType) type).getLength(), type, place);
            case TIME_WITHOUT_TIME_ZONE -> {
                TimeMilliVector times = (TimeMilliVector) vector;
                for (int i = 0; i < count; i++) {
                    int time = getInt(times.getDataBufferAddress() + 4L * i);
                    if ((time < 0 || time >= MILLIS_PER_DAY) && isValue(times, i, place)) {
                        throw place.bad(i, "%s milliseconds are no time of day".formatted(time));
                    }
                }
            }
            case DECIMAL -> validateDecimals((DecimalVector) vector, (DecimalType) type, place);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                if (vector instanceof TimeStampMilliVector || vector instanceof TimeStampMilliTZVector) {
                    validateMillis(vector, Long.BYTES, place);
                }
                if (vector instanceof FixedSizeBinaryVector timestamps) {
                    validateMillis(vector, ArrowSchemas.WIDE_TIMESTAMP_BYTES, place);
                    for (int i = 0; i < count; i++) {
                        int nanos = getInt(timestamps.getDataBufferAddress() + (long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * i + 8);
                        if ((nanos < 0 || nanos >= NANOS_PER_MILLI) && isValue(timestamps, i, place)) {
                            throw place.bad(i, "%s nanoseconds are no part of a millisecond".formatted(nanos));
                        }
                    }
                }
            }
            default -> {
            }
        }
    }

    private static void requireNotNull(FieldVector vector, Place place)
    {
        for (int i = 0; i < vector.getValueCount(); i++) {
            if (vector.isNull(i) && place.isLive(i)) {
                throw place.bad(i, "NULL in a NOT NULL column");
            }
        }
    }

    /** Readers count in microseconds, and what one of them cannot read would keep it from reading the table at all. */
    private static void validateMillis(FieldVector vector, int width, Place place)
    {
        for (int i = 0; i < vector.getValueCount(); i++) {
            long millis = getLong(vector.getDataBufferAddress() + (long) width * i);
            if ((millis > MAX_MILLIS || millis < -MAX_MILLIS) && isValue(vector, i, place)) {
                throw place.bad(i, "a timestamp out of range: %s milliseconds since 1970 are more than 64 bits of microseconds".formatted(millis));
            }
        }
    }

    private static boolean isValue(FieldVector vector, int index, Place place)
    {
        return !vector.isNull(index) && place.isLive(index);
    }

    private static void validateDecimals(DecimalVector vector, DecimalType type, Place place)
    {
        BigDecimal bound = BigDecimal.TEN.pow(type.getPrecision());
        boolean compact = type.getPrecision() <= 18;
        long longBound = compact ? bound.longValueExact() : 0;
        for (int i = 0; i < vector.getValueCount(); i++) {
            long address = vector.getDataBufferAddress() + 16L * i;
            long low = getLong(address);
            long high = getLong(address + 8);
            // a value of 64 bits fits any precision above 18
            boolean fits = high == low >> 63 && (!compact || (low < longBound && low > -longBound));
            if (!fits && isValue(vector, i, place)) {
                BigDecimal unscaled = new BigDecimal(vector.getObject(i).unscaledValue());
                if (unscaled.abs().compareTo(bound) >= 0) {
                    throw place.bad(i, "%s does not fit %s".formatted(vector.getObject(i).toPlainString(), type.copy(true).asSQLString()));
                }
            }
        }
    }

    private static void validateLengths(BaseVariableWidthVector vector, int maxLength, DataType type, Place place)
    {
        if (maxLength == Integer.MAX_VALUE) {
            return;
        }
        long offsets = vector.getOffsetBufferAddress();
        for (int i = 0; i < vector.getValueCount(); i++) {
            int length = getInt(offsets + 4L * (i + 1)) - getInt(offsets + 4L * i);
            if (length > maxLength && isValue(vector, i, place)) {
                throw place.bad(i, "%s bytes are too long for %s".formatted(length, type.copy(true).asSQLString()));
            }
        }
    }

    private static void validateStrings(BaseVariableWidthVector vector, int maxLength, DataType type, Place place)
    {
        int count = vector.getValueCount();
        if (count == 0) {
            return;
        }
        long offsets = vector.getOffsetBufferAddress();
        long data = vector.getDataBufferAddress();
        boolean ascii = isAscii(data + getInt(offsets), data + getInt(offsets + 4L * count));
        if (ascii && maxLength == Integer.MAX_VALUE) {
            return;
        }
        for (int i = 0; i < count; i++) {
            int start = getInt(offsets + 4L * i);
            int end = getInt(offsets + 4L * (i + 1));
            if ((ascii && end - start <= maxLength) || !isValue(vector, i, place)) {
                continue;
            }
            int length = ascii ? end - start : codePoints(data + start, data + end);
            if (length < 0) {
                throw place.bad(i, "invalid UTF-8");
            }
            if (length > maxLength) {
                throw place.bad(i, "%s characters are too long for %s".formatted(length, type.copy(true).asSQLString()));
            }
        }
    }

    private static boolean isAscii(long from, long to)
    {
        long all = 0;
        long at = from;
        for (; at + 8 <= to; at += 8) {
            all |= getLong(at);
        }
        for (; at < to; at++) {
            all |= getByte(at) & 0x80;
        }
        return (all & HIGH_BITS) == 0;
    }

    /** Number of code points, or -1 if the bytes are not UTF-8: overlong forms, surrogates and values above U+10FFFF are not. */
    static int codePoints(long from, long to)
    {
        int count = 0;
        long at = from;
        while (at < to) {
            int first = getByte(at) & 0xFF;
            count++;
            if (first < 0x80) {
                at++;
                continue;
            }
            int length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
            if (length == 0 || at + length > to) {
                return -1;
            }
            int codePoint = first & (0xFF >> (length + 1));
            for (int i = 1; i < length; i++) {
                int next = getByte(at + i) & 0xFF;
                if ((next & 0xC0) != 0x80) {
                    return -1;
                }
                codePoint = codePoint << 6 | (next & 0x3F);
            }
            if ((length == 3 && (codePoint < 0x800 || (codePoint >= 0xD800 && codePoint <= 0xDFFF)))
                    || (length == 4 && (codePoint < 0x10000 || codePoint > 0x10FFFF))) {
                return -1;
            }
            at += length;
        }
        return count;
    }
}
