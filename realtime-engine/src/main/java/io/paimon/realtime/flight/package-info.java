/**
 * The service over Arrow Flight: server and client.
 */
package io.paimon.realtime.flight;
