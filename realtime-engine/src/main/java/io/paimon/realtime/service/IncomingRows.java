package io.paimon.realtime.service;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.memory.arrow.ArrowBatchNormalizer;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.types.RowType;

/**
 * Rows in canonical form, in the memory of whoever sent them: they are the writer's only once they are gathered into its segments.
 *
 * @param transfer memory for rows that have no columns to say whose they are
 */
record IncomingRows(BufferAllocator transfer)
{
    IncomingRows
    {
        requireNonNull(transfer, "transfer is null");
    }

    /**
     * @param rows stay the caller's, who closes the result as well
     * @throws RealtimeException BAD_DATA or INVALID_ARGUMENT if they do not fit the schema
     */
    VectorSchemaRoot canonical(Identifier table, RowType schema, VectorSchemaRoot rows)
    {
        BufferAllocator sender = rows.getFieldVectors().isEmpty() ? transfer : rows.getVector(0).getAllocator();
        return new ArrowBatchNormalizer(table.getFullName(), schema, List.of()).normalize(rows, sender);
    }

    static RealtimeException noMemory(Identifier table, OutOfMemoryException e)
    {
        return new RealtimeException(Code.RESOURCE_EXHAUSTED,
                "Table %s: no memory for these rows now; try again: %s".formatted(table.getFullName(), e.getMessage()), e);
    }
}
