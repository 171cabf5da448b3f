/** What Trino carries for the connector between planning, reading and writing, and from node to node. */
package io.paimon.realtime.trino.handle;
