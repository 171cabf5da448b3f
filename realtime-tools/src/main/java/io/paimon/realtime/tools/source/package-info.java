/** Files of rows (Parquet, Arrow, CSV, JSON lines) read into Arrow vectors of a table's types. */
package io.paimon.realtime.tools.source;
