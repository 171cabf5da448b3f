package io.paimon.realtime.trino.metadata;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.inject.Inject;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/** One {@link PaimonMetadata} per transaction: all of it sees one snapshot of a table. */
@ThreadSafe
public class PaimonTransactionManager
{
    private final PaimonMetadataFactory metadataFactory;
    private final ConcurrentMap<ConnectorTransactionHandle, PaimonMetadata> transactions = new ConcurrentHashMap<>();

    @Inject
    PaimonTransactionManager(PaimonMetadataFactory metadataFactory)
    {
        this.metadataFactory = requireNonNull(metadataFactory, "metadataFactory is null");
    }

    /** Every transaction that begins is committed or rolled back. */
    public void begin(ConnectorTransactionHandle transaction)
    {
        PaimonMetadata previous = transactions.putIfAbsent(transaction, metadataFactory.create());
        checkArgument(previous == null, "Transaction has begun already: %s", transaction);
    }

    public ConnectorMetadata get(ConnectorTransactionHandle transaction)
    {
        PaimonMetadata metadata = transactions.get(transaction);
        checkArgument(metadata != null, "No such transaction: %s", transaction);
        return metadata;
    }

    public void commit(ConnectorTransactionHandle transaction)
    {
        checkArgument(transactions.remove(transaction) != null, "No such transaction: %s", transaction);
    }

    public void rollback(ConnectorTransactionHandle transaction)
    {
        PaimonMetadata metadata = transactions.remove(transaction);
        checkArgument(metadata != null, "No such transaction: %s", transaction);
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(getClass().getClassLoader())) {
            metadata.rollback();
        }
    }
}
