/** How a Paimon catalog is made of catalog properties: file system, Hive metastore, database over JDBC, or REST server. */
package io.paimon.realtime.trino.catalog;
