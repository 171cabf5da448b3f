package io.paimon.realtime.trino.definition;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.inject.Inject;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.TypeManager;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.iceberg.IcebergOptions;
import org.apache.paimon.options.ConfigOption;
import org.apache.paimon.options.FallbackKey;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Locale.ENGLISH;

/** Table properties of SQL, and how they are kept as options of the Paimon table. */
public final class PaimonTableProperties
{
    /** Option of the Paimon table that makes it a real-time table. */
    public static final String REALTIME_OPTION = "realtime.enabled";

    static final String REALTIME = "realtime";
    static final String PRIMARY_KEY = "primary_key";
    static final String PARTITIONED_BY = "partitioned_by";
    static final String BUCKET = "bucket";
    static final String BUCKET_KEY = "bucket_key";
    static final String FILE_FORMAT = "file_format";
    static final String MERGE_ENGINE = "merge_engine";
    static final String SEQUENCE_FIELD = "sequence_field";
    static final String CHANGELOG_PRODUCER = "changelog_producer";
    static final String DELETION_VECTORS_ENABLED = "deletion_vectors_enabled";
    public static final String REALTIME_OFFSET_COLUMN = "realtime_offset_column";
    static final String EXTRA_PROPERTIES = "extra_properties";

    /** SQL properties that are one option of the table each. */
    private static final Map<String, String> OPTION_OF_PROPERTY = ImmutableMap.<String, String>builder()
            .put(REALTIME, REALTIME_OPTION)
            .put(BUCKET, CoreOptions.BUCKET.key())
            .put(BUCKET_KEY, CoreOptions.BUCKET_KEY.key())
            .put(FILE_FORMAT, CoreOptions.FILE_FORMAT.key())
            .put(MERGE_ENGINE, CoreOptions.MERGE_ENGINE.key())
            .put(SEQUENCE_FIELD, CoreOptions.SEQUENCE_FIELD.key())
            .put(CHANGELOG_PRODUCER, CoreOptions.CHANGELOG_PRODUCER.key())
            .put(DELETION_VECTORS_ENABLED, CoreOptions.DELETION_VECTORS_ENABLED.key())
            .buildOrThrow();
    /** Options that users do not set by name. */
    private static final Set<String> RESERVED_OPTIONS = ImmutableSet.of(CoreOptions.PATH.key(), "primary-key", "partition", "type");
    private static final Set<String> FILE_FORMATS = ImmutableSet.of("parquet", "orc", "avro");
    /** Beginnings of options whose names hold the name of a column, of a level, of a class or of something a file format knows. */
    private static final List<String> DYNAMIC_PREFIXES = ImmutableList.of(
            CoreOptions.FIELDS_PREFIX + ".",
            CoreOptions.FILE_INDEX + ".",
            CoreOptions.FILE_FORMAT_PARQUET + ".",
            CoreOptions.FILE_FORMAT_ORC + ".",
            CoreOptions.FILE_FORMAT_AVRO + ".",
            CoreOptions.FILE_FORMAT_CSV + ".",
            CoreOptions.FILE_FORMAT_JSON + ".",
            CoreOptions.FILE_FORMAT_TEXT + ".",
            CoreOptions.FILE_FORMAT_PER_LEVEL.key() + ".",
            CoreOptions.FILE_COMPRESSION_PER_LEVEL.key() + ".",
            CoreOptions.BLOB_DESCRIPTOR_PREFIX,
            IcebergOptions.REST_CONFIG_PREFIX);
    /** Options with the name of a class where these have a {@code #}. */
    private static final List<String> CALLBACK_OPTIONS = ImmutableList.of(CoreOptions.COMMIT_CALLBACK_PARAM.key(),
            CoreOptions.TAG_CALLBACK_PARAM.key());
    private static final Set<String> KNOWN_OPTIONS = knownOptions();

    private final List<PropertyMetadata<?>> tableProperties;

    @Inject
    public PaimonTableProperties(TypeManager typeManager)
    {
        tableProperties = ImmutableList.<PropertyMetadata<?>>builder()
                .add(booleanProperty(REALTIME, "Rows go through the real-time writer and are visible before they are committed", null, false))
                .add(columnsProperty(PRIMARY_KEY, "Columns of the primary key"))
                .add(columnsProperty(PARTITIONED_BY, "Partition columns"))
                .add(integerProperty(BUCKET, "Number of buckets of a partition; -1 leaves the choice to Paimon", null, false))
                .add(columnsProperty(BUCKET_KEY, "Columns that decide about the bucket"))
                .add(stringProperty(FILE_FORMAT, "Format of data files: parquet, orc or avro", null, PaimonTableProperties::checkFileFormat, false))
                .add(stringProperty(MERGE_ENGINE, "How rows of one key become one: deduplicate, partial-update, aggregation, first-row", null, false))
                .add(columnsProperty(SEQUENCE_FIELD, "Columns that order the rows of one key"))
                .add(stringProperty(CHANGELOG_PRODUCER, "How changelogs are made: none, input, full-compaction, lookup", null, false))
                .add(booleanProperty(DELETION_VECTORS_ENABLED, "Mark deleted rows instead of merging when reading", null, false))
                .add(booleanProperty(REALTIME_OFFSET_COLUMN, "Add a column _OFFSET that the real-time writer fills", null, false))
                .add(new PropertyMetadata<>(
                        EXTRA_PROPERTIES,
                        "Any other options of the Paimon table",
                        new MapType(VARCHAR, VARCHAR, typeManager.getTypeOperators()),
                        Map.class,
                        null,
                        false,
                        PaimonTableProperties::checkExtraProperties,
                        value -> value))
                .build();
    }

    private static PropertyMetadata<?> columnsProperty(String name, String description)
    {
        return new PropertyMetadata<>(
                name,
                description,
                new ArrayType(VARCHAR),
                List.class,
                null,
                false,
                value -> ((Collection<?>) value).stream()
                        .map(column -> {
                            if (column == null) {
                                throw new TrinoException(INVALID_TABLE_PROPERTY, "%s contains NULL".formatted(name));
                            }
                            return ((String) column).toLowerCase(ENGLISH);
                        })
                        .collect(toImmutableList()),
                value -> value);
    }

    public List<PropertyMetadata<?>> getTableProperties()
    {
        return tableProperties;
    }

    private static void checkFileFormat(String format)
    {
        if (!FILE_FORMATS.contains(format.toLowerCase(ENGLISH))) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "Unknown file_format '%s': one of %s".formatted(format, FILE_FORMATS));
        }
    }

    private static Map<?, ?> checkExtraProperties(Object value)
    {
        Map<?, ?> properties = (Map<?, ?>) value;
        properties.forEach((name, option) -> {
            if (name == null || option == null) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, "extra_properties contains NULL");
            }
            checkOption((String) name);
        });
        return properties;
    }

    private static void checkOption(String name)
    {
        if (RESERVED_OPTIONS.contains(name)) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "Option '%s' cannot be set in extra_properties".formatted(name));
        }
        OPTION_OF_PROPERTY.forEach((property, option) -> {
            if (option.equals(name)) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, "Set '%s' by the table property '%s'".formatted(name, property));
            }
        });
        if (!KNOWN_OPTIONS.contains(name) && !isDynamic(name)) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "Paimon has no table option '%s'".formatted(name));
        }
    }

    private static boolean isDynamic(String name)
    {
        return DYNAMIC_PREFIXES.stream().anyMatch(prefix -> name.length() > prefix.length() && name.startsWith(prefix))
                || CALLBACK_OPTIONS.stream().anyMatch(option -> isCallbackOption(name, option.substring(0, option.indexOf('#')),
                        option.substring(option.indexOf('#') + 1)));
    }

    private static boolean isCallbackOption(String name, String prefix, String suffix)
    {
        return name.length() > prefix.length() + suffix.length() && name.startsWith(prefix) && name.endsWith(suffix);
    }

    private static Set<String> knownOptions()
    {
        ImmutableSet.Builder<String> names = ImmutableSet.builder();
        for (ConfigOption<?> option : Iterables.concat(CoreOptions.getOptions(), IcebergOptions.getOptions())) {
            names.add(option.key());
            for (FallbackKey fallback : option.fallbackKeys()) {
                names.add(fallback.getKey());
            }
        }
        return names.build();
    }

    @SuppressWarnings("unchecked")
    static List<String> getPrimaryKey(Map<String, Object> properties)
    {
        return (List<String>) properties.getOrDefault(PRIMARY_KEY, ImmutableList.of());
    }

    @SuppressWarnings("unchecked")
    static List<String> getPartitionedBy(Map<String, Object> properties)
    {
        return (List<String>) properties.getOrDefault(PARTITIONED_BY, ImmutableList.of());
    }

    static boolean hasOffsetColumn(Map<String, Object> properties)
    {
        return Boolean.TRUE.equals(properties.get(REALTIME_OFFSET_COLUMN));
    }

    /**
     * Options of the Paimon table that these properties set; an empty value takes the option away.
     *
     * @param columnName gives Paimon's name of a column, or refuses
     */
    static Map<String, Optional<String>> toOptions(Map<String, Optional<Object>> properties, ColumnNames columnName)
    {
        Map<String, Optional<String>> options = new LinkedHashMap<>();
        properties.forEach((property, value) -> {
            switch (property) {
                case EXTRA_PROPERTIES ->
                    value.ifPresent(extra -> ((Map<?, ?>) extra).forEach((name, option) -> options.put((String) name, Optional.of((String) option))));
                case BUCKET_KEY, SEQUENCE_FIELD -> options.put(OPTION_OF_PROPERTY.get(property), value.map(columns -> String.join(",",
                        ((List<?>) columns).stream().map(column -> columnName.resolve(property, (String) column)).toList())));
                case FILE_FORMAT -> options.put(OPTION_OF_PROPERTY.get(property), value.map(format -> ((String) format).toLowerCase(ENGLISH)));
                case PRIMARY_KEY, PARTITIONED_BY, REALTIME_OFFSET_COLUMN -> {
                }
                default -> options.put(OPTION_OF_PROPERTY.get(property), value.map(Object::toString));
            }
        });
        return options;
    }

    /** Turns names of columns in SQL into those of Paimon. */
    interface ColumnNames
    {
        String resolve(String property, String column);
    }

    /** What SHOW CREATE TABLE shows: not the extra properties, as the engine cannot write maps; they are in the table's {@code $options}. */
    public static Map<String, Object> fromTable(List<String> primaryKey, List<String> partitionKeys, Map<String, String> options)
    {
        ImmutableMap.Builder<String, Object> properties = ImmutableMap.builder();
        if (!primaryKey.isEmpty()) {
            properties.put(PRIMARY_KEY, lowerCase(primaryKey));
        }
        if (!partitionKeys.isEmpty()) {
            properties.put(PARTITIONED_BY, lowerCase(partitionKeys));
        }
        options.forEach((name, value) -> {
            Optional<String> property = OPTION_OF_PROPERTY.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(name))
                    .map(Map.Entry::getKey)
                    .findFirst();
            if (property.isEmpty()) {
                return;
            }
            properties.put(property.get(), switch (property.get()) {
                case REALTIME, DELETION_VECTORS_ENABLED -> Boolean.parseBoolean(value);
                case BUCKET -> Integer.parseInt(value);
                case BUCKET_KEY, SEQUENCE_FIELD -> lowerCase(List.of(value.split(",", -1)));
                default -> value;
            });
        });
        return properties.buildOrThrow();
    }

    private static List<String> lowerCase(List<String> names)
    {
        return names.stream().map(name -> name.strip().toLowerCase(ENGLISH)).collect(toImmutableList());
    }

    /** Whether the options make a table real-time. */
    public static boolean isRealtime(Map<String, String> options)
    {
        return Boolean.parseBoolean(options.get(REALTIME_OPTION));
    }

    /**
     * @throws TrinoException INVALID_TABLE_PROPERTY with the reason, if the table is to be real-time and cannot be
     */
    static void checkRealtime(Map<String, String> options, boolean hasPrimaryKey)
    {
        if (!isRealtime(options)) {
            return;
        }
        int bucket;
        try {
            bucket = Integer.parseInt(options.getOrDefault(CoreOptions.BUCKET.key(), CoreOptions.BUCKET.defaultValue().toString()));
        }
        catch (NumberFormatException e) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, "bucket is not a number: " + options.get(CoreOptions.BUCKET.key()), e);
        }
        if (bucket >= 1 || (bucket == -1 && !hasPrimaryKey)) {
            return;
        }
        throw new TrinoException(INVALID_TABLE_PROPERTY, hasPrimaryKey
                ? "A real-time table with a primary key needs bucket >= 1, as rows must be routed without an index: bucket is %s".formatted(bucket)
                : "A real-time table needs bucket >= 1, or bucket = -1 without a primary key: bucket is %s".formatted(bucket));
    }

    /** Rows in memory are in the buckets they were routed to. */
    static void checkRouting(Map<String, String> before, Map<String, String> after)
    {
        if (!isRealtime(before) || !isRealtime(after)) {
            return;
        }
        for (ConfigOption<?> option : List.of(CoreOptions.BUCKET, CoreOptions.BUCKET_KEY, CoreOptions.BUCKET_FUNCTION_TYPE)) {
            if (!Objects.equals(before.get(option.key()), after.get(option.key()))) {
                throw new TrinoException(NOT_SUPPORTED,
                        "Option '%s' of a real-time table cannot be changed: set realtime = false, which commits its rows, change it, and set realtime = true again"
                                .formatted(option.key()));
            }
        }
    }
}
