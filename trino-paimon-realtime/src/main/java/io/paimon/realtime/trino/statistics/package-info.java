/** What the optimizer is told of tables, from the manifests of a snapshot and from what ANALYZE has left in the table. */
package io.paimon.realtime.trino.statistics;
