package io.paimon.realtime.paimon;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.table.FileStoreTable;

/**
 * The file {@code metadata/realtime.lease}, in which the writer of a table says who it is and that it lives. It keeps a second writer away and lets readers name the owner; it
 * does not guard commits: that is the compare-and-set of {@link ProgressCommit}, which holds whatever the clocks say.
 */
public final class LeaseFile
{
    private static final int VERSION = 1;
    private static final String NAME = "metadata/realtime.lease";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final FileIO fileIO;
    private final Path path;
    private final String table;

    public LeaseFile(FileStoreTable table)
    {
        this.fileIO = table.fileIO();
        this.path = new Path(table.location(), NAME);
        this.table = table.fullName();
    }

    /**
     * @param incarnation random id of the start of the service
     * @param log id of the service's data directory
     * @param address where the writer is reached over Flight, empty if nowhere
     * @param epoch under which the table is claimed
     * @param renewedAtMillis wall clock of the writer, milliseconds since 1970
     * @param durationMillis how long it lives from then
     */
    public record Lease(String incarnation, String log, String address, long epoch, long renewedAtMillis, long durationMillis)
    {
        public Lease
        {
            requireNonNull(incarnation, "incarnation is null");
            requireNonNull(log, "log is null");
            requireNonNull(address, "address is null");
        }

        /** Whether the writer is to be taken for alive. */
        public boolean isLive(long nowMillis)
        {
            return nowMillis < renewedAtMillis + durationMillis;
        }

        /** The owner, for people. */
        public String owner()
        {
            return address.isEmpty() ? "the writer with data directory id " + log : "the writer at " + address;
        }
    }

    /**
     * The lease as it stands, empty if there is none.
     *
     * @throws RealtimeException UNAVAILABLE if the file cannot be read
     */
    public Optional<Lease> read()
    {
        try {
            JsonNode json = MAPPER.readTree(fileIO.readFileUtf8(path));
            if (json.path("version").asInt() != VERSION) {
                throw new IOException("version %s is not %s".formatted(json.path("version"), VERSION));
            }
            return Optional.of(new Lease(json.required("incarnation").asText(), json.required("log").asText(), json.required("address").asText(),
                    json.required("epoch").longValue(), json.required("renewedAtMillis").longValue(), json.required("durationMillis").longValue()));
        }
        catch (FileNotFoundException | NoSuchFileException e) {
            return Optional.empty();
        }
        catch (IOException | IllegalArgumentException e) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: cannot read %s (delete it if no writer of the table runs): %s".formatted(table, path, e.getMessage()), e);
        }
    }

    /**
     * @param logId id of the caller's data directory
     * @throws RealtimeException FENCED if a writer on another data directory has the table and lives
     */
    public void checkNotOwnedByOthers(String logId)
    {
        read().filter(lease -> !lease.log().equals(logId) && lease.isLive(System.currentTimeMillis())).ifPresent(lease -> {
            throw new RealtimeException(Code.FENCED, "Table %s is written by %s (incarnation %s), which lives: do it there, or stop it first"
                    .formatted(table, lease.owner(), lease.incarnation()));
        });
    }

    /**
     * @throws RealtimeException UNAVAILABLE if the file cannot be written
     */
    public void write(Lease lease)
    {
        String json = MAPPER.createObjectNode()
                .put("version", VERSION)
                .put("incarnation", lease.incarnation())
                .put("log", lease.log())
                .put("address", lease.address())
                .put("epoch", lease.epoch())
                .put("renewedAtMillis", lease.renewedAtMillis())
                .put("durationMillis", lease.durationMillis())
                .toString();
        try {
            fileIO.overwriteFileUtf8(path, json);
        }
        catch (IOException e) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s: cannot write %s: %s".formatted(table, path, e.getMessage()), e);
        }
    }

    public void delete()
    {
        fileIO.deleteQuietly(path);
    }
}
