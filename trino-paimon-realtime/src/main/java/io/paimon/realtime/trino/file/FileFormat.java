package io.paimon.realtime.trino.file;

import io.trino.spi.type.CharType;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

import java.util.List;
import java.util.Optional;

/** Formats that Trino has readers for, and the types whose values they give as Paimon's readers do. */
enum FileFormat
{
    PARQUET {
        @Override
        boolean readsScalar(DataType type)
        {
            return switch (type.getTypeRoot()) {
                case VARIANT, BLOB -> false;
                default -> true;
            };
        }
    },
    /**
     * Timestamps of ORC are of the time zone of the Java process that wrote them, and converted by each reader with rules of its own: only those in UTC are known to be the same. A time of day is stored as an
     * integer.
     */
    ORC {
        @Override
        boolean readsScalar(DataType type)
        {
            return switch (type.getTypeRoot()) {
                case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE, TIME_WITHOUT_TIME_ZONE, VARIANT, BLOB -> false;
                // a longer one is a varchar of Trino, which would keep the blanks at its end
                case CHAR -> ((org.apache.paimon.types.CharType) type).getLength() <= CharType.MAX_LENGTH;
                default -> true;
            };
        }

        @Override
        boolean readsColumn(DataType type, boolean utc)
        {
            return (utc && type.getTypeRoot() == DataTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE) || super.readsColumn(type, utc);
        }
    };

    static Optional<FileFormat> of(DataFileMeta file)
    {
        return switch (file.fileFormat()) {
            case "parquet" -> Optional.of(PARQUET);
            case "orc" -> Optional.of(ORC);
            default -> Optional.empty();
        };
    }

    abstract boolean readsScalar(DataType type);

    /**
     * Whether Trino's reader gives the values of Paimon's.
     *
     * @param utc whether Paimon's reader takes local time to be UTC; that the file was written so remains to be seen
     */
    boolean readsColumn(DataType type, boolean utc)
    {
        return reads(type);
    }

    private boolean reads(DataType type)
    {
        return children(type).map(types -> types.stream().allMatch(this::reads)).orElseGet(() -> readsScalar(type));
    }

    private static Optional<List<DataType>> children(DataType type)
    {
        return switch (type) {
            case ArrayType array -> Optional.of(List.of(array.getElementType()));
            case MultisetType multiset -> Optional.of(List.of(multiset.getElementType()));
            case MapType map -> Optional.of(List.of(map.getKeyType(), map.getValueType()));
            case RowType row -> Optional.of(row.getFieldTypes());
            default -> Optional.empty();
        };
    }
}
