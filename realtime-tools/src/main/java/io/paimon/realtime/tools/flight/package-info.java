/** A client of the writer's Arrow Flight endpoint, as any program may write it. */
package io.paimon.realtime.tools.flight;
