package io.paimon.realtime.tools.bench;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Preconditions;
import io.paimon.realtime.tools.TrinoConnection;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;

/**
 * @param quick whether to run tiny, to see that everything works: the numbers mean nothing
 * @param directory where benchmarks make their temporary folders; it exists
 * @param server the Trino server, if one was started
 */
record BenchContext(boolean quick, Path directory, Optional<Server> server, Progress progress)
{
    /**
     * @param http {@code host:port}
     * @param flight address of the writer, {@code grpc://host:port}
     */
    record Server(String http, String flight)
    {
        Server
        {
            requireNonNull(http, "http is null");
            requireNonNull(flight, "flight is null");
        }
    }

    BenchContext
    {
        requireNonNull(directory, "directory is null");
        requireNonNull(server, "server is null");
        requireNonNull(progress, "progress is null");
    }

    /** One number for a real run, another for a quick one. */
    int scale(int full, int tiny)
    {
        return quick ? tiny : full;
    }

    Server trino()
    {
        Preconditions.checkState(server.isPresent(), "the benchmark needs a server");
        return server.get();
    }

    TrinoConnection connect() throws SQLException
    {
        return TrinoConnection.open(trino().http(), "bench");
    }
}
