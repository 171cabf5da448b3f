package io.paimon.realtime.trino.handle;

import io.paimon.realtime.scan.ReadPoint;

import static java.util.Objects.requireNonNull;

/**
 * The writer's side and the disk's side of one table in one query.
 *
 * @param address where the writer is reached over Flight
 * @param incarnation incarnation of the writer that holds the view
 * @param point the snapshot, and the rows in memory that follow it
 */
public record TablePoint(String address, String incarnation, ReadPoint point)
{
    public TablePoint
    {
        requireNonNull(address, "address is null");
        requireNonNull(incarnation, "incarnation is null");
        requireNonNull(point, "point is null");
    }
}
