/**
 * One real-time table: append, seal, flush, commit, refresh, reclaim; immutable cuts for readers.
 */
package io.paimon.realtime.table;
