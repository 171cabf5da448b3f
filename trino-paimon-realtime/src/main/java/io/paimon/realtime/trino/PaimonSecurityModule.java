package io.paimon.realtime.trino;

import com.google.inject.Binder;
import io.airlift.configuration.AbstractConfigurationAwareModule;
import io.paimon.realtime.trino.config.PaimonConfig;
import io.trino.plugin.base.security.AllowAllSecurityModule;
import io.trino.plugin.base.security.ConnectorAccessControlModule;
import io.trino.plugin.base.security.FileBasedAccessControlModule;
import io.trino.plugin.base.security.ReadOnlySecurityModule;

public class PaimonSecurityModule extends AbstractConfigurationAwareModule
{
    @Override
    protected void setup(Binder binder)
    {
        install(new ConnectorAccessControlModule());
        install(switch (buildConfigObject(PaimonConfig.class).getSecurity()) {
            case ALLOW_ALL -> new AllowAllSecurityModule();
            case READ_ONLY -> new ReadOnlySecurityModule();
            case FILE -> new FileBasedAccessControlModule();
        });
    }
}
