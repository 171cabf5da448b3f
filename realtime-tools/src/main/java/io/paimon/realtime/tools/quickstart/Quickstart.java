package io.paimon.realtime.tools.quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.paimon.realtime.tools.Allocators;
import io.paimon.realtime.tools.Arguments;
import io.paimon.realtime.tools.TrinoConnection;
import io.paimon.realtime.tools.UsageException;
import io.paimon.realtime.tools.flight.FlightTable;
import io.paimon.realtime.tools.flight.WriterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Streams flights into {@code paimon.demo.flights} of a running server, the latest one of each route into {@code paimon.demo.routes}, and prints what queries see, until it is interrupted; with {@code --check} proves what it
 * prints and ends.
 */
public final class Quickstart
{
    private static final String TABLE = "paimon.demo.flights";
    private static final String ROUTES = "paimon.demo.routes";
    private static final String COLUMNS = "(id bigint NOT NULL, date timestamp(3), delay bigint, distance bigint, origin varchar, destination varchar, ingested_at timestamp(3))";
    /** The latest flight of each route, by the table of routes and by that of all flights. */
    private static final String LATEST = "SELECT count(*), sum(id), sum(delay), to_hex(checksum(origin || destination)) FROM " + ROUTES;
    private static final String LATEST_OF_FLIGHTS = "SELECT count(*), sum(id), sum(delay), to_hex(checksum(origin || destination)) FROM "
            + "(SELECT origin, destination, max(id) id, max_by(delay, id) delay FROM " + TABLE + " GROUP BY origin, destination)";
    private static final String COUNT = "SELECT count(*), date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', max(ingested_at)) FROM "
            + TABLE;
    private static final List<String> ANSWERS = ImmutableList.of(
            "SELECT count(*), sum(delay), sum(distance), min(date), max(date), count(DISTINCT destination), to_hex(checksum(id)) FROM " + TABLE,
            "SELECT origin, count(*), sum(delay), max(distance) FROM " + TABLE + " GROUP BY origin ORDER BY origin",
            "SELECT id, origin, destination, delay FROM " + TABLE + " WHERE delay > 200 ORDER BY delay DESC, id LIMIT 50",
            LATEST,
            "SELECT * FROM " + ROUTES + " ORDER BY origin, destination");
    private static final int CHECK_POLLS = 22;
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(50);
    private static final int BATCH_ROWS = 500;
    private static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int WARM_UPS = 3;

    private final TrinoConnection union;
    private final TrinoConnection committed;
    private final boolean check;
    private final long startNanos = System.nanoTime();
    private final AtomicReference<Throwable> feedFailure = new AtomicReference<>();
    /** In a check, held while a batch is appended and while a query runs, so that the rows a query must see are known exactly. */
    private final ReentrantLock turn = new ReentrantLock(true);
    private volatile long acknowledged;
    private volatile long sent;
    private volatile boolean ended;

    private Quickstart(TrinoConnection union, TrinoConnection committed, boolean check)
    {
        this.union = requireNonNull(union, "union is null");
        this.committed = requireNonNull(committed, "committed is null");
        this.check = check;
    }

    public static void main(String[] arguments)
            throws InterruptedException
    {
        Optional<String> verdict = Optional.empty();
        try {
            Arguments parsed = Arguments.parse(arguments, ImmutableSet.of("--http", "--flight", "--sample", "--verdict"), ImmutableSet.of("--check"));
            verdict = parsed.value("--verdict");
            String http = parsed.required("--http");
            try (TrinoConnection union = TrinoConnection.open(http, "quickstart");
                    TrinoConnection committed = TrinoConnection.open(http, "quickstart")) {
                String result = new Quickstart(union, committed, parsed.has("--check")).run(http, parsed.required("--flight"),
                        parsed.required("--sample"));
                conclude(result, verdict);
            }
        }
        catch (CheckFailedException | UsageException | WriterException | SQLException | IOException e) {
            conclude("quickstart: FAILED " + e.getMessage(), verdict);
            System.exit(1);
        }
    }

    private static void conclude(String result, Optional<String> verdict)
    {
        if (verdict.isEmpty()) {
            System.out.println(result);
            return;
        }
        try {
            Files.writeString(Path.of(verdict.get()), result.replace('\n', ' ') + "\n", UTF_8);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the verdict of a check; without one it runs until it is interrupted. */
    private String run(String http, String flight, String sample)
            throws IOException, SQLException, InterruptedException
    {
        union.execute("CREATE SCHEMA IF NOT EXISTS paimon.demo");
        union.execute("CREATE TABLE IF NOT EXISTS " + TABLE
                + " " + COLUMNS + " WITH (realtime = true, bucket = 2, bucket_key = ARRAY['id'])");
        union.execute("CREATE TABLE IF NOT EXISTS " + ROUTES
                + " " + COLUMNS + " WITH (realtime = true, primary_key = ARRAY['origin', 'destination'], bucket = 2)");
        committed.execute("SET SESSION paimon.realtime_read_mode = 'COMMITTED'");
        for (int i = 0; i < WARM_UPS; i++) {
            union.query(COUNT);
            committed.query(COUNT);
        }
        long before = union.number("SELECT count(*) FROM " + TABLE);
        acknowledged = before;
        sent = before;
        System.out.println("%s holds %,d rows; flights are streamed in over Arrow Flight (%s)".formatted(TABLE, before, flight));
        if (!check) {
            printConnections(http);
        }
        try (BufferAllocator allocator = Allocators.create();
                FlightTable table = FlightTable.connect(allocator, flight, "demo", "flights", Optional.empty(), Optional.empty());
                FlightTable routes = FlightTable.connect(allocator, flight, "demo", "routes", Optional.empty(), Optional.empty());
                FlightFeed feed = new FlightFeed(table, routes, sample, before, allocator)) {
            // the first append makes the writer claim the table in a snapshot without rows; from here on only a flush makes one
            acknowledged += feed.append(BATCH_ROWS);
            sent = acknowledged;
            Thread feeder = Thread.ofPlatform().name("feed").daemon().start(() -> feed(feed));
            try {
                return check ? check(feeder) : pollForEver();
            }
            finally {
                ended = true;
                feeder.join();
            }
        }
    }

    private static void printConnections(String http)
    {
        System.out.println("""

                From another terminal:
                  bin/sql --port %s -e "SELECT origin, count(*) flights, avg(delay) delay FROM demo.flights GROUP BY origin ORDER BY 2 DESC LIMIT 10"
                  bin/sql --port %s -e "SELECT origin, destination, date, delay FROM demo.routes ORDER BY delay DESC LIMIT 10"
                  JDBC: jdbc:trino://%s/paimon/demo  (any user name, no password)
                Ctrl-C ends it; run it again to go on with the same data.
                """.formatted(http.substring(http.lastIndexOf(':') + 1), http.substring(http.lastIndexOf(':') + 1), http));
    }

    private void feed(FlightFeed feed)
    {
        try {
            long next = System.nanoTime();
            while (!ended) {
                turn.lock();
                try {
                    if (ended) {
                        return;
                    }
                    sent = acknowledged + BATCH_ROWS;
                    acknowledged += feed.append(BATCH_ROWS);
                    sent = acknowledged;
                }
                finally {
                    turn.unlock();
                }
                next = Math.max(next + BATCH_NANOS, System.nanoTime());
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        catch (RuntimeException e) {
            feedFailure.set(e);
        }
    }

    private String pollForEver()
            throws SQLException, InterruptedException
    {
        printHeader();
        while (true) {
            print(poll());
            TimeUnit.SECONDS.sleep(1);
        }
    }

    private Poll poll()
            throws SQLException
    {
        Throwable failure = feedFailure.get();
        if (failure != null) {
            throw new CheckFailedException("rows were not accepted: " + failure.getMessage(), failure);
        }
        long acknowledgedBefore;
        long sentAfter;
        List<Object> row;
        long answeredMillis;
        if (check) {
            turn.lock();
        }
        try {
            acknowledgedBefore = acknowledged;
            row = union.query(COUNT).getFirst();
            answeredMillis = System.currentTimeMillis();
            sentAfter = sent;
        }
        finally {
            if (check) {
                turn.unlock();
            }
        }
        long newest = row.get(1) instanceof Number number ? number.longValue() : answeredMillis;
        Poll poll = new Poll(acknowledgedBefore, sentAfter, ((Number) row.get(0)).longValue(), answeredMillis - newest,
                committed.number("SELECT count(*) FROM " + TABLE), snapshot());
        if (!poll.isRight()) {
            throw new CheckFailedException(
                    "a query saw %s rows, %s were acknowledged before it was sent and at most %s were sent when it was answered".formatted(
                            poll.rows(), poll.acknowledged(), poll.sent()));
        }
        return poll;
    }

    private long snapshot()
            throws SQLException
    {
        return union.number("SELECT max(snapshot_id) FROM paimon.demo.\"flights$snapshots\"");
    }

    private String check(Thread feeder)
            throws SQLException, InterruptedException
    {
        List<Poll> polls = new ArrayList<>();
        printHeader();
        while (polls.size() < CHECK_POLLS) {
            Poll poll = poll();
            print(poll);
            polls.add(poll);
            if (System.nanoTime() - startNanos > CHECK_NANOS) {
                throw new CheckFailedException(
                        "only %s polls within %s seconds".formatted(polls.size(), TimeUnit.NANOSECONDS.toSeconds(CHECK_NANOS)));
            }
            TimeUnit.MILLISECONDS.sleep(300);
        }
        ended = true;
        feeder.join();
        Poll first = polls.getFirst();
        Poll last = polls.getLast();
        require(last.rows() > first.rows(), "the rows did not grow: %s, then %s".formatted(first.rows(), last.rows()));
        for (Poll poll : polls) {
            require(poll.snapshot() == first.snapshot(),
                    "the snapshot id changed from %s to %s while rows were polled".formatted(first.snapshot(), poll.snapshot()));
        }
        checkRoutes();
        checkFlush(first.snapshot());
        return "quickstart: OK rows=%s polls=%s max_freshness_ms=%s".formatted(
                acknowledged, polls.size(), polls.stream().mapToLong(Poll::freshnessMillis).max().orElseThrow());
    }

    /** What the rows upserted for each route have left is the latest of its flights. */
    private void checkRoutes()
            throws SQLException
    {
        List<List<Object>> latest = union.query(LATEST);
        List<List<Object>> expected = union.query(LATEST_OF_FLIGHTS);
        require(latest.equals(expected), "%s holds %s, the latest flights of each route are %s".formatted(ROUTES, latest, expected));
        System.out.println("%s: %s routes, each with its latest flight".formatted(ROUTES, latest.getFirst().getFirst()));
    }

    private void checkFlush(long snapshotBefore)
            throws SQLException
    {
        List<List<List<Object>>> before = answers(union);
        union.execute("CALL paimon.system.flush(schema_name => 'demo', table_name => 'flights')");
        union.execute("CALL paimon.system.flush(schema_name => 'demo', table_name => 'routes')");
        long snapshotAfter = snapshot();
        require(snapshotAfter > snapshotBefore, "the flush made no snapshot: it is still %s".formatted(snapshotAfter));
        requireSame(before, answers(union), "after the flush");
        requireSame(before, answers(committed), "of committed data");
        long rows = committed.number("SELECT count(*) FROM " + TABLE);
        require(rows == acknowledged, "%s rows are committed, %s were acknowledged".formatted(rows, acknowledged));
        System.out.println("flushed: snapshot %s -> %s, %,d rows committed, every answer as before".formatted(snapshotBefore, snapshotAfter, rows));
    }

    private static void requireSame(List<List<List<Object>>> before, List<List<List<Object>>> now, String when)
    {
        for (int i = 0; i < ANSWERS.size(); i++) {
            require(now.get(i).equals(before.get(i)),
                    "an answer %s differs from that of memory: %s was %s, is %s".formatted(when, ANSWERS.get(i), before.get(i),
                            now.get(i)));
        }
    }

    private static List<List<List<Object>>> answers(TrinoConnection connection)
            throws SQLException
    {
        ImmutableList.Builder<List<List<Object>>> answers = ImmutableList.builder();
        for (String query : ANSWERS) {
            answers.add(connection.query(query));
        }
        return answers.build();
    }

    private static void require(boolean condition, String message)
    {
        if (!condition) {
            throw new CheckFailedException(message);
        }
    }

    private static void printHeader()
    {
        System.out.println("   rows seen   in no snapshot   snapshot   freshness ms   COMMITTED rows");
    }

    private static void print(Poll poll)
    {
        System.out.println("%,12d   %,14d   %,8d   %,12d   %,14d".formatted(
                poll.rows(), Math.max(0, poll.rows() - poll.committed()), poll.snapshot(), poll.freshnessMillis(), poll.committed()));
    }
}
