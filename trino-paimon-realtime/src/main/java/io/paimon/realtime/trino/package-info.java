/**
 * Trino connector for Apache Paimon tables.
 */
package io.paimon.realtime.trino;
