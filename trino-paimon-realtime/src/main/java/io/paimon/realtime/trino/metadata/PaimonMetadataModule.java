package io.paimon.realtime.trino.metadata;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Scopes;

/** The metadata of the catalog, per transaction. */
public final class PaimonMetadataModule implements Module
{
    @Override
    public void configure(Binder binder)
    {
        binder.bind(PaimonMetadataFactory.class).in(Scopes.SINGLETON);
        binder.bind(PaimonTransactionManager.class).in(Scopes.SINGLETON);
    }
}
