package io.paimon.realtime.memory.arrow;

import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;

/**
 * Timestamps in other units or with more digits than the type holds: those are cut off towards the past, as Paimon's file formats do.
 */
final class TimestampConverter
{
    /** Where the nanoseconds of a wide timestamp follow its milliseconds. */
    private static final int NANOS_OFFSET = Long.BYTES;

    private TimestampConverter()
    {}

    /** Whether a canonical vector of timestamps holds more digits than the type. */
    static boolean mustTruncate(FieldVector source, DataType type)
    {
        int precision = ArrowSchemas.timestampPrecision(type);
        if (precision == 3 || precision == 6 || precision == 9) {
            return false;
        }
        long unit = truncationUnit(precision);
        boolean wide = precision > 6;
        for (int i = 0; i < source.getValueCount(); i++) {
            long value = wide
                    ? source.getDataBuffer().getInt((long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * i + NANOS_OFFSET)
                    : source.getDataBuffer().getLong(8L * i);
            if (value % unit != 0 && !source.isNull(i)) {
                return true;
            }
        }
        return false;
    }

    static FieldVector toTimestamps(Conversion conversion)
    {
        int precision = ArrowSchemas.timestampPrecision(conversion.type());
        long unit = truncationUnit(precision);
        if (conversion.source() instanceof FixedSizeBinaryVector wide && precision > 6 && wide.getByteWidth() == ArrowSchemas.WIDE_TIMESTAMP_BYTES) {
            return truncateWide(wide, unit, conversion);
        }
        boolean zoned = conversion.type().getTypeRoot() == DataTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
        if (!(conversion.source() instanceof TimeStampVector timestamps)
                || !(timestamps.getField().getType() instanceof ArrowType.Timestamp sent)
                || (sent.getTimezone() != null) != zoned) {
            throw conversion.mismatch();
        }
        return precision > 6
                ? toWide(timestamps, sent.getUnit(), unit, conversion)
                : toLongs(timestamps, perSecond(sent.getUnit()), precision <= 3 ? 1000 : 1_000_000, unit, conversion);
    }

    private static FieldVector truncateWide(FixedSizeBinaryVector timestamps, long unit, Conversion conversion)
    {
        return conversion.fixedWidth((index, buffer) -> {
            long position = (long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * index;
            int nanos = timestamps.getDataBuffer().getInt(position + NANOS_OFFSET);
            buffer.setLong(position, timestamps.getDataBuffer().getLong(position));
            // damaged values stay as they are for the validation to find
            buffer.setInt(position + NANOS_OFFSET, nanos - (int) (nanos % unit));
        });
    }

    /** Milliseconds and nanoseconds of the millisecond, these as multiples of the unit. */
    private static FieldVector toWide(TimeStampVector timestamps, TimeUnit sent, long unit, Conversion conversion)
    {
        long perMilli = Math.max(1, perSecond(sent) / 1000);
        return conversion.fixedWidth((index, buffer) -> {
            long value = timestamps.get(index);
            long millis = sent == TimeUnit.SECOND ? multiply(value, 1000, index, conversion.place()) : Math.floorDiv(value, perMilli);
            long nanos = Math.floorMod(value, perMilli) * (1_000_000 / perMilli);
            long position = (long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * index;
            buffer.setLong(position, millis);
            buffer.setInt(position + NANOS_OFFSET, (int) (nanos - nanos % unit));
        });
    }

    /** Multiples of the unit, in fractions of a second. */
    private static FieldVector toLongs(TimeStampVector timestamps, long sentPerSecond, long wantedPerSecond, long unit, Conversion conversion)
    {
        return conversion.fixedWidth((index, buffer) -> {
            long value = timestamps.get(index);
            long scaled = sentPerSecond <= wantedPerSecond
                    ? multiply(value, wantedPerSecond / sentPerSecond, index, conversion.place())
                    : Math.floorDiv(value, sentPerSecond / wantedPerSecond);
            buffer.setLong(8L * index, scaled - Math.floorMod(scaled, unit));
        });
    }

    /** Multiples of this many milliseconds (precision up to 3), microseconds (up to 6) or nanoseconds are what the precision holds. */
    private static long truncationUnit(int precision)
    {
        return switch (precision % 3) {
            case 0 -> precision == 0 ? 1000 : 1;
            case 1 -> 100;
            default -> 10;
        };
    }

    private static long perSecond(TimeUnit unit)
    {
        return switch (unit) {
            case SECOND -> 1;
            case MILLISECOND -> 1000;
            case MICROSECOND -> 1_000_000;
            case NANOSECOND -> 1_000_000_000;
        };
    }

    private static long multiply(long value, long factor, int index, Place place)
    {
        if (Math.multiplyHigh(value, factor) != (value * factor) >> 63) {
            throw place.bad(index, "a timestamp out of range");
        }
        return value * factor;
    }
}
