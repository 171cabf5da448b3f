package io.paimon.realtime.memory.arrow;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.RowType;

/**
 * Brings one vector of a client, of any shape, into the canonical form of a type, and checks its values. Vectors that are canonical already share their buffers; other shapes
 * of the same values (dictionaries, views, large and fixed-size lists, runs) are gathered; other types are converted value by value.
 *
 * <p>Sources are never changed. Nothing of a refused vector is kept.
 */
final class VectorConverter
{
    private static final long MILLIS_PER_DAY = 24 * 60 * 60 * 1000L;

    private static final ArrowType DOUBLE = new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);

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
        return checked(source, type, target, place);
    }

    /** Converts a vector whose layout is checked, all its children included. */
    private FieldVector checked(FieldVector source, DataType type, Field target, Place place)
    {
        FieldVector vector = shaped(source, type, target, place);
        try {
            VectorValidator.validate(vector, type, place);
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    private FieldVector shaped(FieldVector source, DataType type, Field target, Place place)
    {
        DictionaryEncoding encoding = source.getField().getDictionary();
        if (encoding != null) {
            return decodeDictionary(source, encoding, type, target, place);
        }
        return switch (source) {
            case NullVector _ -> VectorGather.nulls(target, source.getValueCount(), allocator);
            case ExtensionTypeVector<?> extension -> shaped((FieldVector) extension.getUnderlyingVector(), type, target, place);
            case RunEndEncodedVector runs -> decodeRuns(runs, type, target, place);
            default -> switch (type.getTypeRoot()) {
                case ARRAY -> convertList(source, (ArrayType) type, target, place);
                case MAP, MULTISET -> convertMap(source, type, target, place);
                case ROW -> convertRow(source, (RowType) type, target, place);
                default -> convertFlat(source, type, target, place);
            };
        };
    }

    private FieldVector decodeDictionary(FieldVector indices, DictionaryEncoding encoding, DataType type, Field target, Place place)
    {
        Dictionary dictionary = dictionaries.lookup(encoding.getId());
        if (dictionary == null) {
            throw place.bad("dictionary %s was not sent".formatted(encoding.getId()));
        }
        if (!(indices instanceof BaseIntVector ints)) {
            throw place.bad("dictionary indices must be integers, not %s".formatted(indices.getField().getType()));
        }
        FieldVector values = dictionary.getVector();
        int[] positions = new int[indices.getValueCount()];
        int[] owners = Place.noOwners(values.getValueCount());
        for (int i = 0; i < positions.length; i++) {
            positions[i] = -1;
            if (isValue(indices, i, place)) {
                long index = ints.getValueAsLong(i);
                if (index < 0 || index >= owners.length) {
                    throw place.bad(i, "dictionary index %s of %s".formatted(index, owners.length));
                }
                positions[i] = (int) index;
                if (owners[positions[i]] < 0) {
                    owners[positions[i]] = i;
                }
            }
        }
        return gatherValues(values, positions, owners, type, target, place);
    }

    private FieldVector decodeRuns(RunEndEncodedVector runs, DataType type, Field target, Place place)
    {
        FieldVector ends = runs.getRunEndsVector();
        int[] positions = new int[runs.getValueCount()];
        int[] owners = Place.noOwners(runs.getValuesVector().getValueCount());
        int run = 0;
        for (int i = 0; i < positions.length; i++) {
            while (VectorLayout.runEnd(ends, run) <= i) {
                run++;
            }
            positions[i] = run;
            if (owners[run] < 0 && place.isLive(i)) {
                owners[run] = i;
            }
        }
        return gatherValues(runs.getValuesVector(), positions, owners, type, target, place);
    }

    private FieldVector gatherValues(FieldVector values, int[] positions, int[] owners, DataType type, Field target, Place place)
    {
        try (FieldVector canonical = convert(values, type.nullable(), target, place.child("", () -> owners))) {
            return VectorGather.gatherNullable(target, canonical, positions, allocator);
        }
    }

    private FieldVector convertList(FieldVector source, ArrayType type, Field target, Place place)
    {
        Field element = target.getChildren().getFirst();
        if (source instanceof ListVector list && !(source instanceof MapVector)) {
            Place elements = place.child(".element", () -> listOwners(list));
            try (FieldVector child = checked(list.getDataVector(), type.getElementType(), element, elements)) {
                return VectorAssembly.withChildren(target, list, List.of(child), allocator);
            }
        }
        FieldVector values = switch (source) {
            case LargeListVector list -> list.getDataVector();
            case FixedSizeListVector list -> list.getDataVector();
            case ListViewVector list -> list.getDataVector();
            case LargeListViewVector list -> (FieldVector) list.getDataVector();
            default -> throw mismatch(source, type, place);
        };
        Slices slices = slices(source, place);
        Place elements = place.child(".element", () -> slices.owners(values.getValueCount()));
        int[] positions = slices.positions(place);
        List<ArrowBuf> buffers = new ArrayList<>();
        try (FieldVector child = checked(values, type.getElementType(), element, elements);
                FieldVector gathered = VectorGather.gather(element, child, Positions.of(positions), allocator)) {
            int count = source.getValueCount();
            int nullCount = slices.write(buffers, allocator);
            return VectorAssembly.assemble(target, count, nullCount, buffers, List.of(gathered), allocator);
        }
        finally {
            buffers.forEach(ArrowBuf::close);
        }
    }

    private static Slices slices(FieldVector source, Place place)
    {
        int count = source.getValueCount();
        int[] starts = new int[count];
        int[] sizes = new int[count];
        Arrays.fill(sizes, -1);
        for (int i = 0; i < count; i++) {
            if (!isValue(source, i, place)) {
                continue;
            }
            switch (source) {
                case LargeListVector list -> {
                    starts[i] = (int) list.getOffsetBuffer().getLong(8L * i);
                    sizes[i] = (int) list.getOffsetBuffer().getLong(8L * (i + 1)) - starts[i];
                }
                case FixedSizeListVector list -> {
                    starts[i] = i * list.getListSize();
                    sizes[i] = list.getListSize();
                }
                case ListViewVector list -> {
                    starts[i] = list.getOffsetBuffer().getInt(4L * i);
                    sizes[i] = list.getSizeBuffer().getInt(4L * i);
                }
                case LargeListViewVector list -> {
                    starts[i] = (int) list.getOffsetBuffer().getLong(8L * i);
                    sizes[i] = (int) list.getSizeBuffer().getLong(8L * i);
                }
                default -> throw new IllegalArgumentException("Not a list: " + source.getField());
            }
        }
        return new Slices(starts, sizes);
    }

    private FieldVector convertMap(FieldVector source, DataType type, Field target, Place place)
    {
        if (!(source instanceof MapVector map) || map.getDataVector().getField().getDictionary() != null) {
            throw mismatch(source, type, place);
        }
        StructVector entries = (StructVector) map.getDataVector();
        List<Field> fields = target.getChildren().getFirst().getChildren();
        Place entryPlace = place.child("", () -> listOwners(map));
        Place fieldPlace = entryPlace.child("", () -> structOwners(entries));
        List<FieldVector> sources = entries.getChildrenFromFields();
        try (FieldVector keys = checked(sources.get(0), ArrowSchemas.mapKeyType(type).notNull(), fields.get(0),
                fieldPlace.child(".key", () -> all(entries)));
                FieldVector values = checked(sources.get(1), ArrowSchemas.mapValueType(type), fields.get(1),
                        fieldPlace.child(".value", () -> all(entries)));
                FieldVector struct = VectorAssembly.withChildren(target.getChildren().getFirst(), entries, List.of(keys, values), allocator)) {
            return VectorAssembly.withChildren(target, map, List.of(struct), allocator);
        }
    }

    private FieldVector convertRow(FieldVector source, RowType type, Field target, Place place)
    {
        if (!(source instanceof StructVector struct)) {
            throw mismatch(source, type, place);
        }
        Set<FieldVector> used = new HashSet<>();
        List<FieldVector> children = new ArrayList<>();
        try {
            for (int i = 0; i < type.getFieldCount(); i++) {
                DataField field = type.getFields().get(i);
                Place fieldPlace = place.child("." + field.name(), () -> structOwners(struct));
                FieldVector child = findField(struct, field.name(), fieldPlace);
                if (child == null) {
                    if (!field.type().isNullable()) {
                        throw fieldPlace.bad("a NOT NULL field is missing");
                    }
                    children.add(VectorGather.nulls(target.getChildren().get(i), struct.getValueCount(), allocator));
                }
                else if (!used.add(child)) {
                    throw fieldPlace.bad("two fields of the type take their values from the field %s".formatted(child.getName()));
                }
                else {
                    children.add(checked(child, field.type(), target.getChildren().get(i), fieldPlace));
                }
            }
            for (FieldVector child : struct.getChildrenFromFields()) {
                if (!used.contains(child)) {
                    throw place.bad("the type %s has no field %s".formatted(type.asSQLString(), child.getName()));
                }
            }
            return VectorAssembly.withChildren(target, struct, children, allocator);
        }
        finally {
            children.forEach(FieldVector::close);
        }
    }

    private static FieldVector findField(StructVector struct, String name, Place place)
    {
        FieldVector found = null;
        for (FieldVector child : struct.getChildrenFromFields()) {
            if (child.getName().equals(name)) {
                return child;
            }
            if (child.getName().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                if (found != null) {
                    throw place.bad("sent twice, as %s and %s".formatted(found.getName(), child.getName()));
                }
                found = child;
            }
        }
        return found;
    }

    private FieldVector convertFlat(FieldVector source, DataType type, Field target, Place place)
    {
        ArrowType from = source.getField().getType();
        boolean timestamp = switch (type.getTypeRoot()) {
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> true;
            default -> false;
        };
        if (isCanonical(from, target.getType()) && (!timestamp || !mustTruncate(source, type))) {
            return VectorAssembly.share(target, source, allocator);
        }
        return switch (type.getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> convertInts(source, type, target, place);
            case FLOAT, DOUBLE -> convertFloats(source, type, target, place);
            case DECIMAL -> convertDecimals(source, type, target, place);
            case CHAR, VARCHAR, BINARY, VARBINARY -> convertBytes(source, type, target, place);
            case DATE -> {
                if (!(source instanceof DateMilliVector dates)) {
                    throw mismatch(source, type, place);
                }
                yield fixedWidth(source, target, place, (index, buffer) -> {
                    long millis = dates.get(index);
                    long day = Math.floorDiv(millis, MILLIS_PER_DAY);
                    if (day * MILLIS_PER_DAY != millis || day != (int) day) {
                        throw place.bad(index, "%s milliseconds are no date".formatted(millis));
                    }
                    buffer.setInt(4L * index, (int) day);
                });
            }
            case TIME_WITHOUT_TIME_ZONE -> convertTimes(source, type, target, place);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> convertTimestamps(source, type, target, place);
            default -> throw mismatch(source, type, place);
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

    private FieldVector convertInts(FieldVector source, DataType type, Field target, Place place)
    {
        int width = ((ArrowType.Int) target.getType()).getBitWidth();
        if (!(source instanceof BaseIntVector ints) || ((ArrowType.Int) source.getField().getType()).getBitWidth() > width) {
            throw mismatch(source, type, place);
        }
        boolean signed = ((ArrowType.Int) source.getField().getType()).getIsSigned();
        long max = Long.MAX_VALUE >> (64 - width);
        return fixedWidth(source, target, place, (index, buffer) -> {
            long value = ints.getValueAsLong(index);
            if (!signed && (value < 0 || value > max)) {
                throw place.bad(index, "%s does not fit %s".formatted(Long.toUnsignedString(value), type.copy(true).asSQLString()));
            }
            switch (width) {
                case 8 -> buffer.setByte(index, (byte) value);
                case 16 -> buffer.setShort(2L * index, (short) value);
                case 32 -> buffer.setInt(4L * index, (int) value);
                default -> buffer.setLong(8L * index, value);
            }
        });
    }

    private FieldVector convertFloats(FieldVector source, DataType type, Field target, Place place)
    {
        boolean toDouble = target.getType().equals(DOUBLE);
        IntToDouble values = switch (source) {
            case Float2Vector floats -> floats::getValueAsFloat;
            case Float4Vector floats -> floats::get;
            // integers that every floating point number of the width holds exactly
            case BaseIntVector ints when ((ArrowType.Int) source.getField().getType()).getBitWidth() <= (toDouble ? 32 : 16) -> ints::getValueAsLong;
            default -> throw mismatch(source, type, place);
        };
        return fixedWidth(source, target, place, (index, buffer) -> {
            if (toDouble) {
                buffer.setDouble(8L * index, values.get(index));
            }
            else {
                buffer.setFloat(4L * index, (float) values.get(index));
            }
        });
    }

    private FieldVector convertDecimals(FieldVector source, DataType type, Field target, Place place)
    {
        ArrowType.Decimal decimal = (ArrowType.Decimal) target.getType();
        IntFunction<BigDecimal> values = switch (source) {
            case DecimalVector decimals -> decimals::getObject;
            case Decimal256Vector decimals -> decimals::getObject;
            case BaseIntVector ints -> {
                boolean unsigned = !((ArrowType.Int) source.getField().getType()).getIsSigned();
                yield index -> unsigned
                        ? new BigDecimal(Long.toUnsignedString(ints.getValueAsLong(index)))
                        : BigDecimal.valueOf(ints.getValueAsLong(index));
            }
            default -> throw mismatch(source, type, place);
        };
        FieldVector vector = target.createVector(allocator);
        try {
            DecimalVector decimals = (DecimalVector) vector;
            decimals.allocateNew(source.getValueCount());
            for (int i = 0; i < source.getValueCount(); i++) {
                if (isValue(source, i, place)) {
                    BigDecimal value = values.apply(i);
                    BigDecimal scaled = value.stripTrailingZeros();
                    if (scaled.scale() > decimal.getScale() || scaled.precision() - scaled.scale() > decimal.getPrecision() - decimal.getScale()
                            && scaled.signum() != 0) {
                        throw place.bad(i, "%s does not fit %s".formatted(value.toPlainString(), type.copy(true).asSQLString()));
                    }
                    decimals.set(i, scaled.setScale(decimal.getScale(), RoundingMode.UNNECESSARY));
                }
            }
            vector.setValueCount(source.getValueCount());
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    private FieldVector convertBytes(FieldVector source, DataType type, Field target, Place place)
    {
        boolean text = target.getType().equals(ArrowType.Utf8.INSTANCE);
        IntFunction<byte[]> values = switch (source) {
            case LargeVarCharVector strings when text -> strings::get;
            case ViewVarCharVector strings when text -> strings::get;
            case LargeVarBinaryVector bytes when !text -> bytes::get;
            case ViewVarBinaryVector bytes when !text -> bytes::get;
            case FixedSizeBinaryVector bytes when !text -> bytes::get;
            default -> throw mismatch(source, type, place);
        };
        FieldVector vector = target.createVector(allocator);
        try {
            BaseVariableWidthVector bytes = (BaseVariableWidthVector) vector;
            bytes.allocateNew(source.getValueCount());
            for (int i = 0; i < source.getValueCount(); i++) {
                if (isValue(source, i, place)) {
                    bytes.setSafe(i, values.apply(i));
                }
            }
            bytes.setValueCount(source.getValueCount());
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    /** Milliseconds are what Paimon stores of a time: finer fractions are cut off. */
    private FieldVector convertTimes(FieldVector source, DataType type, Field target, Place place)
    {
        IntToLongFunction millis = switch (source) {
            case TimeSecVector times -> index -> times.get(index) * 1000L;
            case TimeMicroVector times -> index -> Math.floorDiv(times.get(index), 1000L);
            case TimeNanoVector times -> index -> Math.floorDiv(times.get(index), 1_000_000L);
            default -> throw mismatch(source, type, place);
        };
        return fixedWidth(source, target, place, (index, buffer) -> {
            long time = millis.applyAsLong(index);
            if (time < 0 || time >= MILLIS_PER_DAY) {
                throw place.bad(index, "%s milliseconds are no time of day".formatted(time));
            }
            buffer.setInt(4L * index, (int) time);
        });
    }

    /** Whether a canonical vector of timestamps holds more digits than the type. */
    private static boolean mustTruncate(FieldVector source, DataType type)
    {
        int precision = ArrowSchemas.timestampPrecision(type);
        if (precision == 3 || precision == 6 || precision == 9) {
            return false;
        }
        long unit = truncationUnit(precision);
        boolean wide = precision > 6;
        for (int i = 0; i < source.getValueCount(); i++) {
            long value = wide
                    ? source.getDataBuffer().getInt((long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * i + 8)
                    : source.getDataBuffer().getLong(8L * i);
            if (value % unit != 0 && !source.isNull(i)) {
                return true;
            }
        }
        return false;
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

    /** Digits that the precision does not hold are cut off towards the past, as Paimon's file formats do. */
    private FieldVector convertTimestamps(FieldVector source, DataType type, Field target, Place place)
    {
        int precision = ArrowSchemas.timestampPrecision(type);
        long unit = truncationUnit(precision);
        if (source instanceof FixedSizeBinaryVector timestamps && precision > 6 && timestamps.getByteWidth() == ArrowSchemas.WIDE_TIMESTAMP_BYTES) {
            return fixedWidth(source, target, place, (index, buffer) -> {
                long position = (long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * index;
                int nanos = timestamps.getDataBuffer().getInt(position + 8);
                buffer.setLong(position, timestamps.getDataBuffer().getLong(position));
                // damaged values stay as they are for the validation to find
                buffer.setInt(position + 8, nanos - (int) (nanos % unit));
            });
        }
        boolean zoned = type.getTypeRoot() == DataTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
        if (!(source instanceof TimeStampVector timestamps) || !(source.getField().getType() instanceof ArrowType.Timestamp sent)
                || (sent.getTimezone() != null) != zoned) {
            throw mismatch(source, type, place);
        }
        return fixedWidth(source, target, place, (index, buffer) -> {
            long value = timestamps.get(index);
            if (precision > 6) {
                long perMilli = Math.max(1, perSecond(sent.getUnit()) / 1000);
                long millis = sent.getUnit() == TimeUnit.SECOND ? multiply(value, 1000, index, place) : Math.floorDiv(value, perMilli);
                long nanos = Math.floorMod(value, perMilli) * (1_000_000 / perMilli);
                long position = (long) ArrowSchemas.WIDE_TIMESTAMP_BYTES * index;
                buffer.setLong(position, millis);
                buffer.setInt(position + 8, (int) (nanos - nanos % unit));
                return;
            }
            long wanted = precision <= 3 ? 1000 : 1_000_000;
            long from = perSecond(sent.getUnit());
            long scaled = from <= wanted ? multiply(value, wanted / from, index, place) : Math.floorDiv(value, from / wanted);
            buffer.setLong(8L * index, scaled - Math.floorMod(scaled, unit));
        });
    }

    private static long multiply(long value, long factor, int index, Place place)
    {
        if (Math.multiplyHigh(value, factor) != (value * factor) >> 63) {
            throw place.bad(index, "a timestamp out of range");
        }
        return value * factor;
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

    private FieldVector fixedWidth(FieldVector source, Field target, Place place, ValueConversion conversion)
    {
        FieldVector vector = target.createVector(allocator);
        try {
            int count = source.getValueCount();
            ((BaseFixedWidthVector) vector).allocateNew(count);
            ((BaseFixedWidthVector) vector).zeroVector();
            for (int i = 0; i < count; i++) {
                if (isValue(source, i, place)) {
                    BitVectorHelper.setBit(vector.getValidityBuffer(), i);
                    conversion.convert(i, vector.getDataBuffer());
                }
            }
            vector.setValueCount(count);
            return vector;
        }
        catch (Throwable t) {
            vector.close();
            throw t;
        }
    }

    private static boolean isValue(FieldVector source, int index, Place place)
    {
        return !source.isNull(index) && place.isLive(index);
    }

    private static RuntimeException mismatch(FieldVector source, DataType type, Place place)
    {
        return place
                .bad("the Arrow type %s cannot be taken for %s without loss".formatted(source.getField().getType(), type.copy(true).asSQLString()));
    }

    private static int[] listOwners(ListVector list)
    {
        int[] owners = Place.noOwners(list.getDataVector().getValueCount());
        for (int i = 0; i < list.getValueCount(); i++) {
            if (!list.isNull(i)) {
                Arrays.fill(owners, list.getElementStartIndex(i), list.getElementEndIndex(i), i);
            }
        }
        return owners;
    }

    private static int[] structOwners(StructVector struct)
    {
        int[] owners = all(struct);
        if (struct.getNullCount() > 0) {
            for (int i = 0; i < owners.length; i++) {
                owners[i] = struct.isNull(i) ? -1 : i;
            }
        }
        return owners;
    }

    private static int[] all(FieldVector vector)
    {
        int[] owners = new int[vector.getValueCount()];
        Arrays.setAll(owners, i -> i);
        return owners;
    }

    @FunctionalInterface
    private interface ValueConversion
    {
        void convert(int index, ArrowBuf target);
    }

    @FunctionalInterface
    private interface IntToDouble
    {
        double get(int index);
    }

    /** The lists of a vector as slices of its elements; size -1 stands for NULL. */
    private record Slices(int[] starts, int[] sizes)
    {
        int[] owners(int elements)
        {
            int[] owners = Place.noOwners(elements);
            for (int i = 0; i < sizes.length; i++) {
                if (sizes[i] > 0) {
                    Arrays.fill(owners, starts[i], starts[i] + sizes[i], i);
                }
            }
            return owners;
        }

        int[] positions(Place place)
        {
            long total = 0;
            for (int size : sizes) {
                total += Math.max(size, 0);
            }
            if (total > Integer.MAX_VALUE - 64) {
                throw place.bad("more elements than one batch can hold");
            }
            int[] positions = new int[(int) total];
            int at = 0;
            for (int i = 0; i < sizes.length; i++) {
                for (int k = 0; k < sizes[i]; k++) {
                    positions[at++] = starts[i] + k;
                }
            }
            return positions;
        }

        /** Adds the validity and offsets buffers of a list vector, which the caller frees; returns the number of NULLs. */
        int write(List<ArrowBuf> buffers, BufferAllocator allocator)
        {
            ArrowBuf validity = allocator.buffer(Bits.bytes(sizes.length));
            buffers.add(validity);
            validity.setZero(0, validity.capacity());
            ArrowBuf offsets = allocator.buffer(4L * (sizes.length + 1));
            buffers.add(offsets);
            int nulls = 0;
            int end = 0;
            offsets.setInt(0, 0);
            for (int i = 0; i < sizes.length; i++) {
                if (sizes[i] < 0) {
                    nulls++;
                }
                else {
                    BitVectorHelper.setBit(validity, i);
                    end += sizes[i];
                }
                offsets.setInt(4L * (i + 1), end);
            }
            return nulls;
        }
    }
}
