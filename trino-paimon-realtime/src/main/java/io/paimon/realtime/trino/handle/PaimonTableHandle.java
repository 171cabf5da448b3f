package io.paimon.realtime.trino.handle;

import io.paimon.realtime.trino.config.ReadMode;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.catalog.Identifier;

import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * A table as one query sees it: one schema, one snapshot.
 *
 * @param name name in Trino
 * @param database name of the schema in Paimon
 * @param table name of the table in Paimon, with {@code $branch_x} and {@code $system} parts
 * @param kind what is behind the name
 * @param schemaId id of the Paimon schema; -1 for tables that are no data table
 * @param snapshotId snapshot that is read; empty if there was none, so that nothing is read
 * @param timeTravel whether the user chose the snapshot
 * @param readMode whether rows in the writer's memory are read too
 * @param enforced filter on partition columns, evaluated exactly
 * @param unenforced filter on any column, used to read less; the engine evaluates it again
 * @param limit rows after which a split may stop
 * @param realtime rows in the writer's memory that belong to the query's view; only in mode UNION, and there always unless the writer is unavailable
 * @param unavailable why rows in the writer's memory, and with them the table in mode UNION, cannot be read
 */
public record PaimonTableHandle(
        SchemaTableName name,
        String database,
        String table,
        Kind kind,
        long schemaId,
        OptionalLong snapshotId,
        boolean timeTravel,
        ReadMode readMode,
        TupleDomain<PaimonColumnHandle> enforced,
        TupleDomain<PaimonColumnHandle> unenforced,
        OptionalLong limit,
        Optional<RealtimeTicket> realtime,
        Optional<Unavailable> unavailable) implements ConnectorTableHandle
{
    /** The error that reading the table gives. */
    public record Unavailable(PaimonErrorCode code, String message)
    {
        public Unavailable
        {
            requireNonNull(code, "code is null");
            requireNonNull(message, "message is null");
        }
    }

    /** What is behind a table name. */
    public enum Kind
    {
        /** A table with snapshots. */
        DATA,
        /** A system table or another kind of Paimon table that is only read. */
        READ_ONLY
    }

    public PaimonTableHandle
    {
        requireNonNull(name, "name is null");
        requireNonNull(database, "database is null");
        requireNonNull(table, "table is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(readMode, "readMode is null");
        requireNonNull(enforced, "enforced is null");
        requireNonNull(unenforced, "unenforced is null");
        requireNonNull(limit, "limit is null");
        requireNonNull(realtime, "realtime is null");
        requireNonNull(unavailable, "unavailable is null");
    }

    public Identifier identifier()
    {
        return new Identifier(database, table);
    }

    public PaimonTableHandle withFilter(TupleDomain<PaimonColumnHandle> newEnforced, TupleDomain<PaimonColumnHandle> newUnenforced)
    {
        return new PaimonTableHandle(name, database, table, kind, schemaId, snapshotId, timeTravel, readMode, newEnforced, newUnenforced, limit,
                realtime, unavailable);
    }

    public PaimonTableHandle withRealtime(OptionalLong newSnapshotId, RealtimeTicket ticket)
    {
        return new PaimonTableHandle(name, database, table, kind, schemaId, newSnapshotId, timeTravel, readMode, enforced, unenforced, limit,
                Optional.of(ticket), Optional.empty());
    }

    public PaimonTableHandle withUnavailable(Unavailable reason)
    {
        return new PaimonTableHandle(name, database, table, kind, schemaId, snapshotId, timeTravel, readMode, enforced, unenforced, limit,
                Optional.empty(), Optional.of(reason));
    }

    public PaimonTableHandle withLimit(long newLimit)
    {
        return new PaimonTableHandle(name, database, table, kind, schemaId, snapshotId, timeTravel, readMode, enforced, unenforced,
                OptionalLong.of(newLimit), realtime, unavailable);
    }

    public PaimonTableHandle withoutLimit()
    {
        return new PaimonTableHandle(name, database, table, kind, schemaId, snapshotId, timeTravel, readMode, enforced, unenforced,
                OptionalLong.empty(), realtime, unavailable);
    }

    /** The same snapshot without the rows in the writer's memory. */
    public PaimonTableHandle committed()
    {
        return new PaimonTableHandle(name, database, table, kind, schemaId, snapshotId, timeTravel, ReadMode.COMMITTED, enforced, unenforced, limit,
                Optional.empty(), Optional.empty());
    }

    @Override
    public String toString()
    {
        StringBuilder builder = new StringBuilder(name.toString());
        if (kind == Kind.DATA) {
            builder.append(" snapshot=").append(snapshotId.isPresent() ? Long.toString(snapshotId.getAsLong()) : "none");
            builder.append(" mode=").append(readMode);
            realtime.ifPresent(ticket -> builder.append(" memoryRows=").append(ticket.rows()));
            unavailable.ifPresent(reason -> builder.append(" unavailable: ").append(reason.message()));
        }
        if (!enforced.isAll()) {
            builder.append(" partitions=").append(enforced);
        }
        if (!unenforced.isAll()) {
            builder.append(" pruning=").append(unenforced);
        }
        limit.ifPresent(value -> builder.append(" limit=").append(value));
        return builder.toString();
    }
}
