package io.paimon.realtime.trino.handle;

import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.type.Type;

import java.util.Optional;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/** Columns that every table has without showing them: where a row comes from. Of a row that is in no file, or merged from several, those of files are NULL. */
public enum HiddenColumn
{
    /** Where the data file is. */
    PATH("$path", VARCHAR),
    /** Bytes of the data file. */
    FILE_SIZE("$file_size", BIGINT),
    /** When the data file was written. */
    FILE_MODIFIED_TIME("$file_modified_time", TIMESTAMP_TZ_MILLIS),
    /** The partition as in paths, {@code a=1/b=2}; only tables that are partitioned have it. */
    PARTITION("$partition", VARCHAR);

    private final String columnName;
    private final Type type;

    HiddenColumn(String columnName, Type type)
    {
        this.columnName = requireNonNull(columnName, "columnName is null");
        this.type = requireNonNull(type, "type is null");
    }

    /** No column of a table has such an id. */
    private int fieldId()
    {
        return Integer.MIN_VALUE + ordinal();
    }

    public PaimonColumnHandle handle()
    {
        return new PaimonColumnHandle(columnName, fieldId(), type);
    }

    public ColumnMetadata metadata()
    {
        return ColumnMetadata.builder().setName(columnName).setType(type).setHidden(true).build();
    }

    /** Which one a handle stands for; empty for columns of the table. */
    public static Optional<HiddenColumn> of(PaimonColumnHandle handle)
    {
        for (HiddenColumn column : values()) {
            if (column.fieldId() == handle.fieldId()) {
                return Optional.of(column);
            }
        }
        return Optional.empty();
    }

    public Type type()
    {
        return type;
    }
}
