/** Page sinks: rows into data files or to the writer, and the partitioning that brings each sink its buckets. */
package io.paimon.realtime.trino.write;
