/** Paimon's view of Trino's file systems: object stores reach Paimon through them, local disks through the engine's durable file system. Temporary files stay on the local disk. */
package io.paimon.realtime.trino.filesystem;
