package io.paimon.realtime.paimon;

import java.util.List;
import org.apache.paimon.CoreOptions.BucketFunctionType;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypeRoot;

/**
 * Paimon's default bucket function for a bucket key of one BIGINT or INT column: the same numbers without making a binary row of each key.
 *
 * <p>Paimon hashes the key as a binary row: eight bytes of row kind and null bits, all zero, then eight of value, by Murmur3 with seed 42.
 */
final class BucketHash
{
    private static final int SEED = 42;
    private static final int BINARY_ROW_BYTES = 16;
    private static final int HEADER_HASH = mix(mix(SEED, 0), 0);

    private final int field;
    private final boolean wide;
    private final int buckets;

    private BucketHash(int field, boolean wide, int buckets)
    {
        this.field = field;
        this.wide = wide;
        this.buckets = buckets;
    }

    /** Null if the table's key or function is another. */
    static BucketHash of(FileStoreTable table)
    {
        List<String> keys = table.schema().bucketKeys();
        if (table.bucketMode() != BucketMode.HASH_FIXED || keys.size() != 1
                || table.coreOptions().bucketFunctionType() != BucketFunctionType.DEFAULT) {
            return null;
        }
        int field = table.rowType().getFieldIndex(keys.getFirst());
        DataTypeRoot type = table.rowType().getTypeAt(field).getTypeRoot();
        return switch (type) {
            case BIGINT -> new BucketHash(field, true, table.coreOptions().bucket());
            case INTEGER -> new BucketHash(field, false, table.coreOptions().bucket());
            default -> null;
        };
    }

    boolean isNull(InternalRow row)
    {
        return row.isNullAt(field);
    }

    /** Bucket of a row whose key is not NULL. */
    int bucket(InternalRow row)
    {
        // an INT fills the lower half of its eight bytes
        long key = wide ? row.getLong(field) : row.getInt(field) & 0xFFFF_FFFFL;
        return Math.abs(finish(mix(mix(HEADER_HASH, (int) key), (int) (key >>> 32))) % buckets);
    }

    private static int mix(int hash, int word)
    {
        int scrambled = Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
        return Integer.rotateLeft(hash ^ scrambled, 13) * 5 + 0xe6546b64;
    }

    private static int finish(int hash)
    {
        int mixed = hash ^ BINARY_ROW_BYTES;
        mixed = (mixed ^ (mixed >>> 16)) * 0x85ebca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return mixed ^ (mixed >>> 16);
    }
}
