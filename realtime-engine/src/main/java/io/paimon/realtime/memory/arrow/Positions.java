package io.paimon.realtime.memory.arrow;

/**
 * Chosen positions of a vector.
 *
 * @param positions the choice is {@code positions[from .. from + count)}; null when it is {@code [from, from + count)} itself
 */
record Positions(int[] positions, int from, int count)
{
    static Positions range(int from, int count)
    {
        return new Positions(null, from, count);
    }

    static Positions of(int[] positions)
    {
        return new Positions(positions, 0, positions.length);
    }

    boolean isRange()
    {
        return positions == null;
    }

    int get(int i)
    {
        return positions == null ? from + i : positions[from + i];
    }

    /** Some of these, {@code length} from {@code start} on. */
    Positions slice(int start, int length)
    {
        return new Positions(positions, from + start, length);
    }

    void copyTo(int[] target, int at)
    {
        if (positions != null) {
            System.arraycopy(positions, from, target, at, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            target[at + i] = from + i;
        }
    }
}
