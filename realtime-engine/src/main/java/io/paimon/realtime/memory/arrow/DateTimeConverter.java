package io.paimon.realtime.memory.arrow;

import java.util.function.IntToLongFunction;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;

/**
 * Dates and times of day in other units. Whole days are what Paimon stores of a date, milliseconds of a time.
 */
final class DateTimeConverter
{
    private static final long MILLIS_PER_DAY = 24 * 60 * 60 * 1000L;

    private DateTimeConverter()
    {}

    static FieldVector toDates(Conversion conversion)
    {
        if (!(conversion.source() instanceof DateMilliVector dates)) {
            throw conversion.mismatch();
        }
        return conversion.fixedWidth((index, buffer) -> {
            long millis = dates.get(index);
            long day = Math.floorDiv(millis, MILLIS_PER_DAY);
            if (day * MILLIS_PER_DAY != millis || day != (int) day) {
                throw conversion.place().bad(index, "%s milliseconds are no date".formatted(millis));
            }
            buffer.setInt(4L * index, (int) day);
        });
    }

    /** Fractions finer than a millisecond are cut off. */
    static FieldVector toTimes(Conversion conversion)
    {
        IntToLongFunction millis = switch (conversion.source()) {
            case TimeSecVector times -> index -> times.get(index) * 1000L;
            case TimeMicroVector times -> index -> Math.floorDiv(times.get(index), 1000L);
            case TimeNanoVector times -> index -> Math.floorDiv(times.get(index), 1_000_000L);
            default -> throw conversion.mismatch();
        };
        return conversion.fixedWidth((index, buffer) -> {
            long time = millis.applyAsLong(index);
            if (time < 0 || time >= MILLIS_PER_DAY) {
                throw conversion.place().bad(index, "%s milliseconds are no time of day".formatted(time));
            }
            buffer.setInt(4L * index, (int) time);
        });
    }
}
