/** Data files read with Trino's own readers: which files can be, where each column comes from, and the pages. */
package io.paimon.realtime.trino.file;
