package io.paimon.realtime.tools.source;

import java.io.IOException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Rows of a file, in order, read once. Not thread-safe. Closing it closes the file. */
public interface RowSource extends AutoCloseable
{
    /** The columns it fills: a subset of the table's, in the order of the file. */
    Schema schema();

    /**
     * Replaces what the vectors hold by the next rows.
     *
     * @param root vectors of {@link #schema()}
     * @return number of rows, at most {@code maxRows}; 0 at the end
     * @throws BadRowException for a row that does not fit, naming row and column
     */
    int fill(VectorSchemaRoot root, int maxRows)
            throws IOException;

    @Override
    void close()
            throws IOException;
}
