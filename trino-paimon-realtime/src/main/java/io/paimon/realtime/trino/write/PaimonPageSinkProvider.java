package io.paimon.realtime.trino.write;

import com.google.inject.Inject;
import io.paimon.realtime.trino.catalog.PaimonCatalog;
import io.paimon.realtime.trino.config.PaimonConfig;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.filesystem.PaimonSpillSpace;
import io.paimon.realtime.trino.handle.PaimonWriteHandle;
import io.paimon.realtime.trino.writer.RealtimeCarrier;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.ConnectorPageSinkId;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.TableNotFoundException;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.memory.HeapMemorySegmentPool;
import org.apache.paimon.memory.MemoryPoolFactory;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.TableWriteImpl;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import static io.paimon.realtime.trino.error.PaimonErrorCode.PAIMON_INVALID_METADATA;
import static java.util.Objects.requireNonNull;

class PaimonPageSinkProvider implements ConnectorPageSinkProvider
{
    private final PaimonCatalog catalog;
    private final PaimonSpillSpace spillSpace;
    private final RealtimeCarrier carrier;
    private final long writeBufferSize;

    @Inject
    PaimonPageSinkProvider(PaimonCatalog catalog, PaimonSpillSpace spillSpace, RealtimeCarrier carrier, PaimonConfig config)
    {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.spillSpace = requireNonNull(spillSpace, "spillSpace is null");
        this.carrier = requireNonNull(carrier, "carrier is null");
        this.writeBufferSize = config.getWriteBufferSize().toBytes();
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transaction, ConnectorSession session,
            ConnectorOutputTableHandle outputTableHandle,
            Optional<ConnectorTableCredentials> tableCredentials, ConnectorPageSinkId pageSinkId)
    {
        return createPageSink(session, (PaimonWriteHandle) outputTableHandle);
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transaction, ConnectorSession session,
            ConnectorInsertTableHandle insertTableHandle,
            Optional<ConnectorTableCredentials> tableCredentials, ConnectorPageSinkId pageSinkId)
    {
        return createPageSink(session, (PaimonWriteHandle) insertTableHandle);
    }

    private ConnectorPageSink createPageSink(ConnectorSession session, PaimonWriteHandle handle)
    {
        FileStoreTable loaded = (FileStoreTable) catalog.load(handle.identifier()).orElseThrow(() -> new TableNotFoundException(handle.name()));
        if (handle.realtime().isPresent()) {
            return new RealtimePageSink(handle, handle.realtime().get(), carrier, PaimonCatalog.withSchema(loaded, handle.schemaId()).rowType());
        }
        Map<String, String> options = new HashMap<>();
        // compaction in here would race with that of others
        options.put(CoreOptions.WRITE_ONLY.key(), "true");
        PaimonSessionProperties.getTargetMaxFileSize(session)
                .ifPresent(size -> options.put(CoreOptions.TARGET_FILE_SIZE.key(), size.toBytes() + " b"));
        if (!loaded.options().containsKey(CoreOptions.WRITE_BUFFER_SIZE.key())) {
            options.put(CoreOptions.WRITE_BUFFER_SIZE.key(), writeBufferSize + " b");
        }
        FileStoreTable table = PaimonCatalog.withSchema(loaded, handle.schemaId()).copyWithoutTimeTravel(options);

        int[] fields = handle.columns().stream()
                .mapToInt(column -> {
                    int field = table.rowType().getFieldIndex(column.name());
                    if (field < 0) {
                        throw new TrinoException(PAIMON_INVALID_METADATA, "Column %s of %s is gone".formatted(column.name(), handle.name()));
                    }
                    return field;
                })
                .toArray();
        CoreOptions coreOptions = table.coreOptions();
        HeapMemorySegmentPool memoryPool = new HeapMemorySegmentPool(coreOptions.writeBufferSize(), coreOptions.pageSize());
        TableWriteImpl<?> write = table.newWrite(handle.commitUser())
                .withIOManager(spillSpace.ioManager())
                .withMemoryPoolFactory(new MemoryPoolFactory(memoryPool));
        return new PaimonPageSink(handle, write, memoryPool, fields, table.rowType().getFieldCount());
    }
}
