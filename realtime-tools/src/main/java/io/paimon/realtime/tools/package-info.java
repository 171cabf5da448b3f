/** What the scripts in bin/ start: the launcher of the Trino server, checks before and after a start, ingest, the quickstart. */
package io.paimon.realtime.tools;
