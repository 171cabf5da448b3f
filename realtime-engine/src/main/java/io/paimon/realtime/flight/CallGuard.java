package io.paimon.realtime.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.ThreadSafe;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stands before every call: checks the token before a byte of the body is read, and bounds how many calls of each kind run at once and how much they send ahead.
 */
@ThreadSafe
final class CallGuard implements ServerInterceptor
{
    private static final Metadata.Key<String> AUTHORIZATION = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String BEARER = "bearer ";
    /**
     * Arrow's server stream asks for five messages beyond the one it works on; one is enough to keep the network busy, and a message may be large.
     */
    private static final int MESSAGES_NOT_REQUESTED = 4;

    private final Optional<byte[]> tokenDigest;
    private final InboundGate gate;
    private final Semaphore puts;
    private final Semaphore gets;
    private final Semaphore calls;

    CallGuard(FlightServerOptions options, InboundGate gate)
    {
        this.tokenDigest = options.token().map(CallGuard::digest);
        this.gate = requireNonNull(gate, "gate is null");
        this.puts = new Semaphore(options.maxPutStreams());
        this.gets = new Semaphore(options.maxGetStreams());
        this.calls = new Semaphore(options.maxCalls());
    }

    @Override
    public <Q, P> ServerCall.Listener<Q> interceptCall(ServerCall<Q, P> call, Metadata headers, ServerCallHandler<Q, P> next)
    {
        if (!authorized(headers)) {
            call.close(Status.UNAUTHENTICATED.withDescription("A valid token is required: header 'authorization: Bearer TOKEN'"), new Metadata());
            return new ServerCall.Listener<>() {
            };
        }
        String method = String.valueOf(call.getMethodDescriptor().getBareMethodName());
        Semaphore places = switch (method) {
            case "DoPut" -> puts;
            case "DoGet" -> gets;
            default -> calls;
        };
        CallPermit permit = CallPermit.tryAcquire(places);
        if (permit == null) {
            StatusRuntimeException refused = FlightErrors.toGrpc(Code.RESOURCE_EXHAUSTED,
                    "Too many %s calls at the same time; try again later".formatted(method), null);
            call.close(refused.getStatus(), refused.getTrailers());
            return new ServerCall.Listener<>() {
            };
        }
        boolean started = false;
        try {
            ServerCall<Q, P> guarded = method.equals("DoPut") ? new GatedCall<>(call) : call;
            ServerCall.Listener<Q> listener = Contexts.interceptCall(permit.attachedTo(Context.current()), guarded, headers, next);
            started = true;
            return new PermitListener<>(listener, permit);
        }
        finally {
            if (!started) {
                permit.release();
            }
        }
    }

    private boolean authorized(Metadata headers)
    {
        if (tokenDigest.isEmpty()) {
            return true;
        }
        String header = headers.get(AUTHORIZATION);
        if (header == null || !header.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            return false;
        }
        // digests are of one length, so the time tells nothing of the token
        return MessageDigest.isEqual(tokenDigest.get(), digest(header.substring(BEARER.length()).trim()));
    }

    private static byte[] digest(String token)
    {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
        }
        catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Passes requests for messages through the gate, all but the first few. */
    private final class GatedCall<Q, P> extends SimpleForwardingServerCall<Q, P>
    {
        private int skip = MESSAGES_NOT_REQUESTED;
        private boolean first = true;

        private GatedCall(ServerCall<Q, P> delegate)
        {
            super(delegate);
        }

        @Override
        public void request(int count)
        {
            int wanted;
            synchronized (this) {
                wanted = count;
                if (first) {
                    // the message with the schema
                    first = false;
                }
                else {
                    int skipped = Math.min(skip, wanted - 1);
                    skip -= skipped;
                    wanted -= skipped;
                }
            }
            for (int i = 0; i < wanted; i++) {
                gate.request(() -> delegate().request(1));
            }
        }
    }

    private static final class PermitListener<Q> extends SimpleForwardingServerCallListener<Q>
    {
        private final CallPermit permit;
        private final AtomicBoolean ended = new AtomicBoolean();

        private PermitListener(ServerCall.Listener<Q> delegate, CallPermit permit)
        {
            super(delegate);
            this.permit = permit;
        }

        @Override
        public void onCancel()
        {
            try {
                super.onCancel();
            }
            finally {
                end();
            }
        }

        @Override
        public void onComplete()
        {
            try {
                super.onComplete();
            }
            finally {
                end();
            }
        }

        private void end()
        {
            if (ended.compareAndSet(false, true)) {
                permit.release();
            }
        }
    }
}
