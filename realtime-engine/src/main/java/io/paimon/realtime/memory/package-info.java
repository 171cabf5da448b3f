/**
 * The plug-in interface for rows held in memory. Knows Arrow and Paimon's public types; nothing of tables, logs or services.
 */
package io.paimon.realtime.memory;
