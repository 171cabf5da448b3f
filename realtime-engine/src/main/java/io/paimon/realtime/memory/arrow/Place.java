package io.paimon.realtime.memory.arrow;

import io.paimon.realtime.model.RealtimeException;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Where the elements of a vector stand: the column's name or path, and for nested vectors which row each element belongs to. Elements that no row shows, such as what
 * lies under a NULL, are not live: whatever they hold is nobody's mistake.
 */
final class Place
{
    private final String table;
    private final String path;
    private final Place parent;
    private final Supplier<int[]> ownersSource;
    private int[] owners;

    private Place(String table, String path, Place parent, Supplier<int[]> ownersSource)
    {
        this.table = table;
        this.path = path;
        this.parent = parent;
        this.ownersSource = ownersSource;
    }

    static Place column(String table, String column)
    {
        return new Place(table, column, null, null);
    }

    /** Place of a child vector; owners gives for each of its elements the index in the parent, or -1 for none. Asked only when needed. */
    Place child(String suffix, Supplier<int[]> owners)
    {
        return new Place(table, path + suffix, this, owners);
    }

    boolean isColumn()
    {
        return parent == null;
    }

    boolean isLive(int index)
    {
        return row(index) >= 0;
    }

    /** The row that shows the element; -1 if none does. */
    int row(int index)
    {
        if (parent == null) {
            return index;
        }
        if (owners == null) {
            owners = ownersSource.get();
        }
        return index >= owners.length || owners[index] < 0 ? -1 : parent.row(owners[index]);
    }

    /** The error of one element. */
    RealtimeException bad(int index, String problem)
    {
        return new RealtimeException(RealtimeException.Code.BAD_DATA, "Table %s, column %s, row %s: %s".formatted(table, path, row(index), problem));
    }

    /** The error of the whole column. */
    RealtimeException bad(String problem)
    {
        return new RealtimeException(RealtimeException.Code.BAD_DATA, "Table %s, column %s: %s".formatted(table, path, problem));
    }

    static int[] noOwners(int count)
    {
        int[] owners = new int[count];
        Arrays.fill(owners, -1);
        return owners;
    }
}
