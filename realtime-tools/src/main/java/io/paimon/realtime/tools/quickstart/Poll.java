package io.paimon.realtime.tools.quickstart;

/**
 * What one look at the table gave.
 *
 * @param acknowledged rows acknowledged before the query was sent
 * @param sent rows that may have been accepted when the answer came
 * @param rows rows the query saw
 * @param freshnessMillis age of the newest row the query saw, at its answer, from the moment the row was sent to the writer
 * @param committed rows a query of committed data saw, right after
 * @param snapshot newest snapshot, right after; 0 if there is none
 */
record Poll(long acknowledged, long sent, long rows, long freshnessMillis, long committed, long snapshot)
{
    /** Whether the query saw every row acknowledged before it, and no row that was not sent. */
    boolean isRight()
    {
        return acknowledged <= rows && rows <= sent;
    }
}
