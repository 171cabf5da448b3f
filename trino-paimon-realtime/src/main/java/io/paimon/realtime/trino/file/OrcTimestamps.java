package io.paimon.realtime.trino.file;

import io.trino.orc.OrcColumn;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.OrcMetadataReader;
import io.trino.orc.metadata.StripeFooter;
import io.trino.orc.metadata.StripeInformation;
import io.trino.orc.metadata.statistics.ColumnStatistics;
import io.trino.orc.metadata.statistics.TimestampStatistics;
import io.trino.orc.stream.OrcChunkLoader;
import io.trino.orc.stream.OrcInputStream;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.TimestampType;

import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Optional;
import java.util.TimeZone;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static io.trino.orc.OrcDecompressor.createOrcDecompressor;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.lang.Math.toIntExact;

/**
 * Timestamps of ORC files as Paimon's reader gives them where all is in UTC. A file holds seconds, cut towards 1970, and the digits after them, so that before 1970 a second is taken away where there are such digits: by Trino's
 * reader always, by Paimon's only where they make a millisecond.
 */
final class OrcTimestamps
{
    private static final TimeZone UTC = TimeZone.getTimeZone("UTC");
    /** Stands for the time zone of files that do not tell theirs. */
    private static final ZoneOffset UNKNOWN_ZONE = ZoneOffset.ofHours(18);
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final int PICOS_PER_NANO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MAX_MILLIS = Long.MAX_VALUE / 1_000 - 2_000;
    private static final int[] POWERS_OF_TEN = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000};

    private OrcTimestamps()
    {}

    /** Whether the time zone in which Paimon reads and writes timestamps of ORC in this process is UTC. */
    static boolean isLocalTimeUtc()
    {
        return TimeZone.getDefault().hasSameRules(UTC);
    }

    /**
     * Whether a file was written in UTC, and has no timestamp in these columns that Trino cannot hold.
     */
    static boolean areConvertible(OrcDataSource source, OrcReader file, OrcReaderOptions options, Collection<OrcColumn> columns) throws IOException
    {
        return file.getFooter().getStripes().isEmpty()
                || (columns.stream().allMatch(column -> isInRange(file, column))
                        && isWrittenInUtc(source, file, file.getFooter().getStripes().getFirst(), options));
    }

    private static boolean isInRange(OrcReader file, OrcColumn column)
    {
        Optional<ColumnMetadata<ColumnStatistics>> statistics = file.getFooter().getFileStats();
        if (statistics.isEmpty()) {
            return false;
        }
        ColumnStatistics ofColumn = statistics.get().get(column.getColumnId());
        if (ofColumn.hasNumberOfValues() && ofColumn.getNumberOfValues() == 0) {
            return true;
        }
        TimestampStatistics range = ofColumn.getTimestampStatistics();
        return range != null && range.getMin() != null && range.getMax() != null && range.getMin() >= -MAX_MILLIS && range.getMax() <= MAX_MILLIS;
    }

    private static boolean isWrittenInUtc(OrcDataSource source, OrcReader file, StripeInformation stripe, OrcReaderOptions options) throws IOException
    {
        OrcChunkLoader footer = OrcChunkLoader.create(
                source.getId(),
                source.readFully(stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength(), toIntExact(stripe.getFooterLength())),
                createOrcDecompressor(source.getId(), file.getCompressionKind(), file.getBufferSize()),
                newSimpleAggregatedMemoryContext());
        try (InputStream input = new OrcInputStream(footer)) {
            StripeFooter stripeFooter = new OrcMetadataReader(options).readStripeFooter(file.getFooter().getTypes(), input, UNKNOWN_ZONE);
            return stripeFooter.getTimeZone().getRules().equals(ZoneOffset.UTC.getRules());
        }
    }

    /**
     * @param block read as timestamp(9)
     */
    static Block convert(Block block, TimestampType type)
    {
        Fixed12Block values = (Fixed12Block) block.getUnderlyingValueBlock();
        BlockBuilder builder = type.createBlockBuilder(null, block.getPositionCount());
        for (int i = 0; i < block.getPositionCount(); i++) {
            if (block.isNull(i)) {
                builder.appendNull();
                continue;
            }
            int position = block.getUnderlyingValuePosition(i);
            long micros = values.getFixed12First(position);
            int nanosOfMicro = values.getFixed12Second(position) / PICOS_PER_NANO;
            long fraction = floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO + nanosOfMicro;
            if (floorDiv(micros, MICROS_PER_SECOND) < -1 && fraction > 0 && fraction < NANOS_PER_MILLI) {
                micros += MICROS_PER_SECOND;
            }
            append(micros, nanosOfMicro, type, builder);
        }
        return builder.build();
    }

    private static void append(long micros, int nanosOfMicro, TimestampType type, BlockBuilder builder)
    {
        if (type.isShort()) {
            type.writeLong(builder, micros - floorMod(micros, POWERS_OF_TEN[TimestampType.MAX_SHORT_PRECISION - type.getPrecision()]));
        }
        else {
            int nanos = nanosOfMicro - nanosOfMicro % POWERS_OF_TEN[9 - type.getPrecision()];
            type.writeObject(builder, new LongTimestamp(micros, nanos * PICOS_PER_NANO));
        }
    }
}
