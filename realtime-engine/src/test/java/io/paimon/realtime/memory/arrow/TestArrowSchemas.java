package io.paimon.realtime.memory.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.RandomRows;
import io.paimon.realtime.model.RealtimeException;
import java.util.List;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

public class TestArrowSchemas
{
    @Test
    public void fieldsCarryTheirIdAtEveryLevel()
    {
        Schema schema = ArrowSchemas.toArrowSchema(RandomRows.ALL_TYPES);
        for (int i = 0; i < schema.getFields().size(); i++) {
            assertThat(ArrowSchemas.fieldId(schema.getFields().get(i))).isEqualTo(RandomRows.ALL_TYPES.getFields().get(i).id());
        }
        Field row = schema.getFields().getLast();
        assertThat(row.getChildren()).extracting(ArrowSchemas::fieldId).containsExactly(100, 101, 102);
        Field element = row.getChildren().get(2).getChildren().getFirst();
        assertThat(ArrowSchemas.optionalFieldId(element)).isEmpty();
        assertThat(ArrowSchemas.fieldId(element.getChildren().getFirst())).isEqualTo(103);
        assertThat(schema.getFields().getFirst().isNullable()).isFalse();
    }

    @Test
    public void timestampsByPrecision()
    {
        RowType type = RowType.of(DataTypes.TIMESTAMP(0), DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(4), DataTypes.TIMESTAMP(6),
                DataTypes.TIMESTAMP(7),
                DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9));
        ArrowType millis = new ArrowType.Timestamp(TimeUnit.MILLISECOND, null);
        ArrowType micros = new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
        ArrowType millisUtc = new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC");
        ArrowType wide = new ArrowType.FixedSizeBinary(12);
        assertThat(ArrowSchemas.toArrowSchema(type).getFields()).extracting(Field::getType)
                .containsExactly(millis, millis, micros, micros, wide, millisUtc, wide);
        assertThat(ArrowSchemas.clientSchema(type).getFields()).extracting(Field::getType)
                .containsExactly(millis, millis, micros, micros, new ArrowType.Timestamp(TimeUnit.NANOSECOND, null), millisUtc,
                        new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC"));
    }

    @Test
    public void unsupportedTypesAreNamed()
    {
        RowType type = new RowType(
                List.of(new DataField(0, "outer", DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD(1, "inner", DataTypes.VARIANT()))))));
        assertThatThrownBy(() -> ArrowSchemas.toArrowSchema(type))
                .isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(RealtimeException.Code.INVALID_ARGUMENT))
                .hasMessageContaining("outer.element.inner")
                .hasMessageContaining("VARIANT");
    }

    @Test
    public void missingFlagsAreNamed()
    {
        assertThat(ArrowMemory.problem()).isEmpty();
        assertThat(ArrowMemory.problem(false, 25, List.of()).orElseThrow()).contains("--add-opens=java.base/java.nio=ALL-UNNAMED");
        assertThat(ArrowMemory.problem(true, 25, List.of()).orElseThrow()).contains("--sun-misc-unsafe-memory-access=allow");
        assertThat(ArrowMemory.problem(true, 25, List.of("--sun-misc-unsafe-memory-access=allow"))).isEmpty();
        assertThat(ArrowMemory.problem(true, 23, List.of())).isEmpty();
    }
}
