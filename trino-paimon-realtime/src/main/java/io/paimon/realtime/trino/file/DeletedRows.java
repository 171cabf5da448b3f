package io.paimon.realtime.trino.file;

import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import org.apache.paimon.deletionvectors.DeletionVector;

import static io.trino.spi.type.BigintType.BIGINT;

/** Rows of a page of a file that a deletion vector says are deleted. */
final class DeletedRows
{
    private DeletedRows()
    {}

    /**
     * @param positionChannel channel of the page with the positions of the rows in their file
     */
    static void leaveOut(DeletionVector vector, SourcePage page, int positionChannel)
    {
        Block positions = page.getBlock(positionChannel);
        int count = page.getPositionCount();
        int[] kept = new int[count];
        int keptCount = 0;
        for (int i = 0; i < count; i++) {
            kept[keptCount] = i;
            keptCount += vector.isDeleted(BIGINT.getLong(positions, i)) ? 0 : 1;
        }
        if (keptCount < count) {
            page.selectPositions(kept, 0, keptCount);
        }
    }
}
