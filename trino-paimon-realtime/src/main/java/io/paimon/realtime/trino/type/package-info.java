/** Types of Paimon and their counterparts in Trino. */
package io.paimon.realtime.trino.type;
