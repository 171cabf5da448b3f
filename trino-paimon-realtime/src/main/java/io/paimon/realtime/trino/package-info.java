/** Trino connector for Apache Paimon tables: the plug-in, and the connector put together from the packages below, which know nothing of this one. */
package io.paimon.realtime.trino;
