/** What scans tell of themselves. */
package io.paimon.realtime.trino.metrics;
