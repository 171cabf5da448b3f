package io.paimon.realtime.table;

import static java.util.Objects.requireNonNull;

import io.paimon.realtime.model.RealtimeException;

/** Whether rows are taken now, by appends and by statements; each reason is known to its owner. Looked at while the rows are held. */
record AppendGate(TableClaim claim, LiveRows rows, LiveDefinition definition, CommitSteps steps)
{
    AppendGate
    {
        requireNonNull(claim, "claim is null");
        requireNonNull(rows, "rows is null");
        requireNonNull(definition, "definition is null");
        requireNonNull(steps, "steps is null");
    }

    /** @throws RealtimeException with the reason why they are not */
    void check()
    {
        rows.checkOpen();
        claim.checkLease();
        rows.checkNotDraining();
        definition.checkWritable();
        steps.checkSettled();
    }
}
