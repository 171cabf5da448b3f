package io.paimon.realtime.trino.metadata;

import io.airlift.slice.Slice;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.SnapshotManager;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_SECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;

/** Finds the snapshot that FOR VERSION AS OF and FOR TIMESTAMP AS OF mean. */
final class PaimonTableVersions
{
    private PaimonTableVersions()
    {}

    static Snapshot resolve(ConnectorSession session, FileStoreTable table, ConnectorTableVersion version)
    {
        return switch (version.getPointerType()) {
            case TARGET_ID -> byId(table, version);
            case TEMPORAL -> byTime(session, table, version);
        };
    }

    private static Snapshot byId(FileStoreTable table, ConnectorTableVersion version)
    {
        Type type = version.getVersionType();
        SnapshotManager snapshots = table.snapshotManager();
        if (type == BIGINT || type == INTEGER || type == SMALLINT || type == TINYINT) {
            long id = (long) version.getVersion();
            if (!snapshots.snapshotExists(id)) {
                throw new TrinoException(INVALID_ARGUMENTS, "Table %s has no snapshot %s".formatted(table.fullName(), id));
            }
            return snapshots.snapshot(id);
        }
        if (type instanceof VarcharType) {
            String tag = ((Slice) version.getVersion()).toStringUtf8();
            if (!table.tagManager().tagExists(tag)) {
                throw new TrinoException(INVALID_ARGUMENTS, "Table %s has no tag '%s'".formatted(table.fullName(), tag));
            }
            Snapshot snapshot = table.tagManager().getOrThrow(tag).trimToSnapshot();
            if (!snapshots.snapshotExists(snapshot.id())) {
                throw new TrinoException(NOT_SUPPORTED,
                        "Snapshot %s of tag '%s' has expired, and tags of expired snapshots cannot be read yet".formatted(snapshot.id(), tag));
            }
            return snapshot;
        }
        throw new TrinoException(NOT_SUPPORTED, "A version is a snapshot id or the name of a tag, not a " + type.getDisplayName());
    }

    private static Snapshot byTime(ConnectorSession session, FileStoreTable table, ConnectorTableVersion version)
    {
        long millis = epochMillis(session, version);
        Snapshot snapshot = table.snapshotManager().earlierOrEqualTimeMills(millis);
        if (snapshot == null || snapshot.timeMillis() > millis) {
            throw new TrinoException(INVALID_ARGUMENTS,
                    "Table %s has no version at or before %s".formatted(table.fullName(), Instant.ofEpochMilli(millis)));
        }
        return snapshot;
    }

    private static long epochMillis(ConnectorSession session, ConnectorTableVersion version)
    {
        Type type = version.getVersionType();
        ZoneId zone = session.getTimeZoneKey().getZoneId();
        if (type instanceof TimestampWithTimeZoneType timestamp) {
            return timestamp.isShort()
                    ? unpackMillisUtc((long) version.getVersion())
                    : ((LongTimestampWithTimeZone) version.getVersion()).getEpochMillis();
        }
        if (type instanceof TimestampType timestamp) {
            long micros = timestamp.isShort() ? (long) version.getVersion() : ((LongTimestamp) version.getVersion()).getEpochMicros();
            return LocalDateTime.ofEpochSecond(
                    floorDiv(micros, (long) MICROSECONDS_PER_SECOND),
                    floorMod(micros, (int) MICROSECONDS_PER_SECOND) * (int) NANOSECONDS_PER_MICROSECOND,
                    ZoneOffset.UTC).atZone(zone).toInstant().toEpochMilli();
        }
        if (type == DATE) {
            return LocalDate.ofEpochDay((long) version.getVersion()).atStartOfDay(zone).toInstant().toEpochMilli();
        }
        throw new TrinoException(NOT_SUPPORTED, "A point in time is a timestamp or a date, not a " + type.getDisplayName());
    }
}
