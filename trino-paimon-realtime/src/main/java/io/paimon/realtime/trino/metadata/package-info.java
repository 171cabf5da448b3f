/** The metadata of a transaction: tables as a query sees them, statements from their beginning to their commit. */
package io.paimon.realtime.trino.metadata;
