/** How a Paimon catalog is made of catalog properties (file system, Hive metastore, database over JDBC, or REST server), and how tables are found in it. */
package io.paimon.realtime.trino.catalog;
