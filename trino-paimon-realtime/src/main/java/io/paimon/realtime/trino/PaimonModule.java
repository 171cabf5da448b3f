package io.paimon.realtime.trino;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Scopes;
import io.paimon.realtime.trino.config.PaimonConfig;
import io.paimon.realtime.trino.config.PaimonSessionProperties;
import io.paimon.realtime.trino.config.RealtimeConfig;
import io.paimon.realtime.trino.definition.PaimonTableProperties;
import io.paimon.realtime.trino.metadata.PaimonMetadataModule;
import io.paimon.realtime.trino.read.PaimonReadModule;
import io.paimon.realtime.trino.write.PaimonWriteModule;
import io.paimon.realtime.trino.writer.RealtimeWriterModule;
import io.trino.plugin.base.session.SessionPropertiesProvider;

import static com.google.inject.multibindings.Multibinder.newSetBinder;
import static io.airlift.configuration.ConfigBinder.configBinder;

public class PaimonModule implements Module
{
    @Override
    public void configure(Binder binder)
    {
        configBinder(binder).bindConfig(PaimonConfig.class);
        configBinder(binder).bindConfig(RealtimeConfig.class);
        newSetBinder(binder, SessionPropertiesProvider.class).addBinding().to(PaimonSessionProperties.class).in(Scopes.SINGLETON);
        binder.bind(PaimonTableProperties.class).in(Scopes.SINGLETON);

        binder.install(new RealtimeWriterModule());
        binder.install(new PaimonMetadataModule());
        binder.install(new PaimonReadModule());
        binder.install(new PaimonWriteModule());

        binder.bind(PaimonConnector.class).in(Scopes.SINGLETON);
    }
}
