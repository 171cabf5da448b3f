package io.paimon.realtime.trino.definition;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static io.trino.spi.StandardErrorCode.INVALID_ANALYZE_PROPERTY;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Locale.ENGLISH;

/** {@code ANALYZE t WITH (..)}. */
public final class AnalyzeProperties
{
    private static final String COLUMNS = "columns";

    private AnalyzeProperties()
    {}

    public static List<PropertyMetadata<?>> all()
    {
        return ImmutableList
                .of(new PropertyMetadata<>(COLUMNS, "Columns to analyze; all if not given", new ArrayType(VARCHAR), Set.class, null, false,
                        value -> names((Collection<?>) value), value -> value));
    }

    private static Set<String> names(Collection<?> value)
    {
        ImmutableSet.Builder<String> names = ImmutableSet.builder();
        for (Object name : value) {
            if (name == null) {
                throw new TrinoException(INVALID_ANALYZE_PROPERTY, "Names of columns to analyze must not be NULL");
            }
            names.add(((String) name).toLowerCase(ENGLISH));
        }
        return names.build();
    }

    @SuppressWarnings("unchecked")
    /** Names in lower case; empty for all columns. */
    public static Optional<Set<String>> columns(Map<String, Object> properties)
    {
        return Optional.ofNullable((Set<String>) properties.get(COLUMNS));
    }
}
