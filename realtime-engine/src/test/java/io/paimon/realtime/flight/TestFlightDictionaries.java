package io.paimon.realtime.flight;

import static io.paimon.realtime.flight.FlightFixture.TABLE;
import static io.paimon.realtime.flight.FlightFixture.failure;
import static io.paimon.realtime.flight.FlightFixture.ticket;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.paimon.realtime.model.OffsetRange;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Columns that clients send as indices into a dictionary. */
final class TestFlightDictionaries
{
    private FlightFixture flight;

    @BeforeEach
    void open()
    {
        flight = new FlightFixture(FlightServerOptions.loopback());
    }

    @AfterEach
    void close()
    {
        flight.close();
    }

    @Test
    void dictionariesAreDecoded()
            throws Exception
    {
        try (BufferAllocator allocator = flight.allocator.newChildAllocator("test", 0, Long.MAX_VALUE);
                VarCharVector values = new VarCharVector("values", allocator);
                FlightClient client = FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", flight.server.port())).build()) {
            values.allocateNew(3);
            values.setSafe(0, "zero".getBytes(UTF_8));
            values.setNull(1);
            values.setSafe(2, "two".getBytes(UTF_8));
            values.setValueCount(3);
            DictionaryEncoding encoding = new DictionaryEncoding(7, false, new ArrowType.Int(8, true));
            MapDictionaryProvider dictionaries = new MapDictionaryProvider(new Dictionary(values, encoding));
            try (BigIntVector ids = new BigIntVector("id", allocator);
                    TinyIntVector names = new TinyIntVector("NAME", new FieldType(true, new ArrowType.Int(8, true), encoding), allocator);
                    VectorSchemaRoot root = VectorSchemaRoot.of(ids, names)) {
                int[] indices = {2, 0, -1, 1, 2};
                ids.allocateNew(5);
                names.allocateNew(5);
                for (int i = 0; i < indices.length; i++) {
                    ids.set(i, i);
                    if (indices[i] < 0) {
                        names.setNull(i);
                    }
                    else {
                        names.set(i, indices[i]);
                    }
                }
                root.setRowCount(5);
                ClientStreamListener stream = client.startPut(FlightDescriptor.path("s", "t"), root, dictionaries, new AsyncPutListener());
                stream.putNext();
                stream.completed();
                stream.getResult();
                assertThat(flight.read(ticket())).containsExactly("[0, two]", "[1, zero]", "[2, null]", "[3, null]", "[4, two]");

                names.set(3, 3);
                ClientStreamListener bad = client.startPut(FlightDescriptor.path("s", "t"), root, dictionaries, new AsyncPutListener());
                bad.putNext();
                bad.completed();
                FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, bad::getResult);
                assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT);
                assertThat(failure.status().description()).contains("NAME").contains("row 3").contains("outside the dictionary");
            }
        }
        assertThat(flight.service.batchCount(TABLE)).isEqualTo(1);
    }

    @Test
    void dictionariesInsideOfListsAndRowsAreDecoded()
            throws Exception
    {
        Identifier nested = Identifier.create("s", "nested");
        RowType type = new RowType(List.of(
                DataTypes.FIELD(0, "list", DataTypes.ARRAY(DataTypes.STRING())),
                DataTypes.FIELD(1, "row",
                        new RowType(List.of(DataTypes.FIELD(2, "a", DataTypes.INT()), DataTypes.FIELD(3, "b", DataTypes.STRING()))))));
        flight.service.createTable(nested, type);
        DictionaryEncoding encoding = new DictionaryEncoding(1, false, new ArrowType.Int(32, true));
        FieldType encoded = new FieldType(true, new ArrowType.Int(32, true), encoding);
        Field list = new Field("list", FieldType.nullable(ArrowType.List.INSTANCE), List.of(new Field("element", encoded, null)));
        Field row = new Field("row", FieldType.nullable(ArrowType.Struct.INSTANCE),
                List.of(new Field("a", FieldType.nullable(new ArrowType.Int(32, true)), null), new Field("b", encoded, null)));
        try (BufferAllocator allocator = flight.allocator.newChildAllocator("test", 0, Long.MAX_VALUE);
                VarCharVector values = new VarCharVector("values", allocator);
                FlightClient client = FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", flight.server.port())).build();
                FieldVector lists = list.createVector(allocator);
                FieldVector rows = row.createVector(allocator);
                VectorSchemaRoot root = VectorSchemaRoot.of(lists, rows)) {
            values.allocateNew(2);
            values.setSafe(0, "x".getBytes(UTF_8));
            values.setSafe(1, "y".getBytes(UTF_8));
            values.setValueCount(2);
            ListVector listVector = (ListVector) lists;
            listVector.allocateNew();
            IntVector elements = (IntVector) listVector.getDataVector();
            // [x, null, y], NULL, []
            listVector.startNewValue(0);
            elements.setSafe(0, 0);
            elements.setNull(1);
            elements.setSafe(2, 1);
            listVector.endValue(0, 3);
            listVector.setNull(1);
            listVector.startNewValue(2);
            listVector.endValue(2, 0);
            listVector.setValueCount(3);
            StructVector structVector = (StructVector) rows;
            structVector.allocateNew();
            IntVector a = (IntVector) structVector.getChildrenFromFields().get(0);
            IntVector b = (IntVector) structVector.getChildrenFromFields().get(1);
            for (int i = 0; i < 3; i++) {
                a.setSafe(i, i);
                // what lies under a NULL row is not looked at
                b.setSafe(i, i == 1 ? 99 : i / 2);
                if (i != 1) {
                    structVector.setIndexDefined(i);
                }
            }
            structVector.setValueCount(3);
            root.setRowCount(3);
            ClientStreamListener stream = client.startPut(FlightDescriptor.path("s", "nested"), root,
                    new MapDictionaryProvider(new Dictionary(values, encoding)), new AsyncPutListener());
            stream.putNext();
            stream.completed();
            stream.getResult();
        }
        assertThat(flight.read(ticket(nested, type, type, new OffsetRange(0, 10), Optional.empty())))
                .containsExactly("[[x, null, y], [0, x]]", "[null, null]", "[[], [2, y]]");
    }
}
