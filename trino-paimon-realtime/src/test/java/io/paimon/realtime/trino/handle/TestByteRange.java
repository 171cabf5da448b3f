package io.paimon.realtime.trino.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TestByteRange
{
    @Test
    void rangesOfAFileHoldEveryPositionOnce()
    {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            long length = 1 + random.nextLong(1L << (1 + random.nextInt(50)));
            long maxLength = Math.max(1 + random.nextLong(length), length / 1_000);
            List<ByteRange> ranges = ByteRange.divide(length, maxLength);
            long end = 0;
            for (ByteRange range : ranges) {
                assertThat(range.start()).describedAs("seed %s: %s", seed, ranges).isEqualTo(end);
                assertThat(range.length()).describedAs("seed %s: %s", seed, ranges).isBetween(1L, maxLength);
                assertThat(range.startsFile()).isEqualTo(range.equals(ranges.getFirst()));
                end = range.end();
            }
            assertThat(end).describedAs("seed %s", seed).isEqualTo(length);
        }
    }

    @Test
    void aFileThatIsNotTooLongIsOneRange()
    {
        assertThat(ByteRange.divide(100, 100)).containsExactly(new ByteRange(0, 100));
        assertThat(ByteRange.divide(101, 100)).containsExactly(new ByteRange(0, 50), new ByteRange(50, 101));
    }

    @Test
    void noRangeIsEmpty()
    {
        assertThatThrownBy(() -> new ByteRange(7, 7)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ByteRange(-1, 7)).isInstanceOf(IllegalArgumentException.class);
    }
}
