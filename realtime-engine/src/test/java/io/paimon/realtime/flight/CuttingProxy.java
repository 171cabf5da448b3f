package io.paimon.realtime.flight;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Passes one connection on to a local port and cuts it when the client has sent so many bytes.
 */
final class CuttingProxy implements AutoCloseable
{
    private final ServerSocket listener;
    private final int target;
    private final long cutAfterBytes;
    private final Thread forward;
    private volatile Socket client;
    private volatile Socket server;

    CuttingProxy(int target, long cutAfterBytes)
    {
        this.target = target;
        this.cutAfterBytes = cutAfterBytes;
        try {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        forward = Thread.ofPlatform().daemon().start(this::run);
    }

    String address()
    {
        return "grpc://127.0.0.1:" + listener.getLocalPort();
    }

    private void run()
    {
        try (ServerSocket _ = listener; Socket from = listener.accept(); Socket to = new Socket(InetAddress.getLoopbackAddress(), target)) {
            client = from;
            server = to;
            Thread back = Thread.ofPlatform().daemon().start(() -> copy(to, from, Long.MAX_VALUE));
            copy(from, to, cutAfterBytes);
            from.close();
            to.close();
            back.join();
        }
        catch (IOException e) {
            // closed: what the proxy is for
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Socket from, Socket to, long limit)
    {
        byte[] buffer = new byte[8192];
        long left = limit;
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    return;
                }
                out.write(buffer, 0, read);
                out.flush();
                left -= read;
            }
        }
        catch (IOException e) {
            // closed by the other direction
        }
    }

    @Override
    public void close()
            throws Exception
    {
        listener.close();
        for (Socket socket : new Socket[]{client, server}) {
            if (socket != null) {
                socket.close();
            }
        }
        forward.join();
    }
}
