/**
 * The default {@code MemIndexer}: immutable Arrow chunks per segment, and everything about the canonical Arrow form of Paimon rows.
 */
package io.paimon.realtime.memory.arrow;
