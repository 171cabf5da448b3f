package io.paimon.realtime.tools.source;

import java.time.DateTimeException;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Writes rows of Java values into the vectors of one batch and says which value did not fit. */
final class RowWriter
{
    private final String file;
    private final VectorSchemaRoot root;
    private final List<FieldVector> vectors;
    private int rows;

    RowWriter(String file, VectorSchemaRoot root)
    {
        this.file = file;
        this.root = root;
        this.vectors = root.getFieldVectors();
        // gives the old buffers up: those of an earlier batch may still be on their way
        for (FieldVector vector : vectors) {
            vector.clear();
            vector.allocateNew();
        }
    }

    /** @param position of the row in the file, for messages */
    void set(int column, Object value, long position)
    {
        FieldVector vector = vectors.get(column);
        try {
            VectorWriter.set(vector, rows, value);
        }
        catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw new BadRowException("%s, row %s, column %s: cannot take %s as %s: %s".formatted(
                    file, position, vector.getName(), abbreviate(value), vector.getField().getType(), e.getMessage()), e);
        }
    }

    void endRow()
    {
        rows++;
    }

    int finish()
    {
        root.setRowCount(rows);
        return rows;
    }

    private static String abbreviate(Object value)
    {
        String text = value instanceof byte[] bytes ? bytes.length + " bytes" : "'" + value + "'";
        return text.length() > 80 ? text.substring(0, 80) + ".." : text;
    }
}
