package io.paimon.realtime.memory.arrow;

/**
 * Sorts positions by what stands there, without an object for each of them; equal ones stay in their order.
 */
final class StableSort
{
    /** Rows that are sorted by insertion. */
    private static final int SMALL = 8;

    private StableSort()
    {}

    /** How two positions compare. */
    interface PositionComparator
    {
        int compare(int left, int right);
    }

    /** The positions from 0 to {@code count}, sorted. */
    static int[] sort(int count, PositionComparator comparator)
    {
        int[] positions = new int[count];
        boolean sorted = true;
        for (int i = 0; i < count; i++) {
            positions[i] = i;
            sorted = sorted && (i == 0 || comparator.compare(i - 1, i) <= 0);
        }
        if (sorted) {
            return positions;
        }
        for (int start = 0; start < count; start += SMALL) {
            insertionSort(positions, start, Math.min(count, start + SMALL), comparator);
        }
        int[] from = positions;
        int[] to = new int[count];
        for (int width = SMALL; width < count; width *= 2) {
            for (int start = 0; start < count; start += 2 * width) {
                merge(from, to, start, Math.min(count, start + width), Math.min(count, start + 2 * width), comparator);
            }
            int[] swapped = from;
            from = to;
            to = swapped;
        }
        return from;
    }

    private static void insertionSort(int[] positions, int start, int end, PositionComparator comparator)
    {
        for (int i = start + 1; i < end; i++) {
            int position = positions[i];
            int j = i;
            while (j > start && comparator.compare(positions[j - 1], position) > 0) {
                positions[j] = positions[j - 1];
                j--;
            }
            positions[j] = position;
        }
    }

    private static void merge(int[] from, int[] to, int start, int middle, int end, PositionComparator comparator)
    {
        if (middle == end || comparator.compare(from[middle - 1], from[middle]) <= 0) {
            System.arraycopy(from, start, to, start, end - start);
            return;
        }
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takesLeft = right == end || (left < middle && comparator.compare(from[left], from[right]) <= 0);
            to[i] = takesLeft ? from[left++] : from[right++];
        }
    }
}
