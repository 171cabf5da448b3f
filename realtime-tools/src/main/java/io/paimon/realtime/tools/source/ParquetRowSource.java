package io.paimon.realtime.tools.source;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.format.FormatReaderContext;
import org.apache.paimon.format.parquet.ParquetReaderFactory;
import org.apache.paimon.format.parquet.ParquetSchemaConverter;
import org.apache.paimon.format.parquet.ParquetUtil;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.shade.org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.paimon.shade.org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.paimon.shade.org.apache.parquet.schema.MessageType;
import org.apache.paimon.shade.org.apache.parquet.schema.Type;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/** A Parquet file of any program, read by Paimon's own reader. */
final class ParquetRowSource implements RowSource
{
    private static final int READ_BATCH_ROWS = 1024;

    private final String file;
    private final Schema schema;
    private final List<DataField> fields;
    private final List<InternalRow.FieldGetter> getters;
    private final RecordReaderIterator<InternalRow> rows;
    private long position;

    ParquetRowSource(Path path, TableColumns columns)
            throws IOException
    {
        this.file = path.toString();
        LocalFileIO fileIo = LocalFileIO.create();
        org.apache.paimon.fs.Path location = new org.apache.paimon.fs.Path(path.toAbsolutePath().toUri());
        long size = fileIo.getFileSize(location);
        RowType type;
        try (ParquetFileReader footer = ParquetUtil.getParquetReader(fileIo, location, size, new Options())) {
            MessageType schema = footer.getFooter().getFileMetaData().getSchema();
            type = ParquetSchemaConverter.convertToPaimonRowType(new MessageType(schema.getName(), numbered(schema.getFields())));
        }
        this.schema = new Schema(columns.resolve(file, type.getFieldNames()));
        this.fields = type.getFields();
        ImmutableList.Builder<InternalRow.FieldGetter> getters = ImmutableList.builder();
        for (int i = 0; i < fields.size(); i++) {
            getters.add(InternalRow.createFieldGetter(fields.get(i).type(), i));
        }
        this.getters = getters.build();
        this.rows = new RecordReaderIterator<>(new ParquetReaderFactory(new Options(), type, READ_BATCH_ROWS, FilterCompat.NOOP)
                .createReader(new FormatReaderContext(fileIo, location, size)));
    }

    /** Paimon wants a number on every field, which most programs do not write; the reader goes by name. */
    private static List<Type> numbered(List<Type> fields)
    {
        ImmutableList.Builder<Type> numbered = ImmutableList.builder();
        for (int i = 0; i < fields.size(); i++) {
            Type field = fields.get(i);
            Type inner = field.isPrimitive() ? field : field.asGroupType().withNewFields(numbered(field.asGroupType().getFields()));
            numbered.add(inner.withId(i));
        }
        return numbered.build();
    }

    @Override
    public Schema schema()
    {
        return schema;
    }

    @Override
    public int fill(VectorSchemaRoot root, int maxRows)
            throws IOException
    {
        RowWriter writer = new RowWriter(file, root);
        for (int count = 0; count < maxRows && rows.hasNext(); count++) {
            InternalRow row = rows.next();
            position++;
            for (int column = 0; column < getters.size(); column++) {
                writer.set(column, value(fields.get(column).type(), getters.get(column).getFieldOrNull(row)), position);
            }
            writer.endRow();
        }
        return writer.finish();
    }

    private static Object value(DataType type, Object value)
    {
        return switch (value) {
            case null -> null;
            case BinaryString text -> text.toString();
            case Decimal number -> number.toBigDecimal();
            case Timestamp time -> time.toLocalDateTime();
            case Integer number -> switch (type.getTypeRoot()) {
                case DATE -> LocalDate.ofEpochDay(number);
                case TIME_WITHOUT_TIME_ZONE -> LocalTime.ofNanoOfDay(number * 1_000_000L);
                default -> number;
            };
            case InternalArray array -> list(((ArrayType) type).getElementType(), array);
            case InternalMap map -> map((MapType) type, map);
            case InternalRow row -> row((RowType) type, row);
            default -> value;
        };
    }

    private static List<Object> list(DataType type, InternalArray array)
    {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        List<Object> elements = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            elements.add(value(type, getter.getElementOrNull(array, i)));
        }
        return Collections.unmodifiableList(elements);
    }

    private static Map<Object, Object> map(MapType type, InternalMap map)
    {
        List<Object> keys = list(type.getKeyType(), map.keyArray());
        List<Object> values = list(type.getValueType(), map.valueArray());
        Map<Object, Object> entries = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            entries.put(keys.get(i), values.get(i));
        }
        return Collections.unmodifiableMap(entries);
    }

    private static Map<String, Object> row(RowType type, InternalRow row)
    {
        Map<String, Object> values = new LinkedHashMap<>();
        List<DataField> fields = type.getFields();
        for (int i = 0; i < fields.size(); i++) {
            values.put(fields.get(i).name(), value(fields.get(i).type(), InternalRow.createFieldGetter(fields.get(i).type(), i).getFieldOrNull(row)));
        }
        return Collections.unmodifiableMap(values);
    }

    @Override
    public void close()
            throws IOException
    {
        try {
            rows.close();
        }
        catch (IOException | RuntimeException e) {
            throw e;
        }
        catch (Exception e) {
            throw new IOException(e);
        }
    }
}
