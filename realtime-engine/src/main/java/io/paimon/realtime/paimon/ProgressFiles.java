package io.paimon.realtime.paimon;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.Progress;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.paimon.Snapshot;
import org.apache.paimon.fs.Path;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.SerializationUtils;
import org.apache.paimon.utils.SnapshotManager;

/**
 * Progress on disk: JSON files {@code metadata/<uuid>.offsets}, each named by the property {@value #PROPERTY} of the snapshot that published it, and the table's lineage in
 * {@code metadata/realtime.json}. Thread-safe; reads go past Paimon's snapshot cache, for snapshot ids are reused after a rollback.
 */
public final class ProgressFiles
{
    /** Snapshot property that holds the path of the offsets file, relative to the table. */
    public static final String PROPERTY = "realtime.offsets";

    private static final int VERSION = 1;
    private static final String LINEAGE_FILE = "metadata/realtime.json";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final FileStoreTable table;
    private final SnapshotManager snapshots;

    public ProgressFiles(FileStoreTable table)
    {
        this.table = requireNonNull(table, "table is null");
        this.snapshots = table.snapshotManager();
    }

    /** A snapshot, who made it, and the progress it published. */
    public record Published(long snapshotId, String commitUser, Progress progress)
    {
        public Published
        {
            requireNonNull(commitUser, "commitUser is null");
            requireNonNull(progress, "progress is null");
        }
    }

    /** The table's lineage, if a real-time writer ever opened it. */
    public Optional<String> lineage()
    {
        try {
            JsonNode json = MAPPER.readTree(table.fileIO().readFileUtf8(new Path(table.location(), LINEAGE_FILE)));
            return Optional.of(text(json, "lineage"));
        }
        catch (FileNotFoundException | java.nio.file.NoSuchFileException e) {
            return Optional.empty();
        }
        catch (IOException e) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s: cannot read %s: %s".formatted(table.fullName(), LINEAGE_FILE, e.getMessage()),
                    e);
        }
    }

    /** The table's lineage, created exclusively if there is none. */
    public String createLineage()
    {
        Optional<String> existing = lineage();
        if (existing.isPresent()) {
            return existing.get();
        }
        ObjectNode json = MAPPER.createObjectNode().put("version", VERSION).put("lineage", UUID.randomUUID().toString());
        try {
            boolean created = table.fileIO().tryToWriteAtomic(new Path(table.location(), LINEAGE_FILE), json.toString());
            if (created) {
                return json.get("lineage").asText();
            }
        }
        catch (IOException e) {
            throw new RealtimeException(Code.UNAVAILABLE, "Table %s: cannot create %s: %s".formatted(table.fullName(), LINEAGE_FILE, e.getMessage()),
                    e);
        }
        return lineage()
                .orElseThrow(() -> new RealtimeException(Code.UNAVAILABLE, "Table %s: %s vanished".formatted(table.fullName(), LINEAGE_FILE)));
    }

    /** Writes a new offsets file and returns its path relative to the table, for {@link #PROPERTY}. */
    public String write(Progress progress)
    {
        String name = "metadata/" + UUID.randomUUID() + ".offsets";
        try {
            table.fileIO().writeFile(new Path(table.location(), name), toJson(progress), false);
        }
        catch (IOException e) {
            throw new RealtimeException(Code.COMMIT_FAILED, "Table %s: cannot write %s: %s".formatted(table.fullName(), name, e.getMessage()), e);
        }
        return name;
    }

    /** Removes the file of an attempt that was definitely not published. */
    public void delete(String name)
    {
        table.fileIO().deleteQuietly(new Path(table.location(), name));
    }

    /**
     * A snapshot as it was found.
     *
     * @param identity tells it from another one that gets its id after a rollback; empty if there is no such snapshot
     * @param newest newest progress of a lineage at or before it; empty if none is left
     */
    public record Found(Optional<String> identity, Optional<Published> newest)
    {
        public Found
        {
            requireNonNull(identity, "identity is null");
            requireNonNull(newest, "newest is null");
        }
    }

    /** The snapshot, and the newest progress of the lineage at or before it. */
    public Found find(String lineage, long snapshotId)
    {
        Optional<Snapshot> snapshot = snapshot(snapshotId);
        return new Found(snapshot.map(ProgressFiles::identity), snapshot.flatMap(found -> newest(lineage, found)));
    }

    /** What tells the snapshot of this id from another one that gets it after a rollback; empty if there is none. */
    public Optional<String> identity(long snapshotId)
    {
        return snapshot(snapshotId).map(ProgressFiles::identity);
    }

    /** Every commit writes a manifest list of its own. */
    private static String identity(Snapshot snapshot)
    {
        return snapshot.deltaManifestList();
    }

    /** A snapshot, past every cache; empty if there is none of that id. */
    Optional<Snapshot> snapshot(long id)
    {
        if (id < Snapshot.FIRST_SNAPSHOT_ID) {
            return Optional.empty();
        }
        try {
            return Optional.of(SnapshotManager.tryFromPath(table.fileIO(), snapshots.snapshotPath(id)));
        }
        catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    /** Newest progress of the lineage at or before the snapshot, walking back over commits of others. Empty if none is left. */
    public Optional<Published> newest(String lineage, long snapshotId)
    {
        return snapshot(snapshotId).flatMap(snapshot -> newest(lineage, snapshot));
    }

    private Optional<Published> newest(String lineage, Snapshot last)
    {
        for (Optional<Snapshot> snapshot = Optional.of(last); snapshot.isPresent(); snapshot = snapshot(snapshot.get().id() - 1)) {
            Optional<Progress> progress = read(snapshot.get()).filter(candidate -> candidate.lineage().equals(lineage));
            if (progress.isPresent()) {
                return Optional.of(new Published(snapshot.get().id(), snapshot.get().commitUser(), progress.get()));
            }
        }
        return Optional.empty();
    }

    /** Id of the newest snapshot, past every cache; empty for a table without snapshots. */
    public Optional<Long> latestSnapshotId()
    {
        return Optional.ofNullable(snapshots.latestSnapshotIdFromFileSystem());
    }

    /** Progress that this snapshot published, of whatever lineage. A file that the snapshot names and that is missing or damaged is an error. */
    public Optional<Progress> read(Snapshot snapshot)
    {
        Map<String, String> properties = snapshot.properties();
        String name = properties == null ? null : properties.get(PROPERTY);
        if (name == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(fromJson(table.fileIO().readFileUtf8(new Path(table.location(), name))));
        }
        catch (IOException | RuntimeException e) {
            throw new RealtimeException(Code.UNAVAILABLE,
                    "Table %s: snapshot %s names %s, which cannot be read: %s".formatted(table.fullName(), snapshot.id(), name, e.getMessage()), e);
        }
    }

    static String toJson(Progress progress)
    {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("version", VERSION);
        json.put("lineage", progress.lineage());
        json.put("log", progress.log());
        json.put("epoch", progress.epoch());
        json.put("identifier", progress.identifier());
        json.put("drained", progress.drained());
        ArrayNode offsets = json.putArray("offsets");
        progress.offsets().forEach((key, end) -> offsets.addObject()
                .put("partition", Base64.getEncoder().encodeToString(SerializationUtils.serializeBinaryRow(key.partition())))
                .put("bucket", key.bucket())
                .put("end", end));
        ObjectNode producers = json.putObject("producers");
        progress.producers().forEach(producers::put);
        return json.toString();
    }

    static Progress fromJson(String text)
    {
        try {
            JsonNode json = MAPPER.readTree(text);
            if (json.path("version").asInt() != VERSION) {
                throw new IllegalArgumentException("version %s is not %s".formatted(json.path("version"), VERSION));
            }
            Map<PartitionBucket, Long> offsets = new HashMap<>();
            for (JsonNode entry : json.required("offsets")) {
                PartitionBucket key = new PartitionBucket(
                        SerializationUtils.deserializeBinaryRow(Base64.getDecoder().decode(text(entry, "partition"))),
                        entry.required("bucket").asInt());
                if (offsets.put(key, entry.required("end").longValue()) != null) {
                    throw new IllegalArgumentException("bucket %s stands twice".formatted(key.bucket()));
                }
            }
            Map<String, Long> producers = new HashMap<>();
            json.path("producers").properties().forEach(entry -> producers.put(entry.getKey(), entry.getValue().longValue()));
            return new Progress(text(json, "lineage"), text(json, "log"), json.required("epoch").longValue(), json.required("identifier").longValue(),
                    json.path("drained").asBoolean(), offsets, producers);
        }
        catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(JsonNode json, String field)
    {
        return json.required(field).asText();
    }
}
