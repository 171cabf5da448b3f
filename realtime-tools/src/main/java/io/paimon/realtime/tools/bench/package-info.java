/** Benchmarks: what {@code bin/bench} starts. */
package io.paimon.realtime.tools.bench;
