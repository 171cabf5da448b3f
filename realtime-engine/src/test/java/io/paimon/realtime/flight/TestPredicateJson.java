package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.model.RealtimeException.Code;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.FieldTransform;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.predicate.UpperTransform;
import org.apache.paimon.predicate.StartsWith;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TestPredicateJson
{
    static Stream<Arguments> values()
    {
        return Stream.of(
                Arguments.of(DataTypes.BOOLEAN(), true, false),
                Arguments.of(DataTypes.TINYINT(), Byte.MIN_VALUE, (byte) 3),
                Arguments.of(DataTypes.SMALLINT(), Short.MAX_VALUE, (short) -3),
                Arguments.of(DataTypes.INT(), Integer.MIN_VALUE, 7),
                Arguments.of(DataTypes.BIGINT(), Long.MAX_VALUE, Long.MIN_VALUE),
                Arguments.of(DataTypes.FLOAT(), -0.0f, Float.NaN),
                Arguments.of(DataTypes.DOUBLE(), Double.NEGATIVE_INFINITY, Double.MIN_VALUE),
                Arguments.of(DataTypes.DECIMAL(9, 2), Decimal.fromBigDecimal(new BigDecimal("-12.30"), 9, 2), Decimal.zero(9, 2)),
                Arguments.of(DataTypes.DECIMAL(38, 0), Decimal.fromBigDecimal(new BigDecimal("9".repeat(38)), 38, 0), Decimal.zero(38, 0)),
                Arguments.of(DataTypes.CHAR(3), BinaryString.fromString("a\"\u0000"), BinaryString.fromString("")),
                Arguments.of(DataTypes.STRING(), BinaryString.fromString("漢字 😀"), BinaryString.fromBytes(new byte[]{(byte) 0xff, 0x41})),
                Arguments.of(DataTypes.BYTES(), new byte[]{0, -1, 2}, new byte[0]),
                Arguments.of(DataTypes.DATE(), -1, 20_000),
                Arguments.of(DataTypes.TIME(3), 0, 86_399_999),
                Arguments.of(DataTypes.TIMESTAMP(9), Timestamp.fromEpochMillis(-5, 999_999), Timestamp.fromEpochMillis(Long.MAX_VALUE / 4)),
                Arguments.of(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6), Timestamp.fromMicros(-1), Timestamp.fromMicros(1)));
    }

    @ParameterizedTest
    @MethodSource("values")
    void everyFunctionOfEveryTypeComesBack(DataType type, Object first, Object second)
    {
        PredicateBuilder builder = new PredicateBuilder(RowType.of(DataTypes.INT(), type));
        List<Predicate> predicates = new ArrayList<>(List.of(builder.equal(1, first), builder.notEqual(1, second), builder.lessThan(1, first),
                builder.lessOrEqual(1, first), builder.greaterThan(1, first), builder.greaterOrEqual(1, second), builder.isNull(1),
                builder.isNotNull(1),
                builder.in(1, many(first, second)), builder.notIn(1, many(first, second)), builder.between(1, first, second),
                builder.startsWith(1, first), builder.endsWith(1, first), builder.contains(1, second)));
        predicates.add(PredicateBuilder.and(List.copyOf(predicates)));
        predicates.add(PredicateBuilder.or(predicates.get(0), PredicateBuilder.and(predicates.get(1), predicates.get(14))));
        for (Predicate predicate : predicates) {
            Predicate decoded = PredicateJson.decode(PredicateJson.encode(predicate));
            assertThat(decoded).usingRecursiveComparison()
                    .withEqualsForType(Float::equals, Float.class)
                    .withEqualsForType(Double::equals, Double.class)
                    .isEqualTo(predicate);
            assertThat(PredicateJson.encode(decoded)).isEqualTo(PredicateJson.encode(predicate));
        }
    }

    private static List<Object> many(Object first, Object second)
    {
        // above 20 literals Paimon keeps IN as it is
        Object[] literals = new Object[30];
        Arrays.fill(literals, first);
        literals[7] = second;
        literals[8] = null;
        return Arrays.asList(literals);
    }

    @Test
    void nestedTypesAreTestedForNullOnly()
    {
        DataType type = DataTypes.ROW(DataTypes.FIELD(5, "a", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())));
        Predicate predicate = new PredicateBuilder(RowType.of(type)).isNull(0);
        assertThat(PredicateJson.decode(PredicateJson.encode(predicate))).isEqualTo(predicate);
    }

    @Test
    void transformsAreRefused()
    {
        Predicate predicate = new LeafPredicate(new UpperTransform(List.of(new FieldRef(0, "f", DataTypes.STRING()))), StartsWith.INSTANCE,
                List.of(BinaryString.fromString("x")));
        failure(Code.INVALID_ARGUMENT, () -> PredicateJson.encode(predicate));
        assertThat(new FieldTransform(new FieldRef(0, "f", DataTypes.STRING())).inputs()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "", "{", "1", "null", "[]", "{}", "{\"and\":[]}", "{\"and\":1}", "{\"or\":[1]}",
            "{\"op\":\"Equal\"}",
            "{\"op\":\"java.lang.Runtime\",\"index\":0,\"field\":\"f\",\"type\":\"[]\",\"literals\":[]}",
            "{\"op\":\"IsNull\",\"index\":0,\"field\":\"f\",\"type\":\"[]\",\"literals\":[]}",
            "{\"op\":\"IsNull\",\"index\":0,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"NONSENSE\\\"}]\",\"literals\":[]}",
            "{\"op\":\"Equal\",\"index\":0,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"INT\\\"}]\",\"literals\":[]}",
            "{\"op\":\"Equal\",\"index\":0,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"INT\\\"}]\",\"literals\":[\"x\"]}",
            "{\"op\":\"Equal\",\"index\":0,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"INT\\\"}]\",\"literals\":[2147483648]}",
            "{\"op\":\"Equal\",\"index\":-1,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"INT\\\"}]\",\"literals\":[1]}",
            "{\"op\":\"Equal\",\"index\":0,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"BYTES\\\"}]\",\"literals\":[\"*\"]}",
            "{\"op\":\"Equal\",\"index\":0,\"field\":\"f\",\"type\":\"[{\\\"id\\\":0,\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"DOUBLE\\\"}]\",\"literals\":[1.5]}"})
    void malformedFiltersAreRefused(String json)
    {
        failure(Code.INVALID_ARGUMENT, () -> PredicateJson.decode(json));
    }

    @Test
    void depthIsBounded()
    {
        failure(Code.INVALID_ARGUMENT, () -> PredicateJson.decode("{\"and\":[".repeat(300) + "]}".repeat(300)));
    }
}
