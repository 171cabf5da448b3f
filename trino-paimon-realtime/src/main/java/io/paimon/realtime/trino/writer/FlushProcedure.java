package io.paimon.realtime.trino.writer;

import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import com.google.inject.Provider;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.error.PaimonErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.procedure.Procedure;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.apache.paimon.catalog.Identifier;

/**
 * {@code CALL system.flush(schema_name, table_name)}: returns when everything accepted before it is in a snapshot; without arguments for all tables.
 */
class FlushProcedure implements Provider<Procedure>
{
    private static final MethodHandle FLUSH;

    static {
        try {
            FLUSH = lookup().unreflect(FlushProcedure.class.getMethod("flush", String.class, String.class));
        }
        catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private final RealtimeWriter writer;
    private final PaimonCatalog catalog;

    @Inject
    FlushProcedure(RealtimeWriter writer, PaimonCatalog catalog)
    {
        this.writer = requireNonNull(writer, "writer is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    @Override
    public Procedure get()
    {
        return new Procedure(
                "system",
                "flush",
                ImmutableList.of(
                        new Procedure.Argument("SCHEMA_NAME", VARCHAR, false, null),
                        new Procedure.Argument("TABLE_NAME", VARCHAR, false, null)),
                FLUSH.bindTo(this));
    }

    public void flush(String schemaName, String tableName)
    {
        if ((schemaName == null) != (tableName == null)) {
            throw new TrinoException(INVALID_PROCEDURE_ARGUMENT, "schema_name and table_name must be given together, or neither for all tables");
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            Optional<Identifier> table = Optional.empty();
            if (schemaName != null) {
                SchemaTableName name = new SchemaTableName(schemaName, tableName);
                table = Optional.of(catalog.findTable(name).orElseThrow(() -> new TableNotFoundException(name)));
            }
            writer.service().flush(table);
        }
        catch (RealtimeException e) {
            throw PaimonErrorCode.toTrinoException(e);
        }
    }
}
