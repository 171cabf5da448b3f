package io.paimon.realtime.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;

/**
 * Another file system, some of whose operations fail when the test says so. A failure may come after the operation took effect, as when an answer gets lost.
 */
public final class FaultyFileIO implements FileIO
{
    private static final long serialVersionUID = 1L;

    /** What can fail. */
    public enum Operation
    {
        OPEN, READ, CREATE, WRITE, CLOSE, PUBLISH, STATUS, LIST, EXISTS, DELETE, MKDIRS, RENAME
    }

    /** The failure; its message is what to look for. */
    public static final class InjectedFault extends IOException
    {
        private static final long serialVersionUID = 1L;

        private InjectedFault(Operation operation, Path path)
        {
            super("injected fault: %s %s".formatted(operation, path));
        }
    }

    private final FileIO files;
    private transient volatile Fault fault;

    /**
     * One fault: the operation that fails, counted over those that match.
     *
     * @param action what happens; none for a failure
     */
    private record Fault(BiPredicate<Operation, Path> matches, AtomicInteger countdown, boolean afterEffect, boolean forever, Optional<Thread> thread,
            Optional<Runnable> action)
    {
        boolean strikes(Operation operation, Path path)
        {
            if ((thread.isPresent() && thread.get() != Thread.currentThread()) || !matches.test(operation, path)) {
                return false;
            }
            int left = countdown.getAndDecrement();
            return left == 0 || (left < 0 && forever);
        }
    }

    public FaultyFileIO(FileIO files)
    {
        this.files = requireNonNull(files, "files is null");
    }

    /** The matching operation fails, once, with or without having taken effect. Replaces what was armed before. */
    public void failOnce(BiPredicate<Operation, Path> matches, boolean afterEffect)
    {
        fault = new Fault(matches, new AtomicInteger(0), afterEffect, false, Optional.empty(), Optional.empty());
    }

    /** Every matching operation fails from now on. */
    public void failAlways(BiPredicate<Operation, Path> matches)
    {
        fault = new Fault(matches, new AtomicInteger(0), false, true, Optional.empty(), Optional.empty());
    }

    /** Of this thread's operations the one after {@code count} others fails, once. */
    public void failAfter(int count, boolean afterEffect)
    {
        failAfter((_, _) -> true, count, afterEffect);
    }

    /** Of this thread's matching operations the one after {@code count} others fails, once. */
    public void failAfter(BiPredicate<Operation, Path> matches, int count, boolean afterEffect)
    {
        fault = new Fault(matches, new AtomicInteger(count), afterEffect, false, Optional.of(Thread.currentThread()), Optional.empty());
    }

    /** Something happens right before, or right after, the next matching operation, on its thread; nothing fails. The action may use these files. */
    public void meanwhile(BiPredicate<Operation, Path> matches, boolean afterEffect, Runnable action)
    {
        fault = new Fault(matches, new AtomicInteger(0), afterEffect, false, Optional.empty(), Optional.of(action));
    }

    /** Nothing fails any more. */
    public void heal()
    {
        fault = null;
    }

    /** Whether the armed fault has struck. */
    public boolean hasStruck()
    {
        return fault.countdown().get() < 0;
    }

    /** Whether the exception comes from here. */
    public static boolean isInjected(Throwable failure)
    {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InjectedFault || String.valueOf(cause.getMessage()).contains("injected fault")) {
                return true;
            }
            for (Throwable suppressed : cause.getSuppressed()) {
                if (isInjected(suppressed)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void before(Operation operation, Path path) throws IOException
    {
        strike(operation, path, false);
    }

    private void after(Operation operation, Path path) throws IOException
    {
        strike(operation, path, true);
    }

    private void strike(Operation operation, Path path, boolean afterEffect) throws IOException
    {
        Fault armed = fault;
        if (armed == null || armed.afterEffect() != afterEffect || !armed.strikes(operation, path)) {
            return;
        }
        if (armed.action().isEmpty()) {
            throw new InjectedFault(operation, path);
        }
        armed.action().get().run();
    }

    @Override
    public boolean isObjectStore()
    {
        return files.isObjectStore();
    }

    @Override
    public void configure(CatalogContext context)
    {
        files.configure(context);
    }

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException
    {
        before(Operation.OPEN, path);
        SeekableInputStream in = files.newInputStream(path);
        try {
            after(Operation.OPEN, path);
        }
        catch (IOException e) {
            in.close();
            throw e;
        }
        return new Input(path, in);
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException
    {
        before(Operation.CREATE, path);
        PositionOutputStream out = files.newOutputStream(path, overwrite);
        try {
            after(Operation.CREATE, path);
        }
        catch (IOException e) {
            out.close();
            throw e;
        }
        return new Output(path, out);
    }

    @Override
    public boolean tryToWriteAtomic(Path path, String content) throws IOException
    {
        before(Operation.PUBLISH, path);
        boolean written = files.tryToWriteAtomic(path, content);
        after(Operation.PUBLISH, path);
        return written;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException
    {
        before(Operation.STATUS, path);
        FileStatus status = files.getFileStatus(path);
        after(Operation.STATUS, path);
        return status;
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException
    {
        before(Operation.LIST, path);
        FileStatus[] children = files.listStatus(path);
        after(Operation.LIST, path);
        return children;
    }

    @Override
    public boolean exists(Path path) throws IOException
    {
        before(Operation.EXISTS, path);
        boolean exists = files.exists(path);
        after(Operation.EXISTS, path);
        return exists;
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException
    {
        before(Operation.DELETE, path);
        boolean deleted = files.delete(path, recursive);
        after(Operation.DELETE, path);
        return deleted;
    }

    @Override
    public boolean mkdirs(Path path) throws IOException
    {
        before(Operation.MKDIRS, path);
        boolean made = files.mkdirs(path);
        after(Operation.MKDIRS, path);
        return made;
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException
    {
        before(Operation.RENAME, to);
        boolean renamed = files.rename(from, to);
        after(Operation.RENAME, to);
        return renamed;
    }

    private final class Input extends SeekableInputStream
    {
        private final Path path;
        private final SeekableInputStream in;

        private Input(Path path, SeekableInputStream in)
        {
            this.path = path;
            this.in = in;
        }

        @Override
        public void seek(long position) throws IOException
        {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException
        {
            return in.getPos();
        }

        @Override
        public int read() throws IOException
        {
            before(Operation.READ, path);
            return in.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException
        {
            before(Operation.READ, path);
            return in.read(bytes, offset, length);
        }

        @Override
        public void close() throws IOException
        {
            in.close();
        }
    }

    private final class Output extends PositionOutputStream
    {
        private final Path path;
        private final PositionOutputStream out;

        private Output(Path path, PositionOutputStream out)
        {
            this.path = path;
            this.out = out;
        }

        @Override
        public long getPos() throws IOException
        {
            return out.getPos();
        }

        @Override
        public void write(int value) throws IOException
        {
            before(Operation.WRITE, path);
            out.write(value);
        }

        @Override
        public void write(byte[] bytes) throws IOException
        {
            before(Operation.WRITE, path);
            out.write(bytes);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException
        {
            before(Operation.WRITE, path);
            out.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException
        {
            out.flush();
        }

        @Override
        public void close() throws IOException
        {
            before(Operation.CLOSE, path);
            out.close();
            after(Operation.CLOSE, path);
        }
    }
}
