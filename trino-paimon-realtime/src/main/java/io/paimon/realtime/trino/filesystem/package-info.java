/** Paimon's view of Trino's file systems: object stores reach Paimon through them, local disks through the engine's durable file system. */
package io.paimon.realtime.trino.filesystem;
