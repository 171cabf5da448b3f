package io.paimon.realtime.trino.catalog;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.paimon.realtime.trino.handle.PaimonTableHandle;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import jakarta.annotation.PreDestroy;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_CATALOG_ERROR;
import static java.util.Locale.ENGLISH;

/** The Paimon catalog behind a Trino catalog: finds tables by Trino's lower-case names and loads them as handles say. */
public class PaimonCatalog
{
    private static final String MAIN_BRANCH_SUFFIX = Identifier.SYSTEM_TABLE_SPLITTER + Identifier.SYSTEM_BRANCH_PREFIX
            + Identifier.DEFAULT_MAIN_BRANCH;

    private final Catalog catalog;

    @Inject
    PaimonCatalog(PaimonCatalogFactory catalogFactory)
    {
        this.catalog = catalogFactory.create();
    }

    /** The catalog itself, closed with this object. */
    public Catalog catalog()
    {
        return catalog;
    }

    @PreDestroy
    public void close()
            throws Exception
    {
        catalog.close();
    }

    public List<String> listDatabases()
    {
        try {
            // the tables of Paimon's own database show the options of the catalog, and what is secret among them
            return catalog.listDatabases().stream().filter(database -> !database.equals(Catalog.SYSTEM_DATABASE_NAME)).collect(toImmutableList());
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot list schemas: " + e.getMessage(), e);
        }
    }

    /** Paimon's name of a schema. */
    public Optional<String> findDatabase(String schemaName)
    {
        return match(schemaName, listDatabases(), "Schemas");
    }

    /** Names of the tables in a database of Paimon; empty if the database is gone. */
    public List<String> listTables(String database)
    {
        try {
            return catalog.listTables(database);
        }
        catch (Catalog.DatabaseNotExistException e) {
            return List.of();
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot list tables of %s: %s".formatted(database, e.getMessage()), e);
        }
    }

    /**
     * Paimon's name of a table or system table, whether or not the system part exists.
     */
    public Optional<Identifier> findTable(SchemaTableName name)
    {
        String tableName = name.getTableName();
        if (tableName.endsWith(MAIN_BRANCH_SUFFIX)) {
            // the table itself, under its own name for leases and views
            tableName = tableName.substring(0, tableName.length() - MAIN_BRANCH_SUFFIX.length());
        }
        int separator = tableName.indexOf(Identifier.SYSTEM_TABLE_SPLITTER);
        String base = separator < 0 ? tableName : tableName.substring(0, separator);
        String suffix = separator < 0 ? "" : tableName.substring(separator);
        if (base.isEmpty()) {
            return Optional.empty();
        }
        return findDatabase(name.getSchemaName())
                .flatMap(database -> match(base, listTables(database), "Tables").map(table -> new Identifier(database, table + suffix)));
    }

    private static Optional<String> match(String name, List<String> candidates, String what)
    {
        if (candidates.contains(name)) {
            return Optional.of(name);
        }
        List<String> matches = candidates.stream()
                .filter(candidate -> candidate.toLowerCase(ENGLISH).equals(name))
                .collect(toImmutableList());
        if (matches.size() > 1) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "%s that differ in case only cannot be told apart: %s".formatted(what, matches));
        }
        return matches.stream().findFirst();
    }

    /**
     * The newest definition of a table; empty if there is none.
     */
    public Optional<Table> load(Identifier identifier)
    {
        try {
            return Optional.of(catalog.getTable(identifier));
        }
        catch (Catalog.TableNotExistException e) {
            return Optional.empty();
        }
        catch (RuntimeException e) {
            throw new TrinoException(PAIMON_CATALOG_ERROR, "Cannot load table %s: %s".formatted(identifier.getFullName(), e.getMessage()), e);
        }
    }

    /** Whether the table can get another name: object stores do not rename, and tables of a REST server need not be renamed there. */
    public boolean canRename(FileStoreTable table)
    {
        return !table.fileIO().isObjectStore() || "rest".equals(catalog.options().get(CatalogOptions.METASTORE.key()));
    }

    /** The table with the schema and at the snapshot of the handle, read with the given options. */
    public Table load(PaimonTableHandle handle, Map<String, String> readOptions)
    {
        Table table = load(handle.identifier()).orElseThrow(() -> new TableNotFoundException(handle.name()));
        if (handle.kind() != PaimonTableHandle.Kind.DATA) {
            return table;
        }
        ImmutableMap.Builder<String, String> options = ImmutableMap.<String, String>builder().putAll(readOptions);
        if (handle.snapshotId().isPresent() && (handle.timeTravel() || isReadAtOneSnapshot(table))) {
            options.put(CoreOptions.SCAN_MODE.key(), CoreOptions.StartupMode.FROM_SNAPSHOT.toString());
            options.put(CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(handle.snapshotId().getAsLong()));
        }
        return withSchema((FileStoreTable) table, handle.schemaId()).copyWithoutTimeTravel(options.buildOrThrow());
    }

    /** Whether a snapshot says what is read: not if a second branch fills in for missing partitions, as that has snapshots of its own. */
    public static boolean isReadAtOneSnapshot(Table table)
    {
        return !table.options().containsKey(CoreOptions.SCAN_FALLBACK_BRANCH.key());
    }

    /** The table with the schema it had when it had the given schema id, and with its options of today. */
    public static FileStoreTable withSchema(FileStoreTable table, long schemaId)
    {
        if (table.schema().id() == schemaId) {
            return table;
        }
        return table.copy(table.schemaManager().schema(schemaId).copy(table.options()));
    }
}
