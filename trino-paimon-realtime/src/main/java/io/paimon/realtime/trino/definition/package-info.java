/** Definitions of tables: table properties, what CREATE TABLE makes of them, and changes by ALTER TABLE. */
package io.paimon.realtime.trino.definition;
