package io.paimon.realtime.trino.read;

import static io.trino.spi.function.InvocationConvention.InvocationArgumentConvention.BLOCK_POSITION_NOT_NULL;
import static io.trino.spi.function.InvocationConvention.InvocationReturnConvention.FAIL_ON_NULL;
import static io.trino.spi.function.InvocationConvention.simpleConvention;

import io.airlift.slice.SizeOf;
import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.trino.arrow.ArrowBlockReader;
import io.paimon.realtime.trino.arrow.ArrowRows;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeOperators;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.paimon.types.RowType;

/**
 * Keys that rows in memory have: rows of files with one of them are no more those of the table. Not thread-safe.
 */
abstract class MemoryKeys
{
    private static final TypeOperators OPERATORS = new TypeOperators();

    /** How many of the page's rows have none of the keys; their positions are put first into {@code kept}. */
    abstract int absent(SourcePage page, int[] keyChannels, int[] kept);

    /** Bytes on the heap. */
    abstract long retainedBytes();

    /**
     * Whether keys of the type are equal in Trino exactly if they are in Paimon: CHAR knows no trailing spaces in the one, and NaN is not itself in the other.
     */
    static boolean isComparable(org.apache.paimon.types.DataType type)
    {
        return switch (type.getTypeRoot()) {
            case CHAR, FLOAT, DOUBLE -> false;
            default -> true;
        };
    }

    /**
     * @param reader of the key's columns, in the order of keys and each key once; closed by this
     * @param types of the columns in Trino
     */
    static MemoryKeys read(MemBatchReader reader, RowType keyType, List<Type> types)
    {
        List<ArrowBlockReader> blockReaders = IntStream.range(0, types.size())
                .mapToObj(i -> ArrowBlockReader.create(keyType.getTypeAt(i), types.get(i)))
                .toList();
        List<Block[]> keys = new ArrayList<>();
        try (reader) {
            for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                try (MemBatch batch = next.get()) {
                    ArrowRows rows = batch.isRange()
                            ? ArrowRows.range(batch.from(), batch.rowCount())
                            : new ArrowRows(batch.positions(), 0, batch.rowCount());
                    Block[] blocks = new Block[types.size()];
                    for (int i = 0; i < blocks.length; i++) {
                        blocks[i] = blockReaders.get(i).read(blockReaders.get(i).column(batch.columns().get(i)), rows);
                    }
                    keys.add(blocks);
                }
            }
        }
        return types.size() == 1 && isNumber(types.getFirst()) ? new Numbers(types.getFirst(), keys) : new Hashed(types, keys);
    }

    /** Whether values are numbers whose order is that of Paimon's keys. */
    private static boolean isNumber(Type type)
    {
        return type.getJavaType() == long.class && switch (type) {
            case DecimalType _,TimestampType _ -> true;
            default -> Arrays.asList("bigint", "integer", "smallint", "tinyint", "date").contains(type.getBaseName());
        };
    }

    /** Numbers in their order. Rows of a file are in it, too: both are gone through side by side. */
    private static final class Numbers extends MemoryKeys
    {
        private final Type type;
        private final long[] keys;
        private int next;

        private Numbers(Type type, List<Block[]> blocks)
        {
            this.type = type;
            this.keys = new long[blocks.stream().mapToInt(block -> block[0].getPositionCount()).sum()];
            int count = 0;
            for (Block[] block : blocks) {
                for (int i = 0; i < block[0].getPositionCount(); i++) {
                    keys[count++] = type.getLong(block[0], i);
                }
            }
        }

        @Override
        int absent(SourcePage page, int[] keyChannels, int[] kept)
        {
            Block block = page.getBlock(keyChannels[0]);
            int count = page.getPositionCount();
            int keptCount = 0;
            int at = next;
            for (int i = 0; i < count; i++) {
                long key = type.getLong(block, i);
                if (at > 0 && keys[at - 1] >= key) {
                    // another file begins
                    int found = Arrays.binarySearch(keys, key);
                    at = found < 0 ? -found - 1 : found;
                }
                while (at < keys.length && keys[at] < key) {
                    at++;
                }
                kept[keptCount] = i;
                keptCount += at < keys.length && keys[at] == key ? 0 : 1;
            }
            next = at;
            return keptCount;
        }

        @Override
        long retainedBytes()
        {
            return SizeOf.sizeOf(keys);
        }
    }

    /** Keys of any type by their hashes. */
    private static final class Hashed extends MemoryKeys
    {
        private final MethodHandle[] hashes;
        private final MethodHandle[] equals;
        private final List<Block[]> blocks;
        /** Number of the key plus one; 0 where there is none. */
        private final int[] slots;
        private final int[] blockOf;
        private final int[] positionOf;
        private final int mask;

        private Hashed(List<Type> types, List<Block[]> blocks)
        {
            this.hashes = types.stream().map(type -> OPERATORS.getHashCodeOperator(type, simpleConvention(FAIL_ON_NULL, BLOCK_POSITION_NOT_NULL)))
                    .toArray(MethodHandle[]::new);
            this.equals = types.stream().map(type -> OPERATORS.getIdenticalOperator(type,
                    simpleConvention(FAIL_ON_NULL, BLOCK_POSITION_NOT_NULL, BLOCK_POSITION_NOT_NULL))).toArray(MethodHandle[]::new);
            this.blocks = blocks;
            int count = blocks.stream().mapToInt(block -> block[0].getPositionCount()).sum();
            this.slots = new int[Math.max(8, Integer.highestOneBit(Math.max(1, count)) * 4)];
            this.mask = slots.length - 1;
            this.blockOf = new int[count];
            this.positionOf = new int[count];
            int key = 0;
            for (int block = 0; block < blocks.size(); block++) {
                for (int i = 0; i < blocks.get(block)[0].getPositionCount(); i++) {
                    blockOf[key] = block;
                    positionOf[key] = i;
                    int slot = hash(blocks.get(block), i) & mask;
                    while (slots[slot] != 0) {
                        slot = (slot + 1) & mask;
                    }
                    slots[slot] = ++key;
                }
            }
        }

        private int hash(Block[] columns, int position)
        {
            long hash = 0;
            try {
                for (int i = 0; i < hashes.length; i++) {
                    hash = hash * 31 + (long) hashes[i].invokeExact(columns[i], position);
                }
            }
            catch (Throwable t) {
                throw new IllegalStateException("A key cannot be hashed", t);
            }
            hash *= 0x9E3779B97F4A7C15L;
            return (int) (hash >>> 32);
        }

        private boolean contains(Block[] columns, int position)
        {
            int slot = hash(columns, position) & mask;
            while (slots[slot] != 0) {
                int key = slots[slot] - 1;
                if (isEqual(blocks.get(blockOf[key]), positionOf[key], columns, position)) {
                    return true;
                }
                slot = (slot + 1) & mask;
            }
            return false;
        }

        private boolean isEqual(Block[] left, int leftPosition, Block[] right, int rightPosition)
        {
            try {
                for (int i = 0; i < equals.length; i++) {
                    if (!(boolean) equals[i].invokeExact(left[i], leftPosition, right[i], rightPosition)) {
                        return false;
                    }
                }
                return true;
            }
            catch (Throwable t) {
                throw new IllegalStateException("Keys cannot be compared", t);
            }
        }

        @Override
        int absent(SourcePage page, int[] keyChannels, int[] kept)
        {
            Block[] columns = Arrays.stream(keyChannels).mapToObj(page::getBlock).toArray(Block[]::new);
            int keptCount = 0;
            for (int i = 0; i < page.getPositionCount(); i++) {
                kept[keptCount] = i;
                keptCount += contains(columns, i) ? 0 : 1;
            }
            return keptCount;
        }

        @Override
        long retainedBytes()
        {
            return SizeOf.sizeOf(slots) + SizeOf.sizeOf(blockOf) + SizeOf.sizeOf(positionOf)
                    + blocks.stream().flatMap(Arrays::stream).mapToLong(Block::getRetainedSizeInBytes).sum();
        }
    }
}
