package io.paimon.realtime.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import io.paimon.realtime.service.RealtimeService;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.flight.ActionType;
import org.apache.paimon.catalog.Identifier;

/**
 * The service's actions: JSON in, JSON out. An empty body is {@code {}}. Actions on a table name it by {@code schema} and {@code table}.
 */
final class FlightActions
{
    static final String FLUSH = "flush";
    static final String STATUS = "status";
    static final String PRODUCER_OFFSET = "producer-offset";
    static final String PUBLISH = "publish";
    static final String ABANDON = "abandon";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final RealtimeService service;

    FlightActions(RealtimeService service)
    {
        this.service = requireNonNull(service, "service is null");
    }

    static List<ActionType> types()
    {
        return List.of(
                new ActionType(FLUSH, "Returns when all rows accepted before are in a snapshot, of {\"schema\":..,\"table\":..} or of all tables"),
                new ActionType(STATUS, "State of the writer, and of {\"schema\":..,\"table\":..} if given"),
                new ActionType(PRODUCER_OFFSET, "Not supported yet"),
                new ActionType(PUBLISH, "Shows the staged rows of {\"schema\":..,\"table\":..,\"statement\":..,\"parts\":[..]}"),
                new ActionType(ABANDON, "Drops the staged rows of {\"schema\":..,\"table\":..,\"statement\":..}"));
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if there is no such action or its body is malformed; else as the service does
     */
    byte[] run(String type, byte[] body)
    {
        JsonNode request = parse(body);
        ObjectNode answer = switch (type) {
            case FLUSH -> {
                service.flush(optionalTable(request));
                yield MAPPER.createObjectNode();
            }
            case STATUS -> {
                ObjectNode status = MAPPER.createObjectNode();
                status.set("writer", MAPPER.valueToTree(service.status()));
                optionalTable(request).ifPresent(table -> status.set("table", MAPPER.valueToTree(service.tableStatus(table))));
                yield status;
            }
            case PUBLISH -> MAPPER.createObjectNode()
                    .put("rows", service.publish(table(request), text(request, "statement"), parts(request)).rows());
            case ABANDON -> {
                service.abandon(table(request), text(request, "statement"));
                yield MAPPER.createObjectNode();
            }
            case PRODUCER_OFFSET -> throw new RealtimeException(Code.INVALID_ARGUMENT, "producers are not supported yet");
            default -> throw new RealtimeException(Code.INVALID_ARGUMENT, "There is no action '%s'".formatted(type));
        };
        return answer.toString().getBytes(UTF_8);
    }

    private static JsonNode parse(byte[] body)
    {
        if (body.length == 0) {
            return MAPPER.createObjectNode();
        }
        try {
            JsonNode node = MAPPER.readTree(body);
            if (!node.isObject()) {
                throw new RealtimeException(Code.INVALID_ARGUMENT, "The body must be a JSON object");
            }
            return node;
        }
        catch (IOException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "The body is not JSON", e);
        }
    }

    private static Optional<Identifier> optionalTable(JsonNode request)
    {
        return request.has("schema") || request.has("table") ? Optional.of(table(request)) : Optional.empty();
    }

    private static Identifier table(JsonNode request)
    {
        return Identifier.create(text(request, "schema"), text(request, "table"));
    }

    private static String text(JsonNode request, String name)
    {
        JsonNode value = request.path(name);
        if (!value.isTextual() || value.textValue().isEmpty()) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "The body needs a string '%s'".formatted(name));
        }
        return value.textValue();
    }

    private static Set<String> parts(JsonNode request)
    {
        JsonNode nodes = request.path("parts");
        Set<String> parts = new HashSet<>();
        nodes.forEach(part -> parts.add(part.textValue()));
        if (!nodes.isArray() || parts.contains(null)) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "The body needs a list of strings 'parts'");
        }
        return parts;
    }
}
