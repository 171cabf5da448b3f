package io.paimon.realtime.model;

/**
 * Answer to an append or a published statement.
 *
 * @param rows rows accepted by this call
 */
public record AppendResult(long rows)
{
    public AppendResult
    {
        if (rows < 0) {
            throw new IllegalArgumentException("rows is negative: " + rows);
        }
    }
}
