package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

/**
 * State of a writer service.
 *
 * @param address where its Flight endpoint is reached, {@code grpc://host:port}; empty while there is none
 * @param incarnation random id, new at every start of the service
 * @param phase one of the {@link Phase}s
 * @param tables number of tables it holds
 * @param memoryBytes bytes held now, of vectors, staging and flush buffers
 * @param memoryLimitBytes upper bound of {@code memoryBytes}
 * @param logBytes bytes in the log; 0 without a log
 * @param lastError newest failure that still matters, empty if none
 */
public record WriterStatus(String address, String incarnation, Phase phase, int tables, long memoryBytes, long memoryLimitBytes, long logBytes,
        String lastError)
{
    public enum Phase
    {
        STARTING, RUNNING, CLOSING, CLOSED, UNAVAILABLE
    }

    public WriterStatus
    {
        requireNonNull(address, "address is null");
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(phase, "phase is null");
        requireNonNull(lastError, "lastError is null");
    }
}
