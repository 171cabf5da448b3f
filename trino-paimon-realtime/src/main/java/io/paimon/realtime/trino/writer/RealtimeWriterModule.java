package io.paimon.realtime.trino.writer;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Scopes;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.procedure.Procedure;

import static com.google.inject.multibindings.Multibinder.newSetBinder;

/** The real-time writer of the catalog, the ways to it, and what shows and flushes it. */
public final class RealtimeWriterModule implements Module
{
    @Override
    public void configure(Binder binder)
    {
        binder.bind(RealtimeWriter.class).asEagerSingleton();
        binder.bind(RealtimeQueries.class).in(Scopes.SINGLETON);
        binder.bind(RealtimeCarrier.class).in(Scopes.SINGLETON);
        newSetBinder(binder, Procedure.class).addBinding().toProvider(FlushProcedure.class).in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class).addBinding().to(RealtimeWritersTable.class).in(Scopes.SINGLETON);
    }
}
