package io.paimon.realtime.trino.metadata;

import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.ThreadSafe;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.config.ReadMode;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.paimon.realtime.trino.handle.RealtimeTicket;
import io.paimon.realtime.trino.handle.TablePoint;
import io.paimon.realtime.trino.writer.RealtimeQueries;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_REALTIME_UNAVAILABLE;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

/**
 * The tables that a transaction has met. What it has found of one stays: all scans of a query see one snapshot, and one view of the writer's memory.
 */
@ThreadSafe
final class TransactionTables
{
    private final PaimonCatalog catalog;
    private final RealtimeQueries queries;
    private final boolean realtimeEnabled;
    private final ConcurrentMap<SchemaTableName, PaimonTableHandle> handles = new ConcurrentHashMap<>();
    /** Handles that read the writer's memory: of one query, also where the transaction has several. */
    private final ConcurrentMap<QueryTable, PaimonTableHandle> unionHandles = new ConcurrentHashMap<>();
    private final ConcurrentMap<TableVersion, Table> tables = new ConcurrentHashMap<>();

    private record QueryTable(String queryId, SchemaTableName name)
    {}

    private record TableVersion(String database, String table, long schemaId)
    {}

    TransactionTables(PaimonCatalog catalog, RealtimeQueries queries, boolean realtimeEnabled)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.queries = requireNonNull(queries, "queries is null");
        this.realtimeEnabled = realtimeEnabled;
    }

    /**
     * The table as the query sees it.
     *
     * @param version empty for the newest state: what the transaction has found of it, if the query reads in the same mode
     */
    Optional<PaimonTableHandle> find(ConnectorSession session, SchemaTableName name, Optional<ConnectorTableVersion> version)
    {
        if (version.isEmpty()) {
            Optional<PaimonTableHandle> known = knownHandle(session, name);
            if (known.isPresent()) {
                return known;
            }
        }
        Optional<Identifier> identifier = catalog.findTable(name);
        Optional<Table> table = identifier.flatMap(catalog::load);
        if (table.isEmpty()) {
            return Optional.empty();
        }
        if (version.isPresent()) {
            if (!(table.get() instanceof FileStoreTable fileStoreTable)) {
                throw new TrinoException(NOT_SUPPORTED, "%s has no versions".formatted(name));
            }
            Snapshot snapshot = PaimonTableVersions.resolve(session, fileStoreTable, version.get());
            FileStoreTable versioned = PaimonCatalog.withSchema(fileStoreTable, snapshot.schemaId());
            return Optional.of(remember(handle(session, name, identifier.get(), versioned, OptionalLong.of(snapshot.id()), true), versioned));
        }
        OptionalLong snapshotId = table.get() instanceof FileStoreTable fileStoreTable ? latestSnapshot(fileStoreTable) : OptionalLong.empty();
        PaimonTableHandle handle = remember(handle(session, name, identifier.get(), table.get(), snapshotId, false), table.get());
        if (handle.readMode() == ReadMode.UNION) {
            handle = withMemory(session, handle, (FileStoreTable) table.get());
            return Optional.of(firstOf(unionHandles.putIfAbsent(new QueryTable(session.getQueryId(), name), handle), handle));
        }
        return Optional.of(firstOf(handles.putIfAbsent(name, handle), handle));
    }

    private Optional<PaimonTableHandle> knownHandle(ConnectorSession session, SchemaTableName name)
    {
        PaimonTableHandle union = unionHandles.get(new QueryTable(session.getQueryId(), name));
        if (union != null) {
            return Optional.of(union);
        }
        // an earlier query of the transaction may have read the table in another mode
        return Optional.ofNullable(handles.get(name)).filter(handle -> !isUnion(session, table(handle)));
    }

    private static PaimonTableHandle firstOf(PaimonTableHandle known, PaimonTableHandle made)
    {
        return known == null ? made : known;
    }

    /** What the query sees of the writer; where it can see nothing, everything works but the reading of rows. */
    private PaimonTableHandle withMemory(ConnectorSession session, PaimonTableHandle handle, FileStoreTable table)
    {
        try {
            TablePoint point = queries.point(session.getQueryId(), handle.identifier(), table);
            return handle.withRealtime(point.point().snapshotId(), RealtimeTicket.of(session.getQueryId(), point));
        }
        catch (TrinoException e) {
            PaimonErrorCode code = e.getCause() instanceof RealtimeException cause ? PaimonErrorCode.of(cause) : PAIMON_REALTIME_UNAVAILABLE;
            if (!e.getErrorCode().equals(code.toErrorCode())) {
                throw e;
            }
            return handle.withUnavailable(new PaimonTableHandle.Unavailable(code, e.getMessage()));
        }
    }

    private static OptionalLong latestSnapshot(FileStoreTable table)
    {
        Long id = table.snapshotManager().latestSnapshotId();
        return id == null ? OptionalLong.empty() : OptionalLong.of(id);
    }

    private PaimonTableHandle handle(ConnectorSession session, SchemaTableName name, Identifier identifier, Table table,
            OptionalLong snapshotId,
            boolean timeTravel)
    {
        boolean data = table instanceof FileStoreTable;
        return new PaimonTableHandle(
                name,
                identifier.getDatabaseName(),
                identifier.getObjectName(),
                data ? PaimonTableHandle.Kind.DATA : PaimonTableHandle.Kind.READ_ONLY,
                table instanceof FileStoreTable fileStoreTable ? fileStoreTable.schema().id() : -1,
                snapshotId,
                timeTravel,
                !timeTravel && isUnion(session, table) ? ReadMode.UNION : ReadMode.COMMITTED,
                TupleDomain.all(),
                TupleDomain.all(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private boolean isUnion(ConnectorSession session, Table table)
    {
        // of a branch there are only committed rows
        return realtimeEnabled && table instanceof FileStoreTable data && PaimonTableProperties.isRealtime(table.options())
                && data.coreOptions().branch().equals(Identifier.DEFAULT_MAIN_BRANCH)
                && PaimonSessionProperties.getReadMode(session) == ReadMode.UNION;
    }

    /** The query reads nothing any more. */
    void endQuery(ConnectorSession session)
    {
        unionHandles.keySet().removeIf(table -> table.queryId().equals(session.getQueryId()));
        queries.release(session.getQueryId());
    }

    private PaimonTableHandle remember(PaimonTableHandle handle, Table table)
    {
        tables.putIfAbsent(new TableVersion(handle.database(), handle.table(), handle.schemaId()), table);
        return handle;
    }

    /** The table as the handle knows it: its schema, and its options when the transaction met it. */
    Table table(PaimonTableHandle handle)
    {
        return tables.computeIfAbsent(
                new TableVersion(handle.database(), handle.table(), handle.schemaId()),
                _ -> catalog.load(handle, ImmutableMap.of()));
    }

    /** What is known of the name: another table may have it now. */
    void forget(SchemaTableName name)
    {
        handles.remove(name);
        unionHandles.keySet().removeIf(table -> table.name().equals(name));
    }

    void forget(PaimonTableHandle handle)
    {
        forget(handle.name());
        tables.keySet().removeIf(version -> version.database().equals(handle.database()) && version.table().equals(handle.table()));
    }

    /**
     * @throws TrinoException NOT_SUPPORTED if it can only be read
     */
    FileStoreTable writable(PaimonTableHandle handle)
    {
        if (!(table(handle) instanceof FileStoreTable fileStoreTable) || handle.timeTravel()) {
            throw new TrinoException(NOT_SUPPORTED, "%s is read-only".formatted(handle.name()));
        }
        return fileStoreTable;
    }

    void forgetAll()
    {
        handles.clear();
        unionHandles.clear();
    }
}
