package io.paimon.realtime.flight;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.List;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.paimon.catalog.Identifier;

/**
 * Where the batches of a DoPut go, as its descriptor says: {@code [schema, table]} or {@code ["$stage", schema, table, statement, part]}.
 */
sealed interface PutTarget permits PutTarget.Append, PutTarget.Stage
{
    String STAGE = "$stage";

    Identifier table();

    /** Each batch becomes visible at once. */
    record Append(Identifier table) implements PutTarget
    {
        public Append
        {
            requireNonNull(table, "table is null");
        }
    }

    /** Batches are kept for the publication of a statement. */
    record Stage(Identifier table, String statement, String part) implements PutTarget
    {
        public Stage
        {
            requireNonNull(table, "table is null");
            requireNonNull(statement, "statement is null");
            requireNonNull(part, "part is null");
        }
    }

    default FlightDescriptor descriptor()
    {
        return switch (this) {
            case Append append -> FlightDescriptor.path(append.table().getDatabaseName(), append.table().getObjectName());
            case Stage stage -> FlightDescriptor.path(STAGE, stage.table().getDatabaseName(), stage.table().getObjectName(), stage.statement(),
                    stage.part());
        };
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if the descriptor is of neither form
     */
    static PutTarget of(FlightDescriptor descriptor)
    {
        if (!descriptor.isCommand()) {
            List<String> path = descriptor.getPath();
            if (path.stream().noneMatch(String::isEmpty)) {
                if (path.size() == 2) {
                    return new Append(Identifier.create(path.get(0), path.get(1)));
                }
                if (path.size() == 5 && path.get(0).equals(STAGE)) {
                    return new Stage(Identifier.create(path.get(1), path.get(2)), path.get(3), path.get(4));
                }
            }
        }
        throw new RealtimeException(Code.INVALID_ARGUMENT, "The descriptor must be the path [schema, table], got " + descriptor);
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if the descriptor does not name a table
     */
    static Identifier table(FlightDescriptor descriptor)
    {
        if (of(descriptor) instanceof Append append) {
            return append.table();
        }
        throw new RealtimeException(Code.INVALID_ARGUMENT, "The descriptor must be the path [schema, table], got " + descriptor);
    }
}
