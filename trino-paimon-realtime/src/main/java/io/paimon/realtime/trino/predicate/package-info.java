/** Filters of Trino on tables of Paimon: as predicates that files are skipped by, and evaluated on partitions. */
package io.paimon.realtime.trino.predicate;
