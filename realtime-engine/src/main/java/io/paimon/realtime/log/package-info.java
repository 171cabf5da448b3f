/**
 * The write-ahead log as the engine needs it.
 */
package io.paimon.realtime.log;
