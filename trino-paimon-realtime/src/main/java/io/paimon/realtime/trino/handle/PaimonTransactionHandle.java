package io.paimon.realtime.trino.handle;

import io.trino.spi.connector.ConnectorTransactionHandle;

import java.util.UUID;

import static java.util.Objects.requireNonNull;

public record PaimonTransactionHandle(UUID id) implements ConnectorTransactionHandle
{
    public PaimonTransactionHandle
    {
        requireNonNull(id, "id is null");
    }
}
