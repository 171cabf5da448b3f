/** Splits and page sources: rows from files and from the writer's memory. */
package io.paimon.realtime.trino.read;
