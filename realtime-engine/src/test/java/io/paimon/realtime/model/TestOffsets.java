package io.paimon.realtime.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.junit.jupiter.api.Test;

final class TestOffsets
{
    @Test
    void negativeBackwardAndTooLargeOffsetsAreRefused()
    {
        assertThat(new OffsetRange(0, OffsetRange.MAX_OFFSET).rows()).isEqualTo(Long.MAX_VALUE - 1);
        for (long[] range : new long[][]{{-1, 0}, {5, 4}, {0, Long.MAX_VALUE}, {Long.MAX_VALUE, Long.MAX_VALUE}}) {
            assertThatThrownBy(() -> new OffsetRange(range[0], range[1])).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Not an offset range");
        }
        PartitionBucket bucket = new PartitionBucket(BinaryRow.EMPTY_ROW, 0);
        assertThat(progress(bucket, OffsetRange.MAX_OFFSET).offset(bucket)).isEqualTo(OffsetRange.MAX_OFFSET);
        for (long end : new long[]{-1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> progress(bucket, end)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Not an offset");
        }
        assertThatThrownBy(() -> new PartitionBucket(BinaryRow.EMPTY_ROW, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Progress progress(PartitionBucket bucket, long end)
    {
        return new Progress("lineage", "log", 1, 1, false, Map.of(bucket, end), Map.of());
    }
}
