package io.paimon.realtime.trino.definition;

import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeCasts;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.DataTypeFamily;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DecimalType;

/**
 * Which types a column may get while it has rows. Files keep the values as they were written and are cast when they are read, so a type that cannot hold them would change them
 * silently.
 */
final class TypeChanges
{
    private TypeChanges()
    {}

    /** Whether all values stay what they are. Text that becomes another type is the exception: what is not of that type cannot be read. */
    static boolean isAllowed(DataType from, DataType to)
    {
        if (isNested(from) || isNested(to)) {
            return from.copy(true).equals(to.copy(true));
        }
        boolean fromText = from.is(DataTypeFamily.CHARACTER_STRING);
        boolean toText = to.is(DataTypeFamily.CHARACTER_STRING);
        if (fromText && toText) {
            return DataTypeChecks.getLength(to) >= DataTypeChecks.getLength(from);
        }
        if (fromText != toText) {
            return DataTypeCasts.supportsCast(from, to, true);
        }
        if (from.getTypeRoot() != to.getTypeRoot()) {
            return DataTypeCasts.supportsCast(from, to, false) && !to.is(DataTypeRoot.DECIMAL);
        }
        return switch (from.getTypeRoot()) {
            case DECIMAL -> integerDigits(to) >= integerDigits(from) && DataTypeChecks.getScale(to) >= DataTypeChecks.getScale(from);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE, TIME_WITHOUT_TIME_ZONE ->
                DataTypeChecks.getPrecision(to) >= DataTypeChecks.getPrecision(from);
            default -> true;
        };
    }

    private static int integerDigits(DataType type)
    {
        DecimalType decimal = (DecimalType) type;
        return decimal.getPrecision() - decimal.getScale();
    }

    private static boolean isNested(DataType type)
    {
        return switch (type.getTypeRoot()) {
            case ARRAY, MAP, MULTISET, ROW -> true;
            default -> false;
        };
    }
}
