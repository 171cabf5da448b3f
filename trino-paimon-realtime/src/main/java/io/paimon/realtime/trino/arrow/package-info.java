/** Blocks made of Arrow vectors, which is how rows lie in the writer's memory and travel over Flight. */
package io.paimon.realtime.trino.arrow;
