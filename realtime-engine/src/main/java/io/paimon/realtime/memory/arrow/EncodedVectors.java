package io.paimon.realtime.memory.arrow;

import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;

/**
 * Vectors that say where their values are: each value is converted once and then copied to every position that shows it.
 */
final class EncodedVectors
{
    private EncodedVectors()
    {}

    /** @param indices the conversion's source, which has the encoding */
    static FieldVector decodeDictionary(DictionaryEncoding encoding, DictionaryProvider dictionaries, Conversion indices, VectorConverter converter)
    {
        Place place = indices.place();
        Dictionary dictionary = dictionaries.lookup(encoding.getId());
        if (dictionary == null) {
            throw place.bad("dictionary %s was not sent".formatted(encoding.getId()));
        }
        if (!(indices.source() instanceof BaseIntVector ints)) {
            throw place.bad("dictionary indices must be integers, not %s".formatted(indices.source().getField().getType()));
        }
        FieldVector values = dictionary.getVector();
        int[] positions = new int[indices.count()];
        int[] owners = Place.noOwners(values.getValueCount());
        for (int i = 0; i < positions.length; i++) {
            positions[i] = -1;
            if (indices.isValue(i)) {
                long index = ints.getValueAsLong(i);
                if (index < 0 || index >= owners.length) {
                    throw place.bad(i, "dictionary index %s of %s".formatted(index, owners.length));
                }
                positions[i] = (int) index;
                if (owners[positions[i]] < 0) {
                    owners[positions[i]] = i;
                }
            }
        }
        return gather(values, positions, owners, indices, converter);
    }

    static FieldVector decodeRuns(RunEndEncodedVector runs, Conversion conversion, VectorConverter converter)
    {
        FieldVector ends = runs.getRunEndsVector();
        int[] positions = new int[runs.getValueCount()];
        int[] owners = Place.noOwners(runs.getValuesVector().getValueCount());
        int run = 0;
        for (int i = 0; i < positions.length; i++) {
            while (VectorLayout.runEnd(ends, run) <= i) {
                run++;
            }
            positions[i] = run;
            if (owners[run] < 0 && conversion.place().isLive(i)) {
                owners[run] = i;
            }
        }
        return gather(runs.getValuesVector(), positions, owners, conversion, converter);
    }

    /**
     * @param positions index of the value of each row, or -1 for NULL
     * @param owners the first row that shows each value, or -1 for none
     */
    private static FieldVector gather(FieldVector values, int[] positions, int[] owners, Conversion conversion, VectorConverter converter)
    {
        Place place = conversion.place().child("", () -> owners);
        try (FieldVector canonical = converter.convert(values, conversion.type().nullable(), conversion.target(), place)) {
            return VectorGather.gatherNullable(conversion.target(), canonical, positions, conversion.allocator());
        }
    }
}
