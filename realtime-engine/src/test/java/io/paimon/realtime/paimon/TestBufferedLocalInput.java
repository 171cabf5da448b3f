package io.paimon.realtime.paimon;

import static org.assertj.core.api.Assertions.assertThat;

import io.paimon.realtime.memory.RandomRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.VectoredReadable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestBufferedLocalInput
{
    @TempDir
    private Path directory;

    /** Whatever is read and sought, in whatever order, is what the file holds there. */
    @Test
    void testReadsAndSeeks() throws IOException
    {
        Random random = new Random(RandomRows.newSeed());
        for (int size : new int[]{0, 1, 100, BufferedLocalInput.BUFFER_BYTES, 3 * BufferedLocalInput.BUFFER_BYTES + 17}) {
            byte[] content = new byte[size];
            random.nextBytes(content);
            Path file = Files.write(directory.resolve("f" + size), content);
            try (SeekableInputStream in = new DurableLocalFileIO().newInputStream(new org.apache.paimon.fs.Path(file.toUri()))) {
                int position = 0;
                for (int step = 0; step < 2_000; step++) {
                    switch (random.nextInt(4)) {
                        case 0 -> {
                            int read = in.read();
                            assertThat(read).isEqualTo(position == size ? -1 : content[position] & 0xFF);
                            position += read < 0 ? 0 : 1;
                        }
                        case 1 -> position += readSome(in, content, position, random);
                        case 2 -> {
                            position = random.nextInt(size + 1);
                            in.seek(position);
                        }
                        case 3 -> {
                            int at = random.nextInt(size + 1);
                            byte[] target = new byte[random.nextInt(1, 20_000)];
                            int read = ((VectoredReadable) in).pread(at, target, 0, target.length);
                            assertThat(Arrays.copyOf(target, Math.max(0, read))).isEqualTo(Arrays.copyOfRange(content, at, at + Math.max(0, read)));
                            assertThat(read > 0).isEqualTo(at < size);
                        }
                        default -> throw new IllegalStateException();
                    }
                    assertThat(in.getPos()).isEqualTo(position);
                }
            }
        }
    }

    private static int readSome(SeekableInputStream in, byte[] content, int position, Random random) throws IOException
    {
        byte[] target = new byte[1 + random.nextInt(random.nextBoolean() ? 50 : 20_000)];
        int offset = random.nextInt(target.length);
        int read = in.read(target, offset, target.length - offset);
        if (position == content.length) {
            assertThat(read).isEqualTo(-1);
            return 0;
        }
        assertThat(read).isPositive();
        assertThat(Arrays.copyOfRange(target, offset, offset + read)).isEqualTo(Arrays.copyOfRange(content, position, position + read));
        return read;
    }
}
