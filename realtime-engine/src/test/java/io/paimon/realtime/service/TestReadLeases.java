package io.paimon.realtime.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paimon.realtime.memory.MemBatch;
import io.paimon.realtime.memory.MemBatchReader;
import io.paimon.realtime.memory.MemQueryContext;
import io.paimon.realtime.memory.MemReadRequest;
import io.paimon.realtime.model.PartitionBucket;
import io.paimon.realtime.model.QueryCut;
import io.paimon.realtime.model.RealtimeException;
import io.paimon.realtime.model.RealtimeException.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coordinator that died releases nothing: its leases end, by a clock that the test moves. */
final class TestReadLeases
{
    private static final RowType ROW_TYPE = RowType.of(new DataType[]{DataTypes.BIGINT()}, new String[]{"id"});
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final String QUERY = "of a coordinator that dies";

    private final AtomicLong clock = new AtomicLong(-42);
    private RealtimeTester tester;
    private Identifier table;

    @BeforeEach
    void setUp() throws Exception
    {
        tester = new RealtimeTester();
        tester.restart(tester.options().withReadLeaseTimeout(LEASE), clock::get);
        table = tester.createTable("t", ROW_TYPE, List.of(), Map.of("bucket", "2", "bucket-key", "id"));
        List<GenericRow> rows = new ArrayList<>();
        for (long id = 0; id < 1_000; id++) {
            rows.add(GenericRow.of(id));
        }
        tester.append(table, rows);
    }

    @AfterEach
    void tearDown() throws Exception
    {
        tester.close();
    }

    private List<MemBatchReader> open(QueryCut cut)
    {
        List<MemBatchReader> readers = new ArrayList<>();
        cut.tables().get(table.getFullName()).buckets()
                .forEach((bucket, offsets) -> readers.addAll(open(bucket, new MemReadRequest(offsets, ROW_TYPE, ROW_TYPE,
                        Optional.empty()))));
        return readers;
    }

    private List<MemBatchReader> open(PartitionBucket bucket, MemReadRequest request)
    {
        return tester.service().read(QUERY, table, bucket, request, new MemQueryContext(tester.service().allocator()));
    }

    private static int readAndClose(List<MemBatchReader> readers)
    {
        int rows = 0;
        for (MemBatchReader reader : readers) {
            try (reader) {
                for (Optional<MemBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
                    try (MemBatch batch = next.get()) {
                        rows += batch.rowCount();
                    }
                }
            }
        }
        return rows;
    }

    private void pass(Duration time)
    {
        clock.addAndGet(time.toNanos());
    }

    private void awaitEndOfLease()
    {
        await("the lease has ended", () -> tester.service().pinnedQueries() == 0);
    }

    /** The memory is given up a moment after the lease has ended. */
    private void awaitFreedMemory()
    {
        await("no memory is held", () -> tester.service().allocator().getAllocatedMemory() == 0);
    }

    private static void await(String what, BooleanSupplier condition)
    {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void leaseThatIsRenewedHoldsAndOneThatIsNotEnds()
    {
        QueryCut cut = tester.service().pin(QUERY);
        tester.service().flush(Optional.of(table));
        Duration most = LEASE.minusMillis(1);
        for (int i = 0; i < 10; i++) {
            pass(most);
            assertThat(readAndClose(open(cut))).isEqualTo(1_000);
            tester.service().renew(QUERY);
        }
        assertThat(tester.service().allocator().getAllocatedMemory()).isPositive();
        pass(LEASE);
        awaitEndOfLease();
        awaitFreedMemory();
        assertThatThrownBy(() -> open(cut)).isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.CUT_EXPIRED));
        assertThatThrownBy(() -> tester.service().renew(QUERY)).isInstanceOfSatisfying(RealtimeException.class,
                e -> assertThat(e.code()).isEqualTo(Code.CUT_EXPIRED));
        // what comes after the end is ignored
        tester.service().release(QUERY);
    }

    @Test
    void readerThatIsOpenKeepsItsRowsBeyondTheLease()
    {
        QueryCut cut = tester.service().pin(QUERY);
        List<MemBatchReader> readers = open(cut);
        tester.service().flush(Optional.of(table));
        pass(LEASE);
        awaitEndOfLease();
        assertThat(tester.service().allocator().getAllocatedMemory()).isPositive();
        assertThat(readAndClose(readers)).isEqualTo(1_000);
        awaitFreedMemory();
    }

    @Test
    void leaseOfOneQueryIsNotThatOfAnother()
    {
        QueryCut cut = tester.service().pin(QUERY);
        pass(LEASE.dividedBy(2));
        tester.service().pin("other");
        pass(LEASE.dividedBy(2));
        await("one lease has ended", () -> tester.service().pinnedQueries() == 1);
        assertThatThrownBy(() -> open(cut)).isInstanceOfSatisfying(RealtimeException.class, e -> assertThat(e.code()).isEqualTo(Code.CUT_EXPIRED));
        tester.service().renew("other");
        tester.service().release("other");
        assertThat(tester.service().pinnedQueries()).isZero();
    }
}
