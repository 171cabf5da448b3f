package io.paimon.realtime.trino.file;

import io.paimon.realtime.trino.handle.PaimonColumnHandle;
import io.paimon.realtime.trino.predicate.PaimonPredicates;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataFilePathFactory;
import org.apache.paimon.io.FileIndexEvaluator;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What the indexes of {@code file-index.*} say of a data file, in its manifest entry or in a file beside it. */
final class FileIndexes
{
    private FileIndexes()
    {}

    /**
     * @param schema that the file was written with
     * @param filter what every row of the result fulfils; not {@code none}
     * @return whether no row of the file fulfils the filter
     */
    static boolean exclude(FileStoreTable table, TableSchema schema, DataFilePathFactory paths, DataFileMeta file,
            TupleDomain<PaimonColumnHandle> filter) throws IOException
    {
        if (!hasIndex(file) || !table.coreOptions().fileIndexReadEnabled()) {
            return false;
        }
        Optional<Predicate> predicate = PaimonPredicates.toPaimon(schema.logicalRowType(),
                filter.filter((column, _) -> isIndexedAsRead(column, table.schema(), schema)));
        return predicate.isPresent()
                && !FileIndexEvaluator.evaluate(table.fileIO(), schema, List.of(predicate.get()), null, null, paths, file, null).remain();
    }

    private static boolean hasIndex(DataFileMeta file)
    {
        return file.embeddedIndex() != null
                || file.extraFiles().stream().anyMatch(name -> name.endsWith(DataFilePathFactory.INDEX_PATH_SUFFIX));
    }

    /** Whether the file holds the values of a column as a query sees them, under the same name, by which indexes are found. */
    private static boolean isIndexedAsRead(PaimonColumnHandle column, TableSchema table, TableSchema file)
    {
        Optional<DataField> tableField = field(table, column.fieldId());
        Optional<DataField> fileField = field(file, column.fieldId());
        return column.isColumn() && tableField.isPresent() && fileField.isPresent()
                && tableField.get().name().equals(fileField.get().name())
                && tableField.get().type().equalsIgnoreNullable(fileField.get().type());
    }

    private static Optional<DataField> field(TableSchema schema, int id)
    {
        return schema.fields().stream().filter(field -> field.id() == id).findFirst();
    }
}
