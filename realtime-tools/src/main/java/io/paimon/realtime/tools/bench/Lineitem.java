package io.paimon.realtime.tools.bench;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.paimon.realtime.tools.TrinoConnection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** TPC-H's lineitem in Trino's memory connector and in tables of the writer, and queries on it. */
final class Lineitem
{
    static final String MEMORY = "memory.default.bench_lineitem";
    /** Rows of one INSERT: a bigger statement would go to disk, not to memory. */
    private static final int INSERT_ROWS = 300_000;

    private static final List<String> COLUMNS = ImmutableList.of("orderkey", "partkey", "suppkey", "linenumber", "quantity", "extendedprice",
            "discount",
            "tax", "returnflag", "linestatus", "shipdate", "commitdate", "receiptdate", "shipinstruct", "shipmode", "comment");

    /** Queries by name; {@code %s} stands for the table. */
    static final Map<String, String> QUERIES = ImmutableMap.of(
            "count", "SELECT count(suppkey) FROM %s",
            "sum", "SELECT sum(quantity), sum(extendedprice), sum(discount), sum(tax), sum(linenumber), sum(partkey) FROM %s",
            "filter", "SELECT count(*), sum(extendedprice * discount) FROM %s WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1995-01-01' "
                    + "AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24",
            "wide", "SELECT " + String.join(", ", COLUMNS.stream().map("max(%s)"::formatted).toList()) + " FROM %s",
            "group", "SELECT returnflag, linestatus, count(*), sum(quantity), sum(extendedprice * (1 - discount) * (1 + tax)), avg(discount) FROM %s "
                    + "WHERE shipdate <= DATE '1998-09-02' GROUP BY returnflag, linestatus ORDER BY 1, 2");

    private Lineitem()
    {}

    /** Fills the memory connector's table from the tpch connector. */
    static void generate(TrinoConnection trino, String tpchSchema) throws SQLException
    {
        trino.execute("DROP TABLE IF EXISTS " + MEMORY);
        trino.execute("CREATE TABLE %s AS SELECT * FROM tpch.%s.lineitem".formatted(MEMORY, tpchSchema));
    }

    /** An empty table of the writer with lineitem's columns. */
    static void create(TrinoConnection trino, String table) throws SQLException
    {
        trino.execute("CREATE SCHEMA IF NOT EXISTS paimon.bench");
        trino.execute("DROP TABLE IF EXISTS paimon.bench." + table);
        trino.execute("CREATE TABLE paimon.bench.%s (LIKE %s) WITH (realtime = true)".formatted(table, MEMORY));
    }

    /** Appends the rows whose order keys are in the range, some at a time. */
    static void append(TrinoConnection trino, String table, long firstOrder, long lastOrder) throws SQLException
    {
        long rows = trino.number("SELECT count(*) FROM %s WHERE orderkey BETWEEN %s AND %s".formatted(MEMORY, firstOrder, lastOrder));
        long pieces = Math.ceilDiv(rows, INSERT_ROWS);
        for (long i = 0; i < pieces; i++) {
            long from = firstOrder + (lastOrder + 1 - firstOrder) * i / pieces;
            long to = firstOrder + (lastOrder + 1 - firstOrder) * (i + 1) / pieces - 1;
            trino.execute("INSERT INTO paimon.bench.%s SELECT * FROM %s WHERE orderkey BETWEEN %s AND %s".formatted(table, MEMORY, from, to));
        }
    }

    /** Rows of the table that are in the writer's memory. */
    static long rowsInMemory(TrinoConnection trino, String table) throws SQLException
    {
        return trino.number("SELECT sum(memory_rows) FROM paimon.bench.\"%s$realtime\"".formatted(table));
    }

    static void checkMemory(TrinoConnection trino, String table, long wanted) throws SQLException
    {
        long rows = rowsInMemory(trino, table);
        if (rows != wanted) {
            throw new IllegalStateException(
                    "%s rows of %s are in memory, not %s: the writer committed meanwhile; give it a longer commit interval and more memory".formatted(
                            rows, table, wanted));
        }
    }

    /** Asks everything in turns, for the JVM to compile what it will: on two cores Trino's own answers get faster for about two minutes. */
    static void warmUp(BenchContext context, TrinoConnection trino, Collection<String> queries, List<String> tables) throws SQLException
    {
        long seconds = context.scale(120, 0);
        context.progress().step("%s s of warm-up", seconds);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            for (String query : queries) {
                for (String table : tables) {
                    time(trino, query, table);
                }
            }
        }
    }

    /** Milliseconds the query takes, to its last row. */
    static double time(TrinoConnection trino, String query, String table) throws SQLException
    {
        long start = System.nanoTime();
        trino.query(query.formatted(table));
        return (System.nanoTime() - start) / 1e6;
    }

    /** The query has to answer the same on both tables, but for the last digits of floating point. */
    static void checkSame(TrinoConnection trino, String query, String table, String other) throws SQLException
    {
        List<List<Object>> left = trino.query(query.formatted(table));
        List<List<Object>> right = trino.query(query.formatted(other));
        boolean same = left.size() == right.size();
        for (int row = 0; same && row < left.size(); row++) {
            for (int column = 0; same && column < left.get(row).size(); column++) {
                same = isSame(left.get(row).get(column), right.get(row).get(column));
            }
        }
        if (!same) {
            throw new IllegalStateException("Different answers: %s\n%s: %s\n%s: %s".formatted(query, table, left, other, right));
        }
    }

    private static boolean isSame(Object left, Object right)
    {
        if (left instanceof Double leftNumber && right instanceof Double rightNumber) {
            return Math.abs(leftNumber - rightNumber) <= 1e-9 * Math.abs(leftNumber);
        }
        return left == null ? right == null : left.equals(right);
    }
}
