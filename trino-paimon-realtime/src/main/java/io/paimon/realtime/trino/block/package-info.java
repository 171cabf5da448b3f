/** Values between Trino's blocks and Paimon's rows and column vectors. */
package io.paimon.realtime.trino.block;
