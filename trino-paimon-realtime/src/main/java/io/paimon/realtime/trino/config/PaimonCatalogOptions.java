package io.paimon.realtime.trino.config;

import com.google.common.collect.ImmutableMap;

import java.util.Map;

/**
 * Options handed to the Paimon catalog as they are: what users set as {@code paimon.catalog.option.<name>}. They may hold secrets, so {@code toString} shows names only.
 */
public record PaimonCatalogOptions(Map<String, String> options)
{
    public static final String PREFIX = "paimon.catalog.option.";

    public PaimonCatalogOptions
    {
        options = ImmutableMap.copyOf(options);
    }

    /** Takes the options out of catalog properties. */
    public static PaimonCatalogOptions fromProperties(Map<String, String> properties)
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        properties.forEach((name, value) -> {
            if (name.startsWith(PREFIX)) {
                options.put(name.substring(PREFIX.length()), value);
            }
        });
        return new PaimonCatalogOptions(options.buildOrThrow());
    }

    @Override
    public String toString()
    {
        return "PaimonCatalogOptions" + options.keySet();
    }
}
