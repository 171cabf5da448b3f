package io.paimon.realtime.memory.arrow;

import static org.apache.arrow.memory.util.MemoryUtil.getByte;
import static org.apache.arrow.memory.util.MemoryUtil.getInt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.predicate.Between;
import org.apache.paimon.predicate.CompoundPredicate;
import org.apache.paimon.predicate.Equal;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.FieldTransform;
import org.apache.paimon.predicate.GreaterOrEqual;
import org.apache.paimon.predicate.GreaterThan;
import org.apache.paimon.predicate.In;
import org.apache.paimon.predicate.IsNotNull;
import org.apache.paimon.predicate.IsNull;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.LessOrEqual;
import org.apache.paimon.predicate.LessThan;
import org.apache.paimon.predicate.NotBetween;
import org.apache.paimon.predicate.NotEqual;
import org.apache.paimon.predicate.NotIn;
import org.apache.paimon.predicate.Or;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Selects the rows of a batch that a predicate matches: exactly those for which {@link Predicate#test(org.apache.paimon.data.InternalRow)} is true. Comparisons of numbers, dates,
 * timestamps, short decimals and strings run over whole columns; everything else asks the predicate row by row.
 *
 * <p>Not thread-safe.
 */
final class RowSelector
{
    /** Rows that are tested together, so that what one test reads and leaves is still in the cache for the next. */
    private static final int WINDOW = 4096;

    private final RowType rowType;
    private final List<FieldVector> columns;
    private ArrowRowView row;
    private long[] values = new long[0];

    /**
     * @param columns of the row type the predicate speaks of; null where it is all NULL or not referred to
     */
    RowSelector(RowType rowType, List<FieldVector> columns)
    {
        this.rowType = rowType;
        this.columns = columns;
    }

    /** The positions, out of ascending ones, that match. */
    Positions select(Predicate predicate, Positions candidates)
    {
        Test test = compile(predicate);
        if (candidates.count() <= WINDOW) {
            return test.select(candidates);
        }
        int[] selected = new int[candidates.count()];
        int count = 0;
        for (int from = 0; from < candidates.count(); from += WINDOW) {
            Positions matched = test.select(candidates.slice(from, Math.min(WINDOW, candidates.count() - from)));
            matched.copyTo(selected, count);
            count += matched.count();
        }
        return new Positions(selected, 0, count);
    }

    private Test compile(Predicate predicate)
    {
        return switch (predicate) {
            case CompoundPredicate compound -> {
                List<Test> children = compound.children().stream().map(this::compile).toList();
                yield compound.function() instanceof Or
                        ? candidates -> selectAny(children, candidates)
                        : candidates -> selectAll(children, candidates);
            }
            case LeafPredicate leaf -> compileLeaf(leaf);
            default -> candidates -> selectRowByRow(predicate, candidates);
        };
    }

    private static Positions selectAll(List<Test> children, Positions candidates)
    {
        Positions left = candidates;
        for (Test child : children) {
            if (left.count() == 0) {
                return left;
            }
            left = child.select(left);
        }
        return left;
    }

    private static Positions selectAny(List<Test> children, Positions candidates)
    {
        Positions left = candidates;
        Positions selected = Positions.range(0, 0);
        for (Test child : children) {
            if (left.count() == 0) {
                return selected;
            }
            Positions matched = child.select(left);
            selected = merge(selected, matched);
            left = without(left, matched);
        }
        return selected;
    }

    private static Positions merge(Positions first, Positions second)
    {
        if (first.count() == 0) {
            return second;
        }
        if (second.count() == 0) {
            return first;
        }
        int[] merged = new int[first.count() + second.count()];
        int i = 0;
        int k = 0;
        for (int at = 0; at < merged.length; at++) {
            boolean takeFirst = k == second.count() || (i < first.count() && first.get(i) < second.get(k));
            merged[at] = takeFirst ? first.get(i++) : second.get(k++);
        }
        return Positions.of(merged);
    }

    private static Positions without(Positions all, Positions some)
    {
        if (some.count() == 0) {
            return all;
        }
        int[] left = new int[all.count() - some.count()];
        int k = 0;
        int at = 0;
        for (int i = 0; i < all.count(); i++) {
            if (k < some.count() && some.get(k) == all.get(i)) {
                k++;
            }
            else {
                left[at++] = all.get(i);
            }
        }
        return Positions.of(left);
    }

    private Test compileLeaf(LeafPredicate leaf)
    {
        Test rowByRow = candidates -> selectRowByRow(leaf, candidates);
        if (!(leaf.transform() instanceof FieldTransform transform)) {
            return rowByRow;
        }
        FieldRef reference = transform.fieldRef();
        DataType type = rowType.getTypeAt(reference.index());
        if (!reference.type().equalsIgnoreNullable(type)) {
            return rowByRow;
        }
        FieldVector vector = columns.get(reference.index());
        if (leaf.function() instanceof IsNull || leaf.function() instanceof IsNotNull) {
            return compileNulls(vector, leaf.function() instanceof IsNull);
        }
        List<Object> literals = leaf.literals();
        if (vector == null || literals.isEmpty() || literals.stream().anyMatch(Objects::isNull)) {
            return rowByRow;
        }
        // counted once: Arrow counts anew each time
        boolean nulls = vector.getNullCount() > 0;
        if (vector instanceof VarCharVector strings) {
            StringTest test = stringTest(leaf);
            return test == null ? rowByRow : candidates -> selectStrings(strings, nulls, test, candidates);
        }
        LongValues numbers = LongValues.of(vector);
        long[] bounds = numbers == null ? null : literals(literals, type);
        NumberTest test = bounds == null ? null : numberTest(leaf, bounds);
        return test == null ? rowByRow : candidates -> {
            if (values.length < candidates.count()) {
                values = new long[candidates.count()];
            }
            numbers.read(candidates, values);
            int[] selected = test.select(candidates);
            int count = selected[selected.length - 1];
            return nulls ? dropNulls(vector, selected, count) : new Positions(selected, 0, count);
        };
    }

    private static long[] literals(List<Object> literals, DataType type)
    {
        long[] numbers = new long[literals.size()];
        for (int i = 0; i < numbers.length; i++) {
            Long number = LongValues.literal(literals.get(i), type);
            if (number == null) {
                return null;
            }
            numbers[i] = number;
        }
        return numbers;
    }

    private static Test compileNulls(FieldVector vector, boolean wanted)
    {
        Test all = candidates -> candidates;
        Test none = _ -> Positions.range(0, 0);
        int nullCount = vector == null ? 0 : vector.getNullCount();
        if (vector == null || nullCount == vector.getValueCount()) {
            return wanted ? all : none;
        }
        if (nullCount == 0) {
            return wanted ? none : all;
        }
        long validity = vector.getValidityBufferAddress();
        return candidates -> {
            int[] selected = new int[candidates.count()];
            int count = 0;
            for (int i = 0; i < candidates.count(); i++) {
                int position = candidates.get(i);
                selected[count] = position;
                count += Bits.isSet(validity, position) != wanted ? 1 : 0;
            }
            return new Positions(selected, 0, count);
        };
    }

    /** Null if the function is none that is known here. */
    private NumberTest numberTest(LeafPredicate leaf, long[] literals)
    {
        long first = literals[0];
        return switch (leaf.function()) {
            case Equal _ -> candidates -> between(first, first, false, candidates);
            case NotEqual _ -> candidates -> between(first, first, true, candidates);
            case LessThan _ -> candidates -> between(first, Long.MAX_VALUE, true, candidates);
            case LessOrEqual _ -> candidates -> between(Long.MIN_VALUE, first, false, candidates);
            case GreaterThan _ -> candidates -> between(Long.MIN_VALUE, first, true, candidates);
            case GreaterOrEqual _ -> candidates -> between(first, Long.MAX_VALUE, false, candidates);
            case Between _ -> candidates -> between(first, literals[1], false, candidates);
            case NotBetween _ -> candidates -> between(first, literals[1], true, candidates);
            case In _,NotIn _ -> {
                long[] sorted = literals.clone();
                Arrays.sort(sorted);
                boolean negated = leaf.function() instanceof NotIn;
                yield candidates -> in(sorted, negated, candidates);
            }
            default -> null;
        };
    }

    /** The matching positions; the array's last element is their number. */
    private int[] between(long low, long high, boolean negated, Positions candidates)
    {
        int total = candidates.count();
        int[] selected = new int[total + 1];
        int count = 0;
        if (candidates.isRange()) {
            int from = candidates.from();
            for (int i = 0; i < total; i++) {
                selected[count] = from + i;
                count += (values[i] >= low && values[i] <= high) != negated ? 1 : 0;
            }
        }
        else {
            for (int i = 0; i < total; i++) {
                selected[count] = candidates.get(i);
                count += (values[i] >= low && values[i] <= high) != negated ? 1 : 0;
            }
        }
        selected[total] = count;
        return selected;
    }

    private int[] in(long[] sorted, boolean negated, Positions candidates)
    {
        int total = candidates.count();
        int[] selected = new int[total + 1];
        int count = 0;
        for (int i = 0; i < total; i++) {
            selected[count] = candidates.get(i);
            count += Arrays.binarySearch(sorted, values[i]) >= 0 != negated ? 1 : 0;
        }
        selected[total] = count;
        return selected;
    }

    private static Positions dropNulls(FieldVector vector, int[] selected, int count)
    {
        long validity = vector.getValidityBufferAddress();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int position = selected[i];
            selected[kept] = position;
            kept += Bits.isSet(validity, position) ? 1 : 0;
        }
        return new Positions(selected, 0, kept);
    }

    private static Positions selectStrings(VarCharVector vector, boolean nulls, StringTest test, Positions candidates)
    {
        long offsets = vector.getOffsetBufferAddress();
        long data = vector.getDataBufferAddress();
        int[] selected = new int[candidates.count()];
        int count = 0;
        for (int i = 0; i < candidates.count(); i++) {
            int position = candidates.get(i);
            int start = getInt(offsets + 4L * position);
            int length = getInt(offsets + 4L * (position + 1)) - start;
            selected[count] = position;
            count += test.matches(data + start, length) ? 1 : 0;
        }
        return nulls ? dropNulls(vector, selected, count) : new Positions(selected, 0, count);
    }

    /** Null if the function is none that is known here. */
    private static StringTest stringTest(LeafPredicate leaf)
    {
        List<byte[]> literals = new ArrayList<>();
        for (Object literal : leaf.literals()) {
            if (!(literal instanceof BinaryString string)) {
                return null;
            }
            literals.add(string.toBytes());
        }
        byte[] first = literals.getFirst();
        return switch (leaf.function()) {
            case Equal _ -> (address, length) -> length == first.length && compare(address, length, first) == 0;
            case NotEqual _ -> (address, length) -> length != first.length || compare(address, length, first) != 0;
            case LessThan _ -> (address, length) -> compare(address, length, first) < 0;
            case LessOrEqual _ -> (address, length) -> compare(address, length, first) <= 0;
            case GreaterThan _ -> (address, length) -> compare(address, length, first) > 0;
            case GreaterOrEqual _ -> (address, length) -> compare(address, length, first) >= 0;
            case Between _ -> (address, length) -> compare(address, length, first) >= 0 && compare(address, length, literals.get(1)) <= 0;
            case NotBetween _ -> (address, length) -> compare(address, length, first) < 0 || compare(address, length, literals.get(1)) > 0;
            case In _ -> {
                byte[][] sorted = sorted(literals);
                yield (address, length) -> contains(sorted, address, length);
            }
            case NotIn _ -> {
                byte[][] sorted = sorted(literals);
                yield (address, length) -> !contains(sorted, address, length);
            }
            default -> null;
        };
    }

    private static byte[][] sorted(List<byte[]> literals)
    {
        byte[][] sorted = literals.toArray(byte[][]::new);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        return sorted;
    }

    private static boolean contains(byte[][] sorted, long address, int length)
    {
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = compare(address, length, sorted[middle]);
            if (order == 0) {
                return true;
            }
            if (order > 0) {
                low = middle + 1;
            }
            else {
                high = middle - 1;
            }
        }
        return false;
    }

    /** By unsigned bytes, as Paimon's strings. */
    private static int compare(long address, int length, byte[] other)
    {
        int common = Math.min(length, other.length);
        for (int i = 0; i < common; i++) {
            int difference = (getByte(address + i) & 0xFF) - (other[i] & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return length - other.length;
    }

    private Positions selectRowByRow(Predicate predicate, Positions candidates)
    {
        if (row == null) {
            row = new ArrowRowView(columns, rowType);
        }
        int[] selected = new int[candidates.count()];
        int count = 0;
        for (int i = 0; i < candidates.count(); i++) {
            int position = candidates.get(i);
            selected[count] = position;
            count += predicate.test(row.setPosition(position)) ? 1 : 0;
        }
        return new Positions(selected, 0, count);
    }

    /** Those of the candidates that match. */
    @FunctionalInterface
    private interface Test
    {
        Positions select(Positions candidates);
    }

    /** Those of the candidates whose numbers, which are in {@code values}, match; the array's last element is how many. */
    @FunctionalInterface
    private interface NumberTest
    {
        int[] select(Positions candidates);
    }

    @FunctionalInterface
    private interface StringTest
    {
        boolean matches(long address, int length);
    }
}
