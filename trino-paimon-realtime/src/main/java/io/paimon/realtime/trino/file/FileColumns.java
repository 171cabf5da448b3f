package io.paimon.realtime.trino.file;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.trino.block.ColumnAppender;
import io.paimon.realtime.trino.block.DerivedPage;
import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.type.FieldSubsets;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;

/**
 * Where the columns of a scan come from in one data file: fields are found by their ids, as the file was written with the schema of its time; values of partition columns come
 * from the manifest, never from the file.
 *
 * @param sources one for each column of the scan
 * @param predicate what is asked of fields of the file whose statistics tell which values there are
 */
record FileColumns(List<Source> sources, Map<Field, Domain> predicate)
{
    FileColumns
    {
        sources = ImmutableList.copyOf(sources);
        predicate = ImmutableMap.copyOf(predicate);
    }

    sealed interface Source
    {}

    /**
     * @param name in the file
     * @param type to read it as
     */
    record Field(String name, Type type) implements Source
    {
        Field
        {
            requireNonNull(name, "name is null");
            requireNonNull(type, "type is null");
        }
    }

    /** @param value a block of one position: the value of all rows */
    record Constant(Block value) implements Source
    {
        Constant
        {
            requireNonNull(value, "value is null");
        }
    }

    /**
     * @param table schema that the scan sees
     * @param file schema that the file was written with
     * @param format of the file
     * @param utc whether Paimon's reader takes local time to be UTC
     * @param filter what every row of the result fulfils
     * @return empty if a column has changed in a way that Paimon's reader has to bring back
     */
    static Optional<FileColumns> resolve(List<PaimonColumnHandle> columns, TupleDomain<PaimonColumnHandle> filter, TableSchema table,
            TableSchema file, FileFormat format, boolean utc, BinaryRow partition)
    {
        ImmutableList.Builder<Source> sources = ImmutableList.builder();
        for (PaimonColumnHandle column : columns) {
            Optional<Source> source = source(column, table, file, format, utc, partition);
            if (source.isEmpty()) {
                return Optional.empty();
            }
            sources.add(source.get());
        }
        ImmutableMap.Builder<Field, Domain> predicate = ImmutableMap.builder();
        filter.getDomains().orElseThrow(() -> new IllegalArgumentException("filter is none")).forEach((column, domain) -> {
            if (column.isColumn() && source(column, table, file, format, utc, partition).orElse(null) instanceof Field field
                    && isComparable(field.type())) {
                predicate.put(field, domain);
            }
        });
        return Optional.of(new FileColumns(sources.build(), predicate.buildOrThrow()));
    }

    /** Whether statistics say which values there are: not where NaN is left out of them, nor where blanks at the end may or may not be stored. */
    private static boolean isComparable(Type type)
    {
        return !(type instanceof RealType || type instanceof DoubleType || type instanceof CharType);
    }

    private static Optional<Source> source(PaimonColumnHandle column, TableSchema table, TableSchema file, FileFormat format, boolean utc,
            BinaryRow partition)
    {
        int partitionField = table.partitionKeys().indexOf(column.name());
        if (partitionField >= 0) {
            return Optional.of(
                    new Constant(partitionValue(table.logicalPartitionType().getTypeAt(partitionField), column.type(), partition, partitionField)));
        }
        Optional<DataField> tableField = field(table, column.fieldId());
        if (tableField.isEmpty()) {
            return Optional.empty();
        }
        Optional<DataField> fileField = field(file, column.fieldId());
        if (fileField.isEmpty()) {
            return Optional.of(new Constant(column.type().createNullBlock()));
        }
        DataType wanted = FieldSubsets.select(tableField.get().type(), column.type());
        if (!isReadAsWritten(wanted, fileField.get().type())
                || !format.readsColumn(FieldSubsets.select(fileField.get().type(), column.type()), utc)) {
            return Optional.empty();
        }
        return Optional.of(new Field(fileField.get().name(), column.type()));
    }

    /** Tells a reader of a file to read a field. */
    interface FieldReads
    {
        /** @return channel of the field in the pages of the reader; negative if the file leaves it out, as it may where all is NULL */
        int read(Field field);
    }

    /**
     * How pages of a reader become pages of the scan. Each field is read once.
     *
     * @param conversions null for fields that are read as they are to be
     */
    DerivedPage.Layout layout(FieldReads reads, Function<Field, DerivedPage.Conversion> conversions)
    {
        int[] channels = new int[sources.size()];
        Block[] constants = new Block[sources.size()];
        DerivedPage.Conversion[] converted = new DerivedPage.Conversion[sources.size()];
        Map<Field, Integer> channelOfField = new HashMap<>();
        for (int i = 0; i < channels.length; i++) {
            switch (sources.get(i)) {
                case Constant constant -> {
                    channels[i] = -1;
                    constants[i] = constant.value();
                }
                case Field field -> {
                    channels[i] = channelOfField.computeIfAbsent(field, reads::read);
                    constants[i] = channels[i] < 0 ? field.type().createNullBlock() : null;
                    converted[i] = conversions.apply(field);
                }
            }
        }
        return new DerivedPage.Layout(channels, constants, converted);
    }

    private static Optional<DataField> field(TableSchema schema, int id)
    {
        return schema.fields().stream().filter(field -> field.id() == id).findFirst();
    }

    private static Block partitionValue(DataType dataType, Type type, BinaryRow partition, int field)
    {
        BlockBuilder builder = type.createBlockBuilder(null, 1);
        ColumnAppender.create(dataType, type).append(partition, field, builder);
        return builder.build();
    }

    /** Whether values are stored as they are to be read. Trino's readers find fields of rows by name without regard to case. */
    private static boolean isReadAsWritten(DataType table, DataType file)
    {
        if (table.getTypeRoot() != file.getTypeRoot()) {
            return false;
        }
        return switch (table) {
            case ArrayType array -> isReadAsWritten(array.getElementType(), ((ArrayType) file).getElementType());
            case MultisetType multiset -> isReadAsWritten(multiset.getElementType(), ((MultisetType) file).getElementType());
            case MapType map -> isReadAsWritten(map.getKeyType(), ((MapType) file).getKeyType())
                    && isReadAsWritten(map.getValueType(), ((MapType) file).getValueType());
            case RowType row -> isReadAsWritten(row, (RowType) file);
            default -> table.equalsIgnoreNullable(file);
        };
    }

    private static boolean isReadAsWritten(RowType table, RowType file)
    {
        Set<String> names = new HashSet<>();
        if (!file.getFields().stream().allMatch(field -> names.add(field.name().toLowerCase(Locale.ENGLISH)))) {
            return false;
        }
        return table.getFields().stream().allMatch(field -> file.containsField(field.id())
                && file.getField(field.id()).name().equals(field.name())
                && isReadAsWritten(field.type(), file.getField(field.id()).type()));
    }
}
