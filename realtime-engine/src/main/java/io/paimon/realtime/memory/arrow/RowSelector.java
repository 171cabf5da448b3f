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
        if (candidates.count() == 0) {
            return candidates;
        }
        return switch (predicate) {
            case CompoundPredicate compound when compound.function() instanceof Or -> selectAny(compound.children(), candidates);
            case CompoundPredicate compound -> {
                Positions left = candidates;
                for (Predicate child : compound.children()) {
                    left = select(child, left);
                }
                yield left;
            }
            case LeafPredicate leaf -> selectLeaf(leaf, candidates);
            default -> selectRowByRow(predicate, candidates);
        };
    }

    private Positions selectAny(List<Predicate> children, Positions candidates)
    {
        Positions left = candidates;
        Positions selected = Positions.range(0, 0);
        for (Predicate child : children) {
            Positions matched = select(child, left);
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

    private Positions selectLeaf(LeafPredicate leaf, Positions candidates)
    {
        if (!(leaf.transform() instanceof FieldTransform transform)) {
            return selectRowByRow(leaf, candidates);
        }
        FieldRef reference = transform.fieldRef();
        DataType type = rowType.getTypeAt(reference.index());
        if (!reference.type().equalsIgnoreNullable(type)) {
            return selectRowByRow(leaf, candidates);
        }
        FieldVector vector = columns.get(reference.index());
        if (leaf.function() instanceof IsNull || leaf.function() instanceof IsNotNull) {
            return selectNulls(vector, leaf.function() instanceof IsNull, candidates);
        }
        List<Object> literals = leaf.literals();
        if (vector == null || literals.isEmpty() || literals.stream().anyMatch(Objects::isNull)) {
            return selectRowByRow(leaf, candidates);
        }
        if (vector instanceof VarCharVector strings) {
            StringTest test = stringTest(leaf);
            return test == null ? selectRowByRow(leaf, candidates) : selectStrings(strings, test, candidates);
        }
        LongValues numbers = LongValues.of(vector);
        long[] bounds = numbers == null ? null : literals(literals, type);
        if (bounds == null) {
            return selectRowByRow(leaf, candidates);
        }
        return selectNumbers(leaf, vector, numbers, bounds, candidates);
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

    private Positions selectNulls(FieldVector vector, boolean wanted, Positions candidates)
    {
        if (vector == null || vector.getNullCount() == vector.getValueCount()) {
            return wanted ? candidates : Positions.range(0, 0);
        }
        if (vector.getNullCount() == 0) {
            return wanted ? Positions.range(0, 0) : candidates;
        }
        long validity = vector.getValidityBufferAddress();
        int[] selected = new int[candidates.count()];
        int count = 0;
        for (int i = 0; i < candidates.count(); i++) {
            int position = candidates.get(i);
            selected[count] = position;
            count += Bits.isSet(validity, position) != wanted ? 1 : 0;
        }
        return new Positions(selected, 0, count);
    }

    private Positions selectNumbers(LeafPredicate leaf, FieldVector vector, LongValues numbers, long[] literals, Positions candidates)
    {
        if (values.length < candidates.count()) {
            values = new long[candidates.count()];
        }
        numbers.read(candidates, values);
        long first = literals[0];
        int[] selected = switch (leaf.function()) {
            case Equal _ -> between(first, first, false, candidates);
            case NotEqual _ -> between(first, first, true, candidates);
            case LessThan _ -> between(first, Long.MAX_VALUE, true, candidates);
            case LessOrEqual _ -> between(Long.MIN_VALUE, first, false, candidates);
            case GreaterThan _ -> between(Long.MIN_VALUE, first, true, candidates);
            case GreaterOrEqual _ -> between(first, Long.MAX_VALUE, false, candidates);
            case Between _ -> between(first, literals[1], false, candidates);
            case NotBetween _ -> between(first, literals[1], true, candidates);
            case In _ -> in(literals, false, candidates);
            case NotIn _ -> in(literals, true, candidates);
            default -> null;
        };
        if (selected == null) {
            return selectRowByRow(leaf, candidates);
        }
        return dropNulls(vector, selected);
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

    private int[] in(long[] literals, boolean negated, Positions candidates)
    {
        long[] sorted = literals.clone();
        Arrays.sort(sorted);
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

    private static Positions dropNulls(FieldVector vector, int[] selected)
    {
        int count = selected[selected.length - 1];
        if (vector.getNullCount() == 0) {
            return new Positions(selected, 0, count);
        }
        long validity = vector.getValidityBufferAddress();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int position = selected[i];
            selected[kept] = position;
            kept += Bits.isSet(validity, position) ? 1 : 0;
        }
        return new Positions(selected, 0, kept);
    }

    private Positions selectStrings(VarCharVector vector, StringTest test, Positions candidates)
    {
        long offsets = vector.getOffsetBufferAddress();
        long data = vector.getDataBufferAddress();
        int total = candidates.count();
        int[] selected = new int[total + 1];
        int count = 0;
        for (int i = 0; i < total; i++) {
            int position = candidates.get(i);
            int start = getInt(offsets + 4L * position);
            int length = getInt(offsets + 4L * (position + 1)) - start;
            selected[count] = position;
            count += test.matches(data + start, length) ? 1 : 0;
        }
        selected[total] = count;
        return dropNulls(vector, selected);
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

    @FunctionalInterface
    private interface StringTest
    {
        boolean matches(long address, int length);
    }
}
