package io.paimon.realtime.flight;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.Optional;

/**
 * Adds the token to every call, and lets a DoGet read two messages ahead instead of Arrow's six: a query opens many at once.
 */
final class ClientCallShaping implements ClientInterceptor
{
    private static final Metadata.Key<String> AUTHORIZATION = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final int MESSAGES_NOT_REQUESTED = 4;

    private final Optional<String> token;

    ClientCallShaping(Optional<String> token)
    {
        this.token = token;
    }

    @Override
    public <Q, P> ClientCall<Q, P> interceptCall(MethodDescriptor<Q, P> method, CallOptions options, Channel next)
    {
        boolean doGet = "DoGet".equals(method.getBareMethodName());
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            private int skip = doGet ? MESSAGES_NOT_REQUESTED : 0;

            @Override
            public void start(Listener<P> listener, Metadata headers)
            {
                token.ifPresent(value -> headers.put(AUTHORIZATION, "Bearer " + value));
                super.start(listener, headers);
            }

            @Override
            public void request(int count)
            {
                int wanted;
                synchronized (this) {
                    int skipped = Math.min(skip, count - 1);
                    skip -= skipped;
                    wanted = count - skipped;
                }
                super.request(wanted);
            }
        };
    }
}
