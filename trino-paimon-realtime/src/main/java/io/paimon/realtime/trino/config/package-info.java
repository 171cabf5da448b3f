/** What a catalog and a session are set to. */
package io.paimon.realtime.trino.config;
