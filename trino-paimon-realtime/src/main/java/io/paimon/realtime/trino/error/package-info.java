/** Error codes of the connector, and which of them an error of the engine gets. */
package io.paimon.realtime.trino.error;
