package io.paimon.realtime.service;

import io.paimon.realtime.memory.arrow.ArrowRowView;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowType;

/**
 * Rows of staged files one after the other, one batch in memory at a time.
 */
final class StagedRows implements Iterator<InternalRow>, AutoCloseable
{
    private final Deque<Path> files;
    private final RowType schema;
    private final BufferAllocator allocator;
    private ArrowFileReader reader;
    private ArrowRowView view;
    private int rowCount;
    private int next;

    StagedRows(List<Path> files, RowType schema, BufferAllocator allocator)
    {
        this.files = new ArrayDeque<>(files);
        this.schema = schema;
        this.allocator = allocator;
    }

    @Override
    public boolean hasNext()
    {
        try {
            while (next == rowCount) {
                if (reader == null) {
                    if (files.isEmpty()) {
                        return false;
                    }
                    reader = new ArrowFileReader(FileChannel.open(files.removeFirst(), StandardOpenOption.READ), allocator);
                }
                if (!reader.loadNextBatch()) {
                    reader.close();
                    reader = null;
                    continue;
                }
                VectorSchemaRoot rows = reader.getVectorSchemaRoot();
                view = new ArrowRowView(rows.getFieldVectors(), schema);
                rowCount = rows.getRowCount();
                next = 0;
            }
            return true;
        }
        catch (IOException e) {
            throw new RealtimeException(Code.INTERNAL, "Cannot read staged rows: " + e, e);
        }
    }

    @Override
    public InternalRow next()
    {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        view.setPosition(next++);
        return view;
    }

    @Override
    public void close()
    {
        try {
            if (reader != null) {
                reader.close();
                reader = null;
            }
        }
        catch (IOException e) {
            throw new RealtimeException(Code.INTERNAL, "Cannot close staged rows: " + e, e);
        }
    }
}
