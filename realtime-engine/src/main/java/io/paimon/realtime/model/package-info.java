/**
 * Plain records and the error type that every floor above uses: partition-buckets, offsets, progress, status.
 */
package io.paimon.realtime.model;
