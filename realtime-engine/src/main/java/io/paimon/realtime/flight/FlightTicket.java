package io.paimon.realtime.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paimon.realtime.memory.KeyOrder;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.KeyRange;
import io.paimon.realtime.model.OffsetRange;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import org.apache.arrow.flight.Ticket;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.utils.SerializationUtils;

/**
 * What a DoGet asks for: rows of one partition-bucket of a pinned cut. Written as JSON; a ticket names what is to be read and grants nothing.
 *
 * @param incarnation of the writer that pinned the cut
 * @param queryId under which it is pinned
 */
public record FlightTicket(String incarnation, String queryId, Identifier table, PartitionBucket bucket, MemReadRequest request)
{

    private static final ObjectMapper MAPPER = new ObjectMapper();

    public FlightTicket
    {
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(queryId, "queryId is null");
        requireNonNull(table, "table is null");
        requireNonNull(bucket, "bucket is null");
        requireNonNull(request, "request is null");
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if the filter is of a form that {@link PredicateJson} does not write
     */
    public Ticket toTicket()
    {
        ObjectNode node = MAPPER.createObjectNode()
                .put("incarnation", incarnation)
                .put("queryId", queryId)
                .put("schema", table.getDatabaseName())
                .put("table", table.getObjectName())
                .put("partition", encode(bucket.partition()))
                .put("bucket", bucket.bucket())
                .put("start", request.offsets().start())
                .put("end", request.offsets().end())
                .put("readType", TypeJson.encode(request.readType()))
                .put("tableType", TypeJson.encode(request.tableType()));
        request.filter().ifPresent(filter -> node.put("filter", PredicateJson.encode(filter)));
        request.order().ifPresent(order -> {
            ObjectNode keys = node.putObject("keyOrder").put("newestOnly", order.newestOnly());
            order.range().from().ifPresent(from -> keys.put("from", encode(from)));
            order.range().to().ifPresent(to -> keys.put("to", encode(to)));
        });
        return new Ticket(node.toString().getBytes(UTF_8));
    }

    /**
     * @throws RealtimeException INVALID_ARGUMENT if it is not such a ticket
     */
    public static FlightTicket fromTicket(Ticket ticket)
    {
        try {
            JsonNode node = MAPPER.readTree(ticket.getBytes());
            Optional<String> filter = node.hasNonNull("filter") ? Optional.of(text(node, "filter")) : Optional.empty();
            return new FlightTicket(text(node, "incarnation"), text(node, "queryId"), Identifier.create(text(node, "schema"), text(node, "table")),
                    new PartitionBucket(row(node, "partition"), (int) number(node, "bucket", Integer.MAX_VALUE)),
                    new MemReadRequest(new OffsetRange(number(node, "start", Long.MAX_VALUE), number(node, "end", Long.MAX_VALUE)),
                            TypeJson.decodeRow(text(node, "readType")), TypeJson.decodeRow(text(node, "tableType")),
                            filter.map(PredicateJson::decode), keyOrder(node.path("keyOrder"))));
        }
        catch (IOException | IllegalArgumentException e) {
            throw new RealtimeException(Code.INVALID_ARGUMENT, "Not a ticket of this service: " + e.getMessage(), e);
        }
    }

    private static Optional<KeyOrder> keyOrder(JsonNode node)
    {
        if (node.isMissingNode()) {
            return Optional.empty();
        }
        return Optional.of(new KeyOrder(new KeyRange(
                node.hasNonNull("from") ? Optional.of(row(node, "from")) : Optional.empty(),
                node.hasNonNull("to") ? Optional.of(row(node, "to")) : Optional.empty()), node.path("newestOnly").asBoolean()));
    }

    private static String encode(BinaryRow row)
    {
        return Base64.getEncoder().encodeToString(SerializationUtils.serializeBinaryRow(row));
    }

    private static BinaryRow row(JsonNode node, String name)
    {
        byte[] bytes = Base64.getDecoder().decode(text(node, name));
        if (bytes.length < 4) {
            throw new IllegalArgumentException(name + " is too short");
        }
        return SerializationUtils.deserializeBinaryRow(bytes);
    }

    private static String text(JsonNode node, String name)
    {
        JsonNode value = node.path(name);
        if (!value.isTextual()) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value.textValue();
    }

    private static long number(JsonNode node, String name, long max)
    {
        JsonNode value = node.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0 || value.longValue() > max) {
            throw new IllegalArgumentException(name + " is missing or not a number from 0 to " + max);
        }
        return value.longValue();
    }
}
