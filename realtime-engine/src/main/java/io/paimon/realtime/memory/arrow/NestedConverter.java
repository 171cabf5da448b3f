package io.paimon.realtime.memory.arrow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/**
 * Arrays, maps and rows: their own level is kept or brought into the canonical layout, their children are converted in turn.
 */
final class NestedConverter
{
    private NestedConverter()
    {}

    static FieldVector toList(Conversion conversion, VectorConverter converter)
    {
        if (conversion.source() instanceof ListVector list && !(list instanceof MapVector)) {
            Place elements = conversion.place().child(".element", () -> listOwners(list));
            try (FieldVector child = converter.convert(elements(list.getDataVector(), elements, conversion))) {
                return VectorAssembly.withChildren(conversion.target(), list, List.of(child), conversion.allocator());
            }
        }
        return gatherList(conversion, converter);
    }

    /** Lists of another layout, whose elements may overlap or lie in any order. */
    private static FieldVector gatherList(Conversion conversion, VectorConverter converter)
    {
        FieldVector values = switch (conversion.source()) {
            case LargeListVector list -> list.getDataVector();
            case FixedSizeListVector list -> list.getDataVector();
            case ListViewVector list -> list.getDataVector();
            case LargeListViewVector list -> (FieldVector) list.getDataVector();
            default -> throw conversion.mismatch();
        };
        ListSlices slices = ListSlices.of(conversion);
        Place elements = conversion.place().child(".element", () -> slices.owners(values.getValueCount()));
        Positions positions = Positions.of(slices.positions(conversion.place()));
        Field element = conversion.target().getChildren().getFirst();
        List<ArrowBuf> buffers = new ArrayList<>();
        try (FieldVector child = converter.convert(elements(values, elements, conversion));
                FieldVector gathered = VectorGather.gather(element, child, positions, conversion.allocator())) {
            int nullCount = slices.write(buffers, conversion.allocator());
            return VectorAssembly.assemble(conversion.target(), conversion.count(), nullCount, buffers, List.of(gathered), conversion.allocator());
        }
        finally {
            buffers.forEach(ArrowBuf::close);
        }
    }

    private static Conversion elements(FieldVector values, Place place, Conversion list)
    {
        return list.child(values, ((ArrayType) list.type()).getElementType(), list.target().getChildren().getFirst(), place);
    }

    static FieldVector toMap(Conversion conversion, VectorConverter converter)
    {
        if (!(conversion.source() instanceof MapVector map) || map.getDataVector().getField().getDictionary() != null) {
            throw conversion.mismatch();
        }
        StructVector entries = (StructVector) map.getDataVector();
        Field entriesTarget = conversion.target().getChildren().getFirst();
        Place entryPlace = conversion.place().child("", () -> listOwners(map));
        checkEntries(entries, entryPlace);
        try (FieldVector keys = converter.convert(entryField(0, ".key", ArrowSchemas.mapKeyType(conversion.type()).notNull(), entries, entryPlace,
                conversion));
                FieldVector values = converter.convert(entryField(1, ".value", ArrowSchemas.mapValueType(conversion.type()), entries, entryPlace,
                        conversion));
                FieldVector struct = VectorAssembly.withChildren(entriesTarget, entries, List.of(keys, values), conversion.allocator())) {
            return VectorAssembly.withChildren(conversion.target(), map, List.of(struct), conversion.allocator());
        }
    }

    /** Arrow wants every entry to be there; one that is not would have neither key nor value. */
    private static void checkEntries(StructVector entries, Place place)
    {
        if (entries.getNullCount() > 0) {
            for (int i = 0; i < entries.getValueCount(); i++) {
                if (entries.isNull(i) && place.isLive(i)) {
                    throw place.bad(i, "an entry of a map is NULL");
                }
            }
        }
    }

    private static Conversion entryField(int index, String name, DataType type, StructVector entries, Place place, Conversion map)
    {
        Field target = map.target().getChildren().getFirst().getChildren().get(index);
        return map.child(entries.getChildrenFromFields().get(index), type, target, place.child(name, () -> all(entries)));
    }

    static FieldVector toRow(Conversion conversion, VectorConverter converter)
    {
        if (!(conversion.source() instanceof StructVector struct)) {
            throw conversion.mismatch();
        }
        RowType type = (RowType) conversion.type();
        Set<FieldVector> used = new HashSet<>();
        List<FieldVector> children = new ArrayList<>();
        try {
            for (int i = 0; i < type.getFieldCount(); i++) {
                children.add(toField(type.getFields().get(i), conversion.target().getChildren().get(i), struct, used, conversion, converter));
            }
            for (FieldVector child : struct.getChildrenFromFields()) {
                if (!used.contains(child)) {
                    throw conversion.place().bad("the type %s has no field %s".formatted(type.asSQLString(), child.getName()));
                }
            }
            return VectorAssembly.withChildren(conversion.target(), struct, children, conversion.allocator());
        }
        finally {
            children.forEach(FieldVector::close);
        }
    }

    /** @param used children of the struct that are taken; the field's is added */
    private static FieldVector toField(DataField field, Field target, StructVector struct, Set<FieldVector> used, Conversion row,
            VectorConverter converter)
    {
        Place place = row.place().child("." + field.name(), () -> structOwners(struct));
        FieldVector child = findField(struct, field.name(), place);
        if (child == null) {
            if (!field.type().isNullable()) {
                throw place.bad("a NOT NULL field is missing");
            }
            return VectorGather.nulls(target, struct.getValueCount(), row.allocator());
        }
        if (!used.add(child)) {
            throw place.bad("two fields of the type take their values from the field %s".formatted(child.getName()));
        }
        return converter.convert(row.child(child, field.type(), target, place));
    }

    /** The field of exactly this name, else the only one whose name differs in case; null if there is none. */
    private static FieldVector findField(StructVector struct, String name, Place place)
    {
        FieldVector found = null;
        for (FieldVector child : struct.getChildrenFromFields()) {
            if (child.getName().equals(name)) {
                return child;
            }
            if (child.getName().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                if (found != null) {
                    throw place.bad("sent twice, as %s and %s".formatted(found.getName(), child.getName()));
                }
                found = child;
            }
        }
        return found;
    }

    private static int[] listOwners(ListVector list)
    {
        int[] owners = Place.noOwners(list.getDataVector().getValueCount());
        for (int i = 0; i < list.getValueCount(); i++) {
            if (!list.isNull(i)) {
                Arrays.fill(owners, list.getElementStartIndex(i), list.getElementEndIndex(i), i);
            }
        }
        return owners;
    }

    private static int[] structOwners(StructVector struct)
    {
        int[] owners = all(struct);
        if (struct.getNullCount() > 0) {
            for (int i = 0; i < owners.length; i++) {
                owners[i] = struct.isNull(i) ? -1 : i;
            }
        }
        return owners;
    }

    private static int[] all(FieldVector vector)
    {
        int[] owners = new int[vector.getValueCount()];
        Arrays.setAll(owners, i -> i);
        return owners;
    }
}
