package io.paimon.realtime.trino.arrow;

import static io.paimon.realtime.trino.arrow.ArrowValidity.isValid;
import static io.trino.spi.block.Fixed12Block.encodeFixed12;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;
import static org.apache.arrow.memory.util.MemoryUtil.getLong;

import io.paimon.realtime.memory.arrow.ArrowSchemas;
import io.paimon.realtime.trino.type.TimestampRange;
import io.trino.spi.block.Block;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.LongArrayBlock;
import java.util.Optional;
import org.apache.arrow.vector.FieldVector;

/**
 * Times of day and timestamps into the units of Trino. What lies under a NULL is not looked at: it may be out of range.
 */
final class ArrowTimestamps
{
    private static final int NANOS_PER_MICRO = 1_000;
    private static final int MICROS_PER_MILLI = 1_000;
    private static final int PICOS_PER_NANO = 1_000;
    private static final int PICOS_PER_MICRO = 1_000_000;
    private static final long PICOS_PER_MILLI = 1_000_000_000;
    /** Ints in an element of a block of values of 12 bytes. */
    private static final int FIXED12_INTS = 3;

    private ArrowTimestamps()
    {}

    /** Milliseconds of the day into picoseconds. */
    static Block timesOfMillis(FieldVector times, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        long address = times.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                values[i] = getInt(address + (long) rows.get(i) * Integer.BYTES) * PICOS_PER_MILLI;
            }
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    /** Milliseconds into microseconds. */
    static Block timestampsOfMillis(FieldVector millis, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        long address = millis.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                values[i] = TimestampRange.micros(getLong(address + (long) rows.get(i) * Long.BYTES), 0);
            }
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    /** Milliseconds and nanoseconds of the millisecond into microseconds and picoseconds of the microsecond. */
    static Block wideTimestamps(FieldVector wide, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        int[] values = new int[count * FIXED12_INTS];
        long address = wide.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                long position = address + (long) rows.get(i) * ArrowSchemas.WIDE_TIMESTAMP_BYTES;
                int nanos = getInt(position + Long.BYTES);
                long micros = TimestampRange.micros(getLong(position), nanos / NANOS_PER_MICRO);
                encodeFixed12(micros, nanos % NANOS_PER_MICRO * PICOS_PER_NANO, values, i);
            }
        }
        return new Fixed12Block(count, Optional.ofNullable(validity), values);
    }

    /** Milliseconds into milliseconds packed with UTC. */
    static Block instantsOfMillis(FieldVector millis, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        long[] values = new long[count];
        long address = millis.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                values[i] = inUtc(getLong(address + (long) rows.get(i) * Long.BYTES));
            }
        }
        return new LongArrayBlock(count, Optional.ofNullable(validity), values);
    }

    /** Microseconds into milliseconds packed with UTC and picoseconds of the millisecond. */
    static Block instantsOfMicros(FieldVector micros, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        int[] values = new int[count * FIXED12_INTS];
        long address = micros.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                long value = getLong(address + (long) rows.get(i) * Long.BYTES);
                encodeFixed12(inUtc(floorDiv(value, MICROS_PER_MILLI)), floorMod(value, MICROS_PER_MILLI) * PICOS_PER_MICRO, values, i);
            }
        }
        return new Fixed12Block(count, Optional.ofNullable(validity), values);
    }

    /** Milliseconds and nanoseconds of the millisecond into milliseconds packed with UTC and picoseconds of the millisecond. */
    static Block wideInstants(FieldVector wide, ArrowRows rows, long[] validity)
    {
        int count = rows.count();
        int[] values = new int[count * FIXED12_INTS];
        long address = wide.getDataBufferAddress();
        for (int i = 0; i < count; i++) {
            if (isValid(validity, i)) {
                long position = address + (long) rows.get(i) * ArrowSchemas.WIDE_TIMESTAMP_BYTES;
                encodeFixed12(inUtc(getLong(position)), getInt(position + Long.BYTES) * PICOS_PER_NANO, values, i);
            }
        }
        return new Fixed12Block(count, Optional.ofNullable(validity), values);
    }

    private static long inUtc(long epochMillis)
    {
        return packDateTimeWithZone(TimestampRange.checkZoned(epochMillis), UTC_KEY);
    }
}
