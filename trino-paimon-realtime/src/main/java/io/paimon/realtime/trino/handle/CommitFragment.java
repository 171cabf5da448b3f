package io.paimon.realtime.trino.handle;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.BasicSliceInput;
import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.Slice;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageSerializer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * What a page sink has written, on its way to the coordinator: per commit message its version (int), length (int) and bytes.
 */
public final class CommitFragment
{
    private CommitFragment()
    {}

    public static Slice serialize(List<CommitMessage> messages)
    {
        CommitMessageSerializer serializer = new CommitMessageSerializer();
        DynamicSliceOutput output = new DynamicSliceOutput(1024);
        for (CommitMessage message : messages) {
            try {
                byte[] bytes = serializer.serialize(message);
                output.writeInt(serializer.getVersion());
                output.writeInt(bytes.length);
                output.writeBytes(bytes);
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return output.slice();
    }

    public static List<CommitMessage> deserialize(Slice fragment)
    {
        CommitMessageSerializer serializer = new CommitMessageSerializer();
        BasicSliceInput input = fragment.getInput();
        ImmutableList.Builder<CommitMessage> messages = ImmutableList.builder();
        while (input.available() > 0) {
            int version = input.readInt();
            byte[] bytes = new byte[input.readInt()];
            input.readBytes(bytes);
            try {
                messages.add(serializer.deserialize(version, bytes));
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return messages.build();
    }
}
