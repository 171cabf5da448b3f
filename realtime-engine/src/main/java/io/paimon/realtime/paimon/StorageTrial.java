package io.paimon.realtime.paimon;

import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.IOException;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.format.FileFormat;
import org.apache.paimon.format.FormatWriter;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.table.FileStoreTable;

/**
 * Finds out whether rows of a table can be written to data files at all. Paimon takes a table whose file format does not store one of its types, or whose compression does not exist, and fails
 * when the first file is opened: for rows that were acknowledged before, that is too late.
 */
public final class StorageTrial
{
    private StorageTrial()
    {}

    /**
     * Opens a data file of the table's kind that goes nowhere.
     *
     * @throws RealtimeException NOT_REALTIME with Paimon's reason
     */
    public static void check(FileStoreTable table)
    {
        CoreOptions options = table.coreOptions();
        try (FormatWriter _ = FileFormat.fileFormat(options).createWriterFactory(table.rowType())
                .create(new DiscardingOutputStream(), options.fileCompression())) {
            return;
        }
        catch (IOException | RuntimeException e) {
            throw new RealtimeException(Code.NOT_REALTIME,
                    "Table %s cannot be written: %s files with compression %s cannot hold its rows %s: %s".formatted(
                            table.fullName(), options.fileFormatString(), options.fileCompression(), table.rowType().asSQLString(), e.getMessage()),
                    e);
        }
    }

    private static final class DiscardingOutputStream extends PositionOutputStream
    {
        private long position;

        @Override
        public long getPos()
        {
            return position;
        }

        @Override
        public void write(int value)
        {
            position++;
        }

        @Override
        public void write(byte[] bytes)
        {
            position += bytes.length;
        }

        @Override
        public void write(byte[] bytes, int offset, int length)
        {
            position += length;
        }

        @Override
        public void flush()
        {}

        @Override
        public void close()
        {}
    }
}
