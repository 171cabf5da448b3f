package io.paimon.realtime.trino.block;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;

import io.paimon.realtime.trino.type.TimestampRange;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.columnar.ColumnVector;
import org.apache.paimon.data.columnar.TimestampColumnVector;

/**
 * Timestamps without and with time zone, cut to the digits of their type.
 */
final class TimestampAppenders
{
    private TimestampAppenders()
    {}

    private abstract static class ValueAppender extends ColumnAppender
    {
        private final Digits digits;

        ValueAppender(int precision)
        {
            this.digits = Digits.of(precision);
        }

        @Override
        final void appendValue(DataGetters row, int field, BlockBuilder out)
        {
            append(row.getTimestamp(field, digits.precision()), digits, out);
        }

        @Override
        final void appendValue(ColumnVector vector, int row, BlockBuilder out)
        {
            append(((TimestampColumnVector) vector).getTimestamp(row, digits.precision()), digits, out);
        }

        abstract void append(Timestamp value, Digits digits, BlockBuilder out);
    }

    static final class TimestampAppender extends ValueAppender
    {
        private final TimestampType type;

        TimestampAppender(TimestampType type, int precision)
        {
            super(precision);
            this.type = type;
        }

        @Override
        void append(Timestamp value, Digits digits, BlockBuilder out)
        {
            long millis = digits.millis(value);
            int nanos = digits.nanosOfMilli(value);
            long micros = TimestampRange.micros(millis, nanos / NANOSECONDS_PER_MICROSECOND);
            if (type.isShort()) {
                type.writeLong(out, micros);
            }
            else {
                type.writeObject(out, new LongTimestamp(micros, (nanos % NANOSECONDS_PER_MICROSECOND) * PICOSECONDS_PER_NANOSECOND));
            }
        }
    }

    static final class InstantAppender extends ValueAppender
    {
        private final TimestampWithTimeZoneType type;

        InstantAppender(TimestampWithTimeZoneType type, int precision)
        {
            super(precision);
            this.type = type;
        }

        @Override
        void append(Timestamp value, Digits digits, BlockBuilder out)
        {
            long millis = digits.millis(value);
            if (type.isShort()) {
                type.writeLong(out, packDateTimeWithZone(TimestampRange.checkZoned(millis), UTC_KEY));
            }
            else {
                int nanos = digits.nanosOfMilli(value);
                type.writeObject(out, LongTimestampWithTimeZone.fromEpochMillisAndFraction(TimestampRange.checkZoned(millis),
                        nanos * PICOSECONDS_PER_NANOSECOND, UTC_KEY));
            }
        }
    }

    /**
     * Cuts timestamps to a precision.
     *
     * @param millisUnit what a number of milliseconds is a multiple of in this precision
     * @param nanosUnit what a number of nanoseconds in a millisecond is a multiple of
     */
    private record Digits(int precision, int millisUnit, int nanosUnit)
    {
        static Digits of(int precision)
        {
            int millisUnit = switch (precision) {
                case 0 -> 1000;
                case 1 -> 100;
                case 2 -> 10;
                default -> 1;
            };
            int nanosUnit = switch (precision) {
                case 0, 1, 2, 3 -> 1_000_000;
                case 4 -> 100_000;
                case 5 -> 10_000;
                case 6 -> 1_000;
                case 7 -> 100;
                case 8 -> 10;
                default -> 1;
            };
            return new Digits(precision, millisUnit, nanosUnit);
        }

        long millis(Timestamp value)
        {
            long millis = value.getMillisecond();
            return millis - Math.floorMod(millis, millisUnit);
        }

        int nanosOfMilli(Timestamp value)
        {
            int nanos = value.getNanoOfMillisecond();
            return nanos - nanos % nanosUnit;
        }
    }
}
