/**
 * Readers over real-time splits: disk and memory concatenated.
 */
package io.paimon.realtime.read;
