package io.paimon.realtime.model;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Paimon commit user of a claim: unique, for Paimon takes a snapshot of the same user and identifier for its own. It also tells readers which start of which writer made a
 * snapshot, and when that writer opened the table.
 *
 * @param incarnation random id of the start of the service
 * @param opened instant of the service (see {@link QueryCut#instant}) at which the table came onto its board: a cut taken before does not know the table
 */
public record CommitUser(String incarnation, long opened)
{
    private static final Pattern FORMAT = Pattern.compile("realtime-(.+)-(\\d{1,18})");

    public CommitUser
    {
        requireNonNull(incarnation, "incarnation is null");
        if (opened < 0) {
            throw new IllegalArgumentException("opened is negative: " + opened);
        }
    }

    /** Empty if the snapshot is of somebody else. */
    public static Optional<CommitUser> parse(String commitUser)
    {
        Matcher matcher = FORMAT.matcher(commitUser);
        return matcher.matches() ? Optional.of(new CommitUser(matcher.group(1), Long.parseLong(matcher.group(2)))) : Optional.empty();
    }

    @Override
    public String toString()
    {
        return "realtime-%s-%s".formatted(incarnation, opened);
    }
}
