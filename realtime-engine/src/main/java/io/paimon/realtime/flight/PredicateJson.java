package io.paimon.realtime.flight;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.predicate.And;
import org.apache.paimon.predicate.Between;
import org.apache.paimon.predicate.CompoundPredicate;
import org.apache.paimon.predicate.Contains;
import org.apache.paimon.predicate.EndsWith;
import org.apache.paimon.predicate.Equal;
import org.apache.paimon.predicate.FieldRef;
import org.apache.paimon.predicate.FieldTransform;
import org.apache.paimon.predicate.GreaterOrEqual;
import org.apache.paimon.predicate.GreaterThan;
import org.apache.paimon.predicate.In;
import org.apache.paimon.predicate.IsNotNull;
import org.apache.paimon.predicate.IsNull;
import org.apache.paimon.predicate.LeafFunction;
import org.apache.paimon.predicate.LeafPredicate;
import org.apache.paimon.predicate.LessOrEqual;
import org.apache.paimon.predicate.LessThan;
import org.apache.paimon.predicate.Like;
import org.apache.paimon.predicate.NotBetween;
import org.apache.paimon.predicate.NotEqual;
import org.apache.paimon.predicate.NotIn;
import org.apache.paimon.predicate.Or;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.StartsWith;
import org.apache.paimon.types.DataType;

/**
 * Predicates as JSON: {@code {"and":[..]}}, {@code {"or":[..]}}, or a comparison of one field
 * {@code {"op":"Equal","index":0,"field":"id","type":..,"literals":[..]}}. Only these forms are read, so nothing but a comparison can come over the wire.
 *
 * <p>Literals are written so that each type's exact value comes back: numbers as numbers, decimals, strings and the bits of floating-point numbers as strings,
 * timestamps as {@code [milliseconds, nanoseconds of the millisecond]}, bytes as Base64, NULL as null.
 */
public final class PredicateJson
{
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int MAX_DEPTH = 256;
    private static final int MAX_ESCAPED_TYPE_LENGTH = 1 << 16;

    private static final Map<String, LeafFunction> FUNCTIONS = Stream
            .<LeafFunction>of(Equal.INSTANCE, NotEqual.INSTANCE, LessThan.INSTANCE, LessOrEqual.INSTANCE, GreaterThan.INSTANCE,
                    GreaterOrEqual.INSTANCE,
                    In.INSTANCE, NotIn.INSTANCE, IsNull.INSTANCE, IsNotNull.INSTANCE, StartsWith.INSTANCE, EndsWith.INSTANCE, Contains.INSTANCE,
                    Like.INSTANCE, Between.INSTANCE, NotBetween.INSTANCE)
            .collect(Collectors.toUnmodifiableMap(PredicateJson::name, Function.identity()));

    private PredicateJson()
    {}

    /**
     * @throws RealtimeException INVALID_ARGUMENT if the predicate holds anything but comparisons of plain fields, or is nested more than 256 deep
     */
    public static String encode(Predicate predicate)
    {
        return encode(predicate, 0).toString();
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if it is not a predicate
     */
    public static Predicate decode(String json)
    {
        JsonNode node;
        try {
            node = MAPPER.readTree(json);
        }
        catch (JsonProcessingException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "The filter is not JSON: " + e.getOriginalMessage(), e);
        }
        return decode(node, 0);
    }

    private static JsonNode encode(Predicate predicate, int depth)
    {
        checkDepth(depth);
        return switch (predicate) {
            case CompoundPredicate compound -> {
                ObjectNode node = MAPPER.createObjectNode();
                ArrayNode children = node.putArray(compoundName(compound));
                compound.children().forEach(child -> children.add(encode(child, depth + 1)));
                yield node;
            }
            case LeafPredicate leaf when leaf.transform() instanceof FieldTransform field && FUNCTIONS.containsKey(name(leaf.function())) -> {
                FieldRef reference = field.fieldRef();
                ObjectNode node = MAPPER.createObjectNode()
                        .put("op", name(leaf.function()))
                        .put("index", reference.index())
                        .put("field", reference.name())
                        .put("type", TypeJson.encode(reference.type()));
                ArrayNode literals = node.putArray("literals");
                leaf.literals().forEach(literal -> literals.add(encodeLiteral(reference.type(), literal)));
                yield node;
            }
            default -> throw new RealtimeException(Code.INVALID_ARGUMENT, "Filters of this form are not supported: " + predicate);
        };
    }

    private static String compoundName(CompoundPredicate compound)
    {
        if (compound.function() instanceof And) {
            return "and";
        }
        if (compound.function() instanceof Or) {
            return "or";
        }
        throw new RealtimeException(Code.INVALID_ARGUMENT, "Filters of this form are not supported: " + compound);
    }

    private static JsonNode encodeLiteral(DataType type, Object literal)
    {
        var nodes = MAPPER.getNodeFactory();
        if (literal == null) {
            return nodes.nullNode();
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> nodes.booleanNode((Boolean) literal);
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, TIME_WITHOUT_TIME_ZONE -> nodes.numberNode(((Number) literal).longValue());
            case FLOAT -> nodes.textNode(Integer.toHexString(Float.floatToRawIntBits((Float) literal)));
            case DOUBLE -> nodes.textNode(Long.toHexString(Double.doubleToRawLongBits((Double) literal)));
            case DECIMAL -> {
                Decimal decimal = (Decimal) literal;
                yield nodes.arrayNode().add(decimal.toBigDecimal().toPlainString()).add(decimal.precision()).add(decimal.scale());
            }
            // not as text: a string of the table need not be valid UTF-8
            case CHAR, VARCHAR -> nodes.textNode(Base64.getEncoder().encodeToString(((BinaryString) literal).toBytes()));
            case BINARY, VARBINARY -> nodes.textNode(Base64.getEncoder().encodeToString((byte[]) literal));
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                Timestamp timestamp = (Timestamp) literal;
                yield nodes.arrayNode().add(timestamp.getMillisecond()).add(timestamp.getNanoOfMillisecond());
            }
            case ARRAY, MAP, MULTISET, ROW, VARIANT, BLOB, VECTOR -> throw new RealtimeException(Code.INVALID_ARGUMENT,
                    "Filters on values of type %s are not supported".formatted(type.asSQLString()));
        };
    }

    private static Predicate decode(JsonNode node, int depth)
    {
        checkDepth(depth);
        if (node.has("and")) {
            return new CompoundPredicate(And.INSTANCE, children(node.get("and"), depth));
        }
        if (node.has("or")) {
            return new CompoundPredicate(Or.INSTANCE, children(node.get("or"), depth));
        }
        LeafFunction function = FUNCTIONS.get(node.path("op").asText());
        String json = node.path("type").asText();
        JsonNode literalNodes = node.path("literals");
        if (function == null || !node.path("index").isInt() || node.path("index").asInt() < 0 || !node.path("field").isTextual()
                || json.isEmpty() || json.length() > MAX_ESCAPED_TYPE_LENGTH || !literalNodes.isArray()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a filter: " + abbreviated(node));
        }
        DataType type = TypeJson.decode(json);
        List<Object> literals = new ArrayList<>();
        for (JsonNode literal : literalNodes) {
            literals.add(decodeLiteral(type, literal));
        }
        checkLiteralCount(function, literals.size());
        return new LeafPredicate(function, type, node.path("index").asInt(), node.path("field").asText(), literals);
    }

    private static List<Predicate> children(JsonNode nodes, int depth)
    {
        if (!nodes.isArray() || nodes.isEmpty()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a list of filters: " + abbreviated(nodes));
        }
        List<Predicate> children = new ArrayList<>();
        for (JsonNode child : nodes) {
            children.add(decode(child, depth + 1));
        }
        return children;
    }

    private static void checkLiteralCount(LeafFunction function, int count)
    {
        boolean fits = switch (function) {
            case IsNull _,IsNotNull _ -> count == 0;
            case In _,NotIn _ -> true;
            case Between _,NotBetween _ -> count == 2;
            default -> count == 1;
        };
        if (!fits) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "A filter %s with %s values".formatted(name(function), count));
        }
    }

    private static Object decodeLiteral(DataType type, JsonNode node)
    {
        if (node.isNull()) {
            return null;
        }
        try {
            return switch (type.getTypeRoot()) {
                case BOOLEAN -> require(node.isBoolean(), node).asBoolean();
                case TINYINT -> (byte) integer(node, Byte.MIN_VALUE, Byte.MAX_VALUE);
                case SMALLINT -> (short) integer(node, Short.MIN_VALUE, Short.MAX_VALUE);
                case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> (int) integer(node, Integer.MIN_VALUE, Integer.MAX_VALUE);
                case BIGINT -> integer(node, Long.MIN_VALUE, Long.MAX_VALUE);
                case FLOAT -> Float.intBitsToFloat(Integer.parseUnsignedInt(text(node), 16));
                case DOUBLE -> Double.longBitsToDouble(Long.parseUnsignedLong(text(node), 16));
                case DECIMAL -> {
                    require(node.isArray() && node.size() == 3 && text(node.get(0)).length() <= 100, node);
                    Decimal decimal = Decimal.fromBigDecimal(new BigDecimal(text(node.get(0))), (int) integer(node.get(1), 1, 38),
                            (int) integer(node.get(2), 0, 38));
                    require(decimal != null, node);
                    yield decimal;
                }
                case CHAR, VARCHAR -> BinaryString.fromBytes(Base64.getDecoder().decode(text(node)));
                case BINARY, VARBINARY -> Base64.getDecoder().decode(text(node));
                case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                    require(node.isArray() && node.size() == 2, node);
                    yield Timestamp.fromEpochMillis(integer(node.get(0), Long.MIN_VALUE, Long.MAX_VALUE), (int) integer(node.get(1), 0, 999_999));
                }
                case ARRAY, MAP, MULTISET, ROW, VARIANT, BLOB, VECTOR -> throw new IllegalArgumentException("no values of this type in filters");
            };
        }
        catch (IllegalArgumentException | ArithmeticException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a value of type %s: %s".formatted(type.asSQLString(), abbreviated(node)), e);
        }
    }

    private static long integer(JsonNode node, long min, long max)
    {
        require(node.isIntegralNumber() && node.canConvertToLong() && node.longValue() >= min && node.longValue() <= max, node);
        return node.longValue();
    }

    private static String text(JsonNode node)
    {
        return require(node.isTextual(), node).textValue();
    }

    private static JsonNode require(boolean condition, JsonNode node)
    {
        if (!condition) {
            throw new IllegalArgumentException("unexpected " + node.getNodeType());
        }
        return node;
    }

    private static void checkDepth(int depth)
    {
        if (depth > MAX_DEPTH) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "The filter is nested more than %s deep".formatted(MAX_DEPTH));
        }
    }

    private static String abbreviated(JsonNode node)
    {
        String text = node.toString();
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }

    private static String name(LeafFunction function)
    {
        return function.getClass().getSimpleName();
    }
}
