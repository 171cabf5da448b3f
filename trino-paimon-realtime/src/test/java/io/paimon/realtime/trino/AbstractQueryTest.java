package io.paimon.realtime.trino;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.trino.Session;
import io.trino.execution.QueryManager;
import io.trino.server.testing.TestingTrinoServer;
import io.trino.sql.query.QueryAssertions.QueryAssert;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.H2QueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryAssertions;
import io.trino.plugin.base.util.AutoCloseableCloser;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.AssertProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Queries of one Trino for all tests of a class. In the end every query must be over, with its tasks and its memory. Expected rows come from H2, which holds the tables of TPC-H and is filled once for
 * all classes; Trino's own base class of tests fills one for each class, which takes longer than many of the tests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
abstract class AbstractQueryTest
{
    /** It is only read, and lives as long as the process. */
    private static final class Expected
    {
        static final H2QueryRunner H2 = new H2QueryRunner();

        private Expected()
        {}
    }

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final AutoCloseableCloser closer = AutoCloseableCloser.create();
    private DistributedQueryRunner queryRunner;
    private io.trino.sql.query.QueryAssertions assertions;

    protected abstract DistributedQueryRunner createQueryRunner() throws Exception;

    @BeforeAll
    final void startQueryRunner() throws Exception
    {
        queryRunner = closer.register(createQueryRunner());
        assertions = new io.trino.sql.query.QueryAssertions(queryRunner);
    }

    @AfterAll
    final void stopQueryRunner() throws Exception
    {
        try (closer) {
            // unless it did not start
            if (queryRunner != null) {
                awaitEnd();
            }
        }
    }

    private void awaitEnd()
    {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                assertNothingRuns();
                return;
            }
            catch (AssertionError e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void assertNothingRuns()
    {
        for (TestingTrinoServer server : queryRunner.getServers()) {
            assertThat(server.getLocalMemoryManager().getMemoryPool().getQueryMemoryReservations()).describedAs("memory of queries").isEmpty();
            assertThat(server.getLocalMemoryManager().getMemoryPool().getReservedBytes()).describedAs("reserved memory").isZero();
            assertThat(server.getTaskManager().getAllTaskInfo()).allMatch(task -> task.taskStatus().state().isDone());
        }
        assertThat(queryRunner.getCoordinator().getClusterMemoryManager().getClusterTotalMemoryReservation()).describedAs("memory of the cluster")
                .isZero();
        QueryManager queries = queryRunner.getCoordinator().getQueryManager();
        assertThat(queries.getQueries()).allMatch(query -> query.getState().isDone())
                .allMatch(query -> queries.getFullQueryInfo(query.getQueryId()).isFinalQueryInfo());
    }

    @CanIgnoreReturnValue
    final <T extends AutoCloseable> T closeAfterClass(T resource)
    {
        return closer.register(resource);
    }

    final DistributedQueryRunner getDistributedQueryRunner()
    {
        return queryRunner;
    }

    final Session getSession()
    {
        return queryRunner.getDefaultSession();
    }

    @CanIgnoreReturnValue
    final MaterializedResult computeActual(String sql)
    {
        return computeActual(getSession(), sql);
    }

    @CanIgnoreReturnValue
    final MaterializedResult computeActual(Session session, String sql)
    {
        return queryRunner.execute(session, sql).toTestTypes();
    }

    @CanIgnoreReturnValue
    final Object computeScalar(String sql)
    {
        return computeScalar(getSession(), sql);
    }

    @CanIgnoreReturnValue
    final Object computeScalar(Session session, String sql)
    {
        return computeActual(session, sql).getOnlyValue();
    }

    final AssertProvider<QueryAssert> query(String sql)
    {
        return assertions.query(getSession(), sql);
    }

    final AssertProvider<QueryAssert> query(Session session, String sql)
    {
        return assertions.query(session, sql);
    }

    final void assertQuery(String sql, String expected)
    {
        assertQuery(getSession(), sql, expected);
    }

    /** @param expected a query of H2 */
    final void assertQuery(Session session, String sql, String expected)
    {
        QueryAssertions.assertQuery(queryRunner, session, sql, Expected.H2, expected, false, false);
    }

    final void assertQueryReturnsEmptyResult(String sql)
    {
        assertQueryReturnsEmptyResult(getSession(), sql);
    }

    final void assertQueryReturnsEmptyResult(Session session, String sql)
    {
        assertThat(computeActual(session, sql).getMaterializedRows()).isEmpty();
    }

    final void assertQueryFails(String sql, String message)
    {
        assertQueryFails(getSession(), sql, message);
    }

    final void assertQueryFails(Session session, String sql, String message)
    {
        QueryAssertions.assertQueryFails(queryRunner, session, sql, message);
    }

    final void assertUpdate(String sql)
    {
        assertUpdate(getSession(), sql);
    }

    final void assertUpdate(Session session, String sql)
    {
        QueryAssertions.assertUpdate(queryRunner, session, sql, OptionalLong.empty());
    }

    final void assertUpdate(String sql, String expected)
    {
        QueryAssertions.assertQuery(queryRunner, getSession(), sql, Expected.H2, expected, false, true);
    }

    final void assertUpdate(String sql, long count)
    {
        assertUpdate(getSession(), sql, count);
    }

    final void assertUpdate(Session session, String sql, long count)
    {
        QueryAssertions.assertUpdate(queryRunner, session, sql, OptionalLong.of(count));
    }

    final void assertExplain(String sql, String... patterns)
    {
        assertExplain(getSession(), sql, patterns);
    }

    final void assertExplain(Session session, String sql, String... patterns)
    {
        String plan = (String) computeScalar(session, sql);
        for (String pattern : patterns) {
            assertThat(plan).containsPattern(pattern);
        }
    }
}
