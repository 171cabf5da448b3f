package io.paimon.realtime.tools.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Puts Java values into Arrow vectors, exactly or not at all: a number that does not fit, a fraction that would be cut or a text that is no date is refused. Takes
 * Boolean, Number, String, byte[], java.time values, List and Map (of a row's fields by name, or of a map's entries); binary values in text are Base64.
 */
public final class VectorWriter
{
    private static final DateTimeFormatter DATE_TIME = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern("['T'][' ']")
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalStart()
            .appendLiteral(' ')
            .optionalEnd()
            .optionalStart()
            .appendOffsetId()
            .optionalEnd()
            .toFormatter();

    private VectorWriter()
    {}

    /**
     * @param value null writes NULL
     * @throws IllegalArgumentException or ArithmeticException or java.time.DateTimeException if the value does not fit the vector
     */
    public static void set(FieldVector vector, int index, Object value)
    {
        if (value == null) {
            vector.setNull(index);
            return;
        }
        switch (vector) {
            case BitVector bits -> bits.setSafe(index, bool(value) ? 1 : 0);
            case TinyIntVector numbers -> numbers.setSafe(index, decimal(value).byteValueExact());
            case SmallIntVector numbers -> numbers.setSafe(index, decimal(value).shortValueExact());
            case IntVector numbers -> numbers.setSafe(index, value instanceof Integer number ? number : decimal(value).intValueExact());
            case BigIntVector numbers -> numbers.setSafe(index,
                    value instanceof Long || value instanceof Integer ? ((Number) value).longValue() : decimal(value).longValueExact());
            case Float4Vector numbers -> numbers.setSafe(index, value instanceof Number number ? number.floatValue() : Float.parseFloat(text(value)));
            case Float8Vector numbers ->
                numbers.setSafe(index, value instanceof Number number ? number.doubleValue() : Double.parseDouble(text(value)));
            case DecimalVector numbers -> numbers.setSafe(index, scaled(value, numbers));
            case VarCharVector texts -> texts.setSafe(index, text(value).getBytes(UTF_8));
            case LargeVarCharVector texts -> texts.setSafe(index, text(value).getBytes(UTF_8));
            case VarBinaryVector bytes -> bytes.setSafe(index, binary(value));
            case LargeVarBinaryVector bytes -> bytes.setSafe(index, binary(value));
            case FixedSizeBinaryVector bytes -> bytes.setSafe(index, fixedBinary(value, bytes.getByteWidth()));
            case DateDayVector dates -> dates.setSafe(index, Math.toIntExact(date(value).toEpochDay()));
            case TimeSecVector times -> times.setSafe(index, Math.toIntExact(inUnits(time(value).toNanoOfDay(), 1_000_000_000)));
            case TimeMilliVector times -> times.setSafe(index, Math.toIntExact(inUnits(time(value).toNanoOfDay(), 1_000_000)));
            case TimeMicroVector times -> times.setSafe(index, inUnits(time(value).toNanoOfDay(), 1_000));
            case TimeNanoVector times -> times.setSafe(index, time(value).toNanoOfDay());
            case TimeStampVector times -> times.setSafe(index, timestamp(value, ((ArrowType.Timestamp) times.getField().getType())));
            case MapVector map -> setMap(map, index, value);
            case ListVector list -> setList(list, index, value);
            case StructVector row -> setRow(row, index, value);
            default ->
                throw new IllegalArgumentException("columns of type %s cannot be read from this kind of file".formatted(vector.getField().getType()));
        }
    }

    private static void setList(ListVector list, int index, Object value)
    {
        if (!(value instanceof List<?> elements)) {
            throw new IllegalArgumentException("not a list: " + value);
        }
        int position = list.startNewValue(index);
        for (Object element : elements) {
            set(list.getDataVector(), position, element);
            position++;
        }
        list.endValue(index, elements.size());
    }

    private static void setMap(MapVector map, int index, Object value)
    {
        if (!(value instanceof Map<?, ?> entries)) {
            throw new IllegalArgumentException("not a map: " + value);
        }
        StructVector pairs = (StructVector) map.getDataVector();
        int position = map.startNewValue(index);
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
            pairs.setIndexDefined(position);
            set((FieldVector) pairs.getChildByOrdinal(0), position, entry.getKey());
            set((FieldVector) pairs.getChildByOrdinal(1), position, entry.getValue());
            position++;
        }
        map.endValue(index, entries.size());
    }

    private static void setRow(StructVector row, int index, Object value)
    {
        if (!(value instanceof Map<?, ?> fields)) {
            throw new IllegalArgumentException("not a row: " + value);
        }
        row.setIndexDefined(index);
        for (FieldVector child : row.getChildrenFromFields()) {
            set(child, index, fields.get(child.getName()));
        }
    }

    private static boolean bool(Object value)
    {
        if (value instanceof Boolean bool) {
            return bool;
        }
        return switch (text(value)) {
            case "true", "TRUE", "True" -> true;
            case "false", "FALSE", "False" -> false;
            default -> throw new IllegalArgumentException("not true or false: " + value);
        };
    }

    private static BigDecimal decimal(Object value)
    {
        return switch (value) {
            case BigDecimal decimal -> decimal;
            case Long number -> BigDecimal.valueOf(number);
            case Integer number -> BigDecimal.valueOf(number);
            default -> {
                if (value instanceof Boolean) {
                    throw new IllegalArgumentException("not a number: " + value);
                }
                try {
                    yield new BigDecimal(text(value).trim());
                }
                catch (NumberFormatException e) {
                    throw new IllegalArgumentException("not a number: " + value, e);
                }
            }
        };
    }

    private static BigDecimal scaled(Object value, DecimalVector vector)
    {
        BigDecimal number = decimal(value).setScale(vector.getScale(), RoundingMode.UNNECESSARY);
        if (number.precision() > vector.getPrecision()) {
            throw new IllegalArgumentException("too large for decimal(%s, %s)".formatted(vector.getPrecision(), vector.getScale()));
        }
        return number;
    }

    private static String text(Object value)
    {
        return switch (value) {
            case String text -> text;
            case BigDecimal number -> number.toPlainString();
            case byte[] _,List<?> _,Map<?, ?> _ -> throw new IllegalArgumentException("not a text");
            default -> value.toString();
        };
    }

    private static byte[] binary(Object value)
    {
        return value instanceof byte[] bytes ? bytes : Base64.getDecoder().decode(text(value));
    }

    private static byte[] fixedBinary(Object value, int width)
    {
        byte[] bytes = binary(value);
        if (bytes.length != width) {
            throw new IllegalArgumentException("%s bytes, not %s".formatted(bytes.length, width));
        }
        return bytes;
    }

    private static LocalDate date(Object value)
    {
        return switch (value) {
            case LocalDate date -> date;
            case LocalDateTime time when time.toLocalTime().equals(LocalTime.MIDNIGHT) -> time.toLocalDate();
            default -> LocalDate.parse(text(value));
        };
    }

    private static LocalTime time(Object value)
    {
        return value instanceof LocalTime time ? time : LocalTime.parse(text(value));
    }

    private static long timestamp(Object value, ArrowType.Timestamp type)
    {
        Instant instant = switch (value) {
            case Instant time -> time;
            case LocalDateTime time -> time.toInstant(ZoneOffset.UTC);
            case LocalDate date -> date.atStartOfDay().toInstant(ZoneOffset.UTC);
            default -> instant(text(value), type.getTimezone() != null);
        };
        long unit = switch (type.getUnit()) {
            case SECOND -> 1;
            case MILLISECOND -> 1_000;
            case MICROSECOND -> 1_000_000;
            case NANOSECOND -> 1_000_000_000;
        };
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), unit), inUnits(instant.getNano(), 1_000_000_000 / unit));
    }

    /** A time with an offset is an instant; a time without one is of UTC. */
    private static Instant instant(String text, boolean zoned)
    {
        if (text.length() == 10) {
            return LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
        }
        return switch (DATE_TIME.parseBest(text, OffsetDateTime::from, LocalDateTime::from)) {
            case OffsetDateTime time when zoned -> time.toInstant();
            case OffsetDateTime time -> throw new DateTimeException("%s has an offset, the column has no time zone".formatted(time));
            case LocalDateTime time -> time.toInstant(ZoneOffset.UTC);
            case Object other -> throw new IllegalStateException("unexpected: " + other.getClass());
        };
    }

    private static long inUnits(long nanos, long unit)
    {
        if (nanos % unit != 0) {
            throw new IllegalArgumentException("finer than the column: a fraction of a second would be cut");
        }
        return nanos / unit;
    }
}
