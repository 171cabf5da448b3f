/** The demonstration and its check: rows are streamed in and seen by queries before they are in a snapshot. */
package io.paimon.realtime.tools.quickstart;
