package io.paimon.realtime.trino.config;

/**
 * What an INSERT does with the rows that its partitions hold already.
 */
public enum InsertExistingPartitionsBehavior
{
    /** They stay. */
    APPEND,
    /** They are replaced, in the partitions that get rows; of an unpartitioned table all of them. */
    OVERWRITE,
    /** The statement fails if a partition that gets rows exists. Unpartitioned tables are appended to. */
    ERROR,
}
