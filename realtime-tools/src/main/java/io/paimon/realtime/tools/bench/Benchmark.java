package io.paimon.realtime.tools.bench;

import java.util.List;

/** One benchmark: several numbers measured in one run. */
interface Benchmark
{
    /** Name on the command line and of the result's file. */
    String name();

    /** What it measures, in one line. */
    String description();

    /** Whether a Trino server must run. */
    boolean needsServer();

    /** Measures. Leaves nothing behind, also when it fails. */
    List<Measurement> run(BenchContext context) throws Exception;
}
