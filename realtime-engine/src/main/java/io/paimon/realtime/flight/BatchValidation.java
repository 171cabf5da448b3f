package io.paimon.realtime.flight;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.util.ValueVectorUtility;
import org.apache.arrow.vector.validate.ValidateUtil.ValidateException;

/**
 * Checks a batch from the network before anything follows its offsets: a client's lies about lengths must not become reads of other memory.
 */
final class BatchValidation
{
    private BatchValidation()
    {}

    /**
     * @throws RealtimeException BAD_DATA if lengths, offsets or buffers of a vector do not fit together
     */
    static void validate(VectorSchemaRoot batch, DictionaryProvider dictionaries)
    {
        for (FieldVector vector : batch.getFieldVectors()) {
            if (vector.getValueCount() != batch.getRowCount()) {
                throw new RealtimeException(Code.BAD_DATA, "Column %s has %s values in a batch of %s rows".formatted(vector.getName(),
                        vector.getValueCount(), batch.getRowCount()));
            }
            validate(vector.getName(), vector);
        }
        for (long id : dictionaries.getDictionaryIds()) {
            Dictionary dictionary = dictionaries.lookup(id);
            validate("dictionary " + id, dictionary.getVector());
        }
    }

    private static void validate(String column, FieldVector vector)
    {
        try {
            ValueVectorUtility.validateFull(vector);
        }
        catch (ValidateException | IndexOutOfBoundsException | IllegalArgumentException | UnsupportedOperationException e) {
            throw new RealtimeException(Code.BAD_DATA, "Column %s is not a valid Arrow vector: %s".formatted(column, e.getMessage()), e);
        }
    }
}
