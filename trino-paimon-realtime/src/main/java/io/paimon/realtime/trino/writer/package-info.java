/** The real-time writer in the coordinator, how nodes reach it, the cuts it holds for queries, and what shows and flushes it. */
package io.paimon.realtime.trino.writer;
