/**
 * The only package that touches classes Paimon does not promise: routing, segment flush, commit with progress, offsets files, durable local file system.
 */
package io.paimon.realtime.paimon;
