/**
 * From the latest snapshot and a pinned cut to real-time splits.
 */
package io.paimon.realtime.scan;
