package io.paimon.realtime.trino.arrow;

/**
 * Chosen rows of vectors.
 *
 * @param positions the rows are {@code positions[from .. from + count)}; null when they are {@code [from, from + count)} themselves
 */
public record ArrowRows(int[] positions, int from, int count)
{
    public static ArrowRows range(int from, int count)
    {
        return new ArrowRows(null, from, count);
    }

    int get(int i)
    {
        return positions == null ? from + i : positions[from + i];
    }

    boolean isRange()
    {
        return positions == null;
    }

    /** Those of these rows. */
    public ArrowRows select(int[] selected, int offset, int size)
    {
        int[] chosen = new int[size];
        for (int i = 0; i < size; i++) {
            chosen[i] = get(selected[offset + i]);
        }
        return new ArrowRows(chosen, 0, size);
    }
}
